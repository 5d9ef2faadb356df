/**
 * Looks up the names in addresses, one at a time. Members announce names, and a name server may
 * stay silent for ten seconds. The system gives look-ups two threads. So one of them stays free for
 * the application, and for the introducers that the user gave. This module begins no look-up that
 * nobody waits for any more.
 */
import dns from 'node:dns'
import type { LookupFunction } from 'node:net'

/** A queue of look-ups. Each begins after the end of the one before. */
class Line {
  #isBusy = false
  /** Each begins one look-up. Returns false if nobody waits for it any more. */
  readonly #waiting: (() => boolean)[] = []

  add(begin: () => boolean): void {
    this.#waiting.push(begin)
    if (!this.#isBusy) this.next()
  }

  /**
   * Begins the first look-up that somebody waits for. Perhaps nobody waits for thousands of earlier
   * ones any more.
   */
  next(): void {
    this.#isBusy = false
    while (!this.#isBusy && this.#waiting.length > 0) this.#isBusy = this.#waiting.shift()?.() === true
  }
}

const lines = { given: new Line(), announced: new Line() }
/** The names that the user gave. Their look-ups don't wait for those of members. */
const given = new Set<string>()

/** Notes names that the user gave. */
export function preferNames(names: readonly string[]): void {
  for (const name of names) given.add(name)
}

/** Returns the look-up of one connect. `isWanted`: whether the connect still waits. */
export function lookUp(isWanted: () => boolean): LookupFunction {
  return (host, options, done) => {
    const line = given.has(host) ? lines.given : lines.announced
    line.add(() => {
      if (!isWanted()) return false
      dns.lookup(host, options, (error, address, family) => {
        line.next()
        done(error, address, family)
      })
      return true
    })
  }
}
