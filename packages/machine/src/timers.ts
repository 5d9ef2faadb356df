import type { Milliseconds } from './machine.ts'

/**
 * The timers of a state machine, by name. Each has at most one time at which it fires. Timers that
 * are due together fire in the order in which the constructor received their names.
 */
export class Timers<Name extends string> {
  readonly #names: readonly Name[]
  /** The index of each name. A removed timer has no index. */
  readonly #places: Map<Name, number>
  readonly #times: Float64Array
  /** The earliest time at which a timer fires. Undefined: this time must be computed again. */
  #next: Milliseconds | undefined = Infinity

  constructor(names: readonly Name[]) {
    this.#names = names
    this.#places = new Map(names.map((name, place) => [name, place]))
    this.#times = new Float64Array(names.length).fill(Infinity)
  }

  /** The earliest time at which a timer fires; Infinity: no timer is set. */
  get next(): Milliseconds {
    if (this.#next !== undefined) return this.#next
    let next = Infinity
    for (const at of this.#times) if (at < next) next = at
    this.#next = next
    return next
  }

  /** Returns the time at which this timer fires; Infinity: it is not set. */
  at(name: Name): Milliseconds {
    return this.#timeAt(this.#places.get(name))
  }

  /**
   * Sets the time at which a timer fires, in place of its former time. Infinity stops the timer.
   */
  set(name: Name, at: Milliseconds): void {
    const place = this.#places.get(name)
    const before = this.#timeAt(place)
    if (place === undefined || before === at) return
    this.#times[place] = at
    if (this.#next === undefined) return
    if (at <= this.#next) this.#next = at
    else if (before === this.#next) this.#next = undefined
  }

  /** Sets a timer to this time. Does nothing if the timer already fires by then. */
  advance(name: Name, at: Milliseconds): void {
    if (at < this.at(name)) this.set(name, at)
  }

  /**
   * Removes all timers except these. A removed timer can't be set any more. {@link Timers.fire}
   * calls a removed timer only if `always` names it.
   */
  retain(names: ReadonlySet<Name>): void {
    for (const [name, place] of this.#places) {
      if (names.has(name)) continue
      this.#places.delete(name)
      this.#times[place] = Infinity
    }
    this.#next = undefined
  }

  /**
   * Stops each timer that is due, and calls `fire` with the name of the timer. `fire` may set the
   * timer again. The timers of `always` fire whether they are due or not.
   */
  fire(now: Milliseconds, fire: (name: Name) => void, always?: ReadonlySet<Name>): void {
    if (always === undefined && now < this.next) return
    for (const [place, name] of this.#names.entries()) {
      if (now < this.#timeAt(place) && always?.has(name) !== true) continue
      this.#times[place] = Infinity
      this.#next = undefined
      fire(name)
    }
  }

  #timeAt(place: number | undefined): Milliseconds {
    return place === undefined ? Infinity : (this.#times[place] ?? Infinity)
  }
}
