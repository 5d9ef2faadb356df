import { inBackground, type Timer } from '@jel/overlay'
import type { Milliseconds } from '../core/calendar.ts'

/**
 * The first and the longest pause between two searches for members, ms. The pause doubles while
 * ranks are wanted. Guesses: a selection may ask each member of the pool.
 */
const [FIRST_PAUSE, LONGEST_PAUSE]: readonly [Milliseconds, Milliseconds] = [2000, 60_000]

/** Repeats the search for members that may join a group, since members join the pool and change. */
export class Search {
  readonly #lacks: () => boolean
  readonly #look: () => Promise<void>
  #pause: Milliseconds = FIRST_PAUSE
  #next: { readonly timer: Timer; readonly at: Milliseconds } | undefined
  #isOver = false

  /**
   * @param lacks whether the group has fewer ranks than wanted
   * @param look searches, and offers the members to the group
   */
  constructor(lacks: () => boolean, look: () => Promise<void>) {
    this.#lacks = lacks
    this.#look = look
    void this.#turn()
  }

  /** The pool has a new member. */
  soon(): void {
    this.#pause = FIRST_PAUSE
    if (this.#next !== undefined && this.#next.at > performance.now() + FIRST_PAUSE) this.#wait()
  }

  end(): void {
    this.#isOver = true
    clearTimeout(this.#next?.timer)
  }

  async #turn(): Promise<void> {
    this.#next = undefined
    if (this.#lacks()) {
      // A selection may fail, since members may be gone.
      await this.#look().catch(() => {})
      this.#wait()
      this.#pause = Math.min(2 * this.#pause, LONGEST_PAUSE)
    } else {
      this.#pause = FIRST_PAUSE
      this.#wait()
    }
  }

  #wait(): void {
    clearTimeout(this.#next?.timer)
    if (this.#isOver) return
    const timer = inBackground(setTimeout(() => void this.#turn(), this.#pause))
    this.#next = { timer, at: performance.now() + this.#pause }
  }
}
