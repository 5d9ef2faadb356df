/**
 * Looks up the names in addresses, one at a time. Members announce names, and a name server may
 * stay silent for ten seconds. The system gives look-ups two threads. So one of them stays free for
 * the application, and look-ups that nobody waits for any more are not begun.
 */
import dns from 'node:dns'
import type { LookupFunction } from 'node:net'

let isBusy = false
const waiting: (() => void)[] = []

function next(): void {
  isBusy = false
  waiting.shift()?.()
}

/** Returns the look-up of one connect. `isWanted`: whether the connect still waits. */
export function lookUp(isWanted: () => boolean): LookupFunction {
  return (host, options, done) => {
    const begin = (): void => {
      isBusy = true
      if (!isWanted()) {
        next()
        return
      }
      dns.lookup(host, options, (error, address, family) => {
        next()
        done(error, address, family)
      })
    }
    if (isBusy) waiting.push(begin)
    else begin()
  }
}
