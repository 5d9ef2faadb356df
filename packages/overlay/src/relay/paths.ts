/** The paths to a member: its own addresses, or a circuit over one of its relays. */
import { canDial } from '#platform/network'
import { pickSome, relayCount, relaysOf, type DialFailure, type Member, type NodeId } from '@jel/protocol'
import type { Connection, Libp2p } from '@libp2p/interface'
import { dialAddress, isNearby } from '../base/addresses.ts'
import { reasonOf } from '../base/errors.ts'
import { DialError, type Dialer } from '../dialing/dialing.ts'
import { circuitAddress } from '../circuits/circuit-address.ts'
import { directConnections } from '../circuits/circuit-transport.ts'
import { RelayRefusal } from '../circuits/relay-refusal.ts'

/** Relays tried for one circuit: those of the member, and one more where views differ. */
const maxTried = relayCount + 1
/**
 * A hidden member is silent if this many of its relays have no connection to it. One relay may lie.
 * Design.
 */
const enough = 2
/** Other direct members that are asked for a circuit after the relays. Guess. */
const spare = 2
/** A relay that failed comes last for this time, ms. Guess. */
const failureTime = 60_000
/** Failures in memory. Guess: far more than relays that one node uses in a minute. */
const maxFailures = 1_024
/** Time for a dial within the own network, ms. Guess: far more than a handshake there takes. */
const nearTime = 1_000
/** Time for one circuit with its handshake, ms. Guess: a little less than `handshakeTimeout`. */
const circuitTime = 4_000

export interface PathsOptions {
  readonly self: NodeId
  readonly libp2p: Libp2p
  readonly dialer: Dialer
  readonly members: () => Iterable<Member>
  /** The addresses that this node announces. */
  readonly addresses: () => readonly Uint8Array[]
  readonly today: () => number
}

export class Paths {
  readonly #options: PathsOptions
  /** When relays failed last. */
  readonly #failures = new Map<NodeId, number>()

  constructor(options: PathsOptions) {
    this.#options = options
  }

  /** Opens a connection to a member, or reuses one. Throws {@link DialError}. */
  async connect(member: Member, signal?: AbortSignal): Promise<Connection> {
    const { dialer, addresses } = this.#options
    if (!this.needsRelay(member)) return await dialer.connect(member.id, member.addresses, signal)
    if (member.reach === 'direct') return await this.overRelay(member, signal)
    const own = addresses()
    const near = member.addresses.filter((address) => own.some((each) => isNearby(address, each)))
    if (near.length === 0) return await this.overRelay(member, signal)
    try {
      const time = AbortSignal.timeout(nearTime)
      return await dialer.connect(member.id, near, signal ? AbortSignal.any([signal, time]) : time)
    } catch {
      // In another network with the same addresses, somebody else may answer there.
      signal?.throwIfAborted()
      return await this.overRelay(member, signal)
    }
  }

  /**
   * Whether this node dials the member over relays: the member is hidden, or has no address that
   * this platform can dial.
   */
  needsRelay({ id, reach, addresses }: Member): boolean {
    return (
      reach !== 'direct' ||
      !addresses.some((address) => {
        const parsed = dialAddress(address, id)
        return parsed !== undefined && canDial(parsed)
      })
    )
  }

  /**
   * Opens a circuit over a relay of the member. Nobody believes a single relay about others: a
   * hidden member is silent if two of its three relays have no connection to it. This node may be
   * one of them. It is not silent if a relay says anything else, or if it can be dialled.
   */
  async overRelay({ id, reach }: Member, signal?: AbortSignal): Promise<Connection> {
    const { self, libp2p, dialer, members, today } = this.#options
    const relays = relaysOf(id, members(), today(), maxTried)
    /** The member keeps connections to these. */
    const chosen = relays.slice(0, relayCount)
    const reasons: string[] = []
    const missed = new Set<NodeId>(chosen.filter((relay) => relay.id === self).map((relay) => relay.id))
    let failure: DialFailure | undefined
    for (const relay of this.#inOrder(id, relays)) {
      signal?.throwIfAborted()
      try {
        if (!this.#isConnected(relay)) await dialer.connect(relay.id, relay.addresses, signal)
        const time = AbortSignal.timeout(circuitTime)
        return await libp2p.dial(circuitAddress(relay.id, id), { signal: signal ? AbortSignal.any([signal, time]) : time })
      } catch (error) {
        reasons.push(`over ${relay.id}: ${reasonOf(error)}`)
        if (!(error instanceof RelayRefusal)) this.#failed(relay.id)
        // A relay that is gone says nothing about others.
        if (!chosen.includes(relay) || !this.#isConnected(relay)) continue
        if (error instanceof RelayRefusal && error.isAbsent) missed.add(relay.id)
        else failure = error instanceof RelayRefusal && error.isUnanswered ? 'unresponsive' : (failure ?? 'failed')
      }
    }
    const isSilent = reach !== 'direct' && missed.size >= enough && failure === undefined
    const reason = reasons.length === 0 ? 'it is hidden, and nobody relays' : reasons.join('; ')
    throw new DialError(isSilent ? 'silent' : (failure ?? 'failed'), reason)
  }

  /**
   * Relays with a connection come first, and those that failed a moment ago come last. Two other
   * direct members follow: an attacker may have chosen its keys so that it runs all relays of a
   * member.
   */
  #inOrder(id: NodeId, relays: readonly Member[]): Member[] {
    const { self, members } = this.#options
    const cost = (relay: Member): number => (this.#hasFailed(relay.id) ? 2 : 0) + (this.#isConnected(relay) ? 0 : 1)
    const others = [...members()].filter((member) => member.reach === 'direct' && !relays.includes(member) && this.#isConnected(member))
    const all = [...relays.toSorted((a, b) => cost(a) - cost(b)), ...pickSome(Math.random, others, spare)]
    return all.filter((member) => member.id !== self && member.id !== id)
  }

  #isConnected({ id }: Member): boolean {
    return directConnections(this.#options.libp2p, id).length > 0
  }

  #failed(relay: NodeId): void {
    if (this.#failures.size >= maxFailures) this.#failures.clear()
    this.#failures.set(relay, performance.now())
  }

  #hasFailed(relay: NodeId): boolean {
    return performance.now() - (this.#failures.get(relay) ?? -Infinity) < failureTime
  }
}
