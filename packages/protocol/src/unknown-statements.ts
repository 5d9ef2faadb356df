/**
 * Statements of kinds that this version does not know. A node passes them on, so that a later
 * version can add kinds while this one runs.
 */
import type { Milliseconds } from './base/values.ts'
import type { Context } from './context/context.ts'
import type { Timed } from './context/timers.ts'
import type { Fact } from './facts/fact.ts'
import { shareUntil } from './facts/tombstones.ts'

export class UnknownStatements implements Timed {
  readonly #context: Context
  /** Held statements by key, each with the time when its age was 0. */
  readonly #held = new Map<string, { readonly fact: Fact; readonly born: Milliseconds }>()

  constructor(context: Context) {
    this.#context = context
  }

  /** True if there is room for this statement, it is news, and others still exchange it. */
  wants(fact: Fact, age: Milliseconds): boolean {
    return !this.#held.has(fact.key) && this.#held.size < this.#context.config.limits.unknown && age < this.#sentFor
  }

  /** Takes in a checked statement, and returns it as held. */
  add(fact: Fact, age: Milliseconds): Fact {
    const { facts, now } = this.#context
    const held = facts.put(fact, now - age)
    this.#held.set(held.key, { fact: held, born: now - age })
    this.#awaitAge(now - age)
    return held
  }

  clear(): void {
    this.#held.clear()
    this.#context.timers.set('unknownStatement', Infinity)
  }

  /**
   * Forgets statements that are too old. As with ends of lives, their exchange stops earlier, so
   * that no peer brings a forgotten statement back.
   */
  due(): void {
    const { now, config, facts } = this.#context
    for (const [key, { fact, born }] of this.#held) {
      if (now - born >= config.limits.unknownLifetime) {
        this.#held.delete(key)
        facts.delete(fact)
        continue
      }
      if (now - born >= this.#sentFor) facts.silence(fact)
      this.#awaitAge(born)
    }
  }

  /** Nodes exchange a statement for this time, ms. */
  get #sentFor(): Milliseconds {
    const { limits } = this.#context.config
    return Math.floor(limits.unknownLifetime * shareUntil)
  }

  /** Schedules the end of a statement's exchange or of its life. */
  #awaitAge(born: Milliseconds): void {
    const { now, config, timers } = this.#context
    const end = now - born < this.#sentFor ? this.#sentFor : config.limits.unknownLifetime
    timers.advance('unknownStatement', born + end)
  }
}
