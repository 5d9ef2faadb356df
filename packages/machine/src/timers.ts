import type { Milliseconds } from './machine.ts'

/**
 * The timers of a state machine, by name. Each has at most one time at which it fires. Timers that
 * are due together fire in the order in which the constructor received their names.
 */
export class Timers<Name extends string> {
  readonly #times = new Map<Name, Milliseconds>()
  /** The earliest time. Undefined: it must be computed again. */
  #next: Milliseconds | undefined = Infinity

  constructor(names: readonly Name[]) {
    for (const name of names) this.#times.set(name, Infinity)
  }

  /** The earliest time at which a timer fires; Infinity: no timer is set. */
  get next(): Milliseconds {
    this.#next ??= Math.min(...this.#times.values())
    return this.#next
  }

  /** Returns the time at which this timer fires; Infinity: it is not set. */
  at(name: Name): Milliseconds {
    return this.#times.get(name) ?? Infinity
  }

  /** Sets a timer, in place of its former time. Infinity stops it. */
  set(name: Name, at: Milliseconds): void {
    const before = this.#times.get(name)
    if (before === undefined || before === at) return
    this.#times.set(name, at)
    if (this.#next === undefined) return
    if (at <= this.#next) this.#next = at
    else if (before === this.#next) this.#next = undefined
  }

  /** Sets a timer, unless it fires before that time already. */
  advance(name: Name, at: Milliseconds): void {
    if (at < this.at(name)) this.set(name, at)
  }

  /** Removes all timers but these. A removed timer can't be set any more. */
  retain(names: ReadonlySet<Name>): void {
    for (const name of this.#times.keys()) if (!names.has(name)) this.#times.delete(name)
    this.#next = undefined
  }

  /**
   * Stops each timer that is due and calls `fire` with its name. `fire` may set the timer again.
   */
  fire(now: Milliseconds, fire: (name: Name) => void): void {
    if (now < this.next) return
    for (const [name, at] of this.#times) {
      if (now < at) continue
      this.set(name, Infinity)
      fire(name)
    }
  }
}
