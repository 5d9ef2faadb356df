/**
 * Looks up the names in addresses, one at a time. Members announce names, and a name server may
 * stay silent for ten seconds. The system gives look-ups two threads. So one of them stays free for
 * the application, and look-ups that nobody waits for any more are not begun.
 */
import dns from 'node:dns'
import type { LookupFunction } from 'node:net'

let isBusy = false
/** Each begins one look-up. Returns false if nobody waits for it any more. */
const waiting: (() => boolean)[] = []

/** Begins the first look-up that somebody waits for. Thousands before it may have been given up. */
function next(): void {
  isBusy = false
  while (!isBusy && waiting.length > 0) isBusy = waiting.shift()?.() === true
}

/** Returns the look-up of one connect. `isWanted`: whether the connect still waits. */
export function lookUp(isWanted: () => boolean): LookupFunction {
  return (host, options, done) => {
    waiting.push(() => {
      if (!isWanted()) return false
      dns.lookup(host, options, (error, address, family) => {
        next()
        done(error, address, family)
      })
      return true
    })
    if (!isBusy) next()
  }
}
