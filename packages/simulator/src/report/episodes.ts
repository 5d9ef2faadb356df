import type { Milliseconds } from '@jel/protocol'

/**
 * The beginning and end of a time in which a state held. The time excludes its end. The end is
 * infinite while the state lasts.
 */
export type Episode = [from: Milliseconds, to: Milliseconds]

/** The history of a state that holds or doesn't. */
export class Episodes {
  readonly #episodes: Episode[] = []

  get list(): readonly (readonly [from: Milliseconds, to: Milliseconds])[] {
    return this.#episodes
  }

  get holds(): boolean {
    return this.#episodes.at(-1)?.[1] === Infinity
  }

  /** The beginning of the present episode, undefined while the state doesn't hold. */
  get since(): Milliseconds | undefined {
    return this.holds ? this.#episodes.at(-1)?.[0] : undefined
  }

  set(holds: boolean, now: Milliseconds): void {
    if (holds === this.holds) return
    const last = this.#episodes.at(-1)
    if (!holds) {
      if (last !== undefined) last[1] = now
      // An episode of no duration does not count.
      if (last?.[0] === now) this.#episodes.pop()
    } else if (last?.[1] === now) last[1] = Infinity
    else this.#episodes.push([now, Infinity])
  }

  /** Begins another episode, because the state still holds but has another content. */
  restart(now: Milliseconds): void {
    this.set(false, now)
    this.#episodes.push([now, Infinity])
  }

  /**
   * Returns the first time from `after` on at which the state held, or undefined if it never did.
   */
  firstFrom(after: Milliseconds): Milliseconds | undefined {
    const episode = this.#episodes.find(([, to]) => to > after)
    return episode && Math.max(episode[0], after)
  }

  /** Returns true if the state held from one time to another. */
  holdsUntil(from: Milliseconds, until: Milliseconds): boolean {
    return this.#episodes.some((episode) => episode[0] <= from && episode[1] >= until)
  }
}
