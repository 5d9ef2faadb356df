import type { Address, DialFailure, Milliseconds, NodeId } from '@jel/protocol'
import type { VirtualClock } from '@jel/machine'
import type { Endpoint } from './endpoint.ts'
import type { Reachability } from './reachability.ts'

/** A relay waits this long for a member that does not answer, ms. The overlay's value. */
const relayWait = 2_000
/** The dialler waits this long for a relay that does not answer, ms. The overlay's value. */
const dialWait = 3_000
/** A member counts as silent if at least this many relays can't reach it. The overlay's value. */
const enough = 2

/** A process that may relay. */
export interface Relay {
  readonly id: NodeId
  readonly addresses: readonly Address[]
}

export interface CircuitDial {
  readonly from: Endpoint
  readonly peer: NodeId
  readonly relays: readonly Relay[]
  readonly failed: (failure: DialFailure) => void
}

export interface CircuitDiallingParts {
  readonly clock: VirtualClock
  readonly reachability: Reachability
  /** The process of this id that started last. */
  readonly find: (id: NodeId) => Endpoint | undefined
  /** Asks a process at one address. Calls back with undefined if it does not answer. */
  readonly reach: (from: Endpoint, relay: Relay, answered: (relay: Endpoint | undefined) => void) => void
  /** Opens a connection over a relay that has the target. */
  readonly shake: (target: Endpoint, relay: Endpoint, fail: () => void) => void
}

/**
 * Dials a hidden member over its relays, one after the other, as the overlay does. A relay counts
 * as connected with each hidden member that it could exchange packets with.
 */
export function dialOverRelays({ from, peer, relays, failed }: CircuitDial, parts: CircuitDiallingParts): void {
  const { clock, reachability, find, reach, shake } = parts
  const others = relays.filter(({ id }) => id !== from.id)
  let missed = relays.length - others.length
  const rest = others.toSorted((a, b) => Number(from.connections.has(b.id)) - Number(from.connections.has(a.id)))
  const next = (): void => {
    const relay = rest.shift()
    if (relay === undefined) failed(missed >= enough ? 'silent' : 'failed')
    else reach(from, relay, (at) => (at === undefined ? next() : ask(at)))
  }
  const miss = (after: Milliseconds): void => {
    missed += 1
    clock.after(after, () => from.listening && next())
  }
  const ask = (relay: Endpoint): void => {
    const target = find(peer)
    if (!relay.awake) miss(dialWait)
    else if (target === undefined || !target.listening) miss(0)
    else if (!reachability.joins(relay, target)) miss(relayWait)
    else shake(target, relay, () => miss(0))
  }
  // Never call back while the caller still carries out its effects.
  clock.after(0, next)
}
