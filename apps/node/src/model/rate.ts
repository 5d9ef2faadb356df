/**
 * The time over which a rate is measured, ms. A guess: members report each second, so a shorter
 * time would show rates that jump.
 */
const WINDOW = 5000

/** How fast a count grows. */
export class Rate {
  #samples: (readonly [time: number, count: number])[] = []

  /** Takes the present count. A count that falls begins anew. `now`: ms. */
  take(count: number, now: number): void {
    const last = this.#samples.at(-1)
    if (last !== undefined && count < last[1]) this.#samples = []
    this.#samples.push([now, count])
    while (this.#samples.length > 2 && now - (this.#samples[1]?.[0] ?? now) >= WINDOW) this.#samples.shift()
  }

  /** The growth per second; undefined as long as it is unknown. */
  get perSecond(): number | undefined {
    const [first] = this.#samples
    const last = this.#samples.at(-1)
    if (first === undefined || last === undefined || last[0] <= first[0]) return undefined
    return ((last[1] - first[1]) * 1000) / (last[0] - first[0])
  }
}
