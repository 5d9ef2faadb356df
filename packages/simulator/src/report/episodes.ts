import type { Milliseconds } from '@jel/protocol'

/** When something held: from, to (the latter excluded; infinite while it goes on). */
export type Episode = [from: Milliseconds, to: Milliseconds]

/** A history of something that holds or doesn't. */
export class Episodes {
  readonly #episodes: Episode[] = []

  get list(): readonly (readonly [from: Milliseconds, to: Milliseconds])[] {
    return this.#episodes
  }

  get holds(): boolean {
    return this.#episodes.at(-1)?.[1] === Infinity
  }

  /** Since when it has held; undefined while it doesn't. */
  get since(): Milliseconds | undefined {
    return this.holds ? this.#episodes.at(-1)?.[0] : undefined
  }

  set(holds: boolean, now: Milliseconds): void {
    if (holds === this.holds) return
    const last = this.#episodes.at(-1)
    if (!holds) {
      if (last !== undefined) last[1] = now
      // What held for no time at all did not hold.
      if (last?.[0] === now) this.#episodes.pop()
    } else if (last?.[1] === now) last[1] = Infinity
    else this.#episodes.push([now, Infinity])
  }

  /** It holds on, but it is something else that holds. */
  restart(now: Milliseconds): void {
    this.set(false, now)
    this.#episodes.push([now, Infinity])
  }

  /** The first time from `after` on at which it held; undefined if it never did. */
  firstFrom(after: Milliseconds): Milliseconds | undefined {
    const episode = this.#episodes.find(([, to]) => to > after)
    return episode && Math.max(episode[0], after)
  }

  /** True if it held from one time to another. */
  holdsUntil(from: Milliseconds, until: Milliseconds): boolean {
    return this.#episodes.some((episode) => episode[0] <= from && episode[1] >= until)
  }
}
