import type { Address, DialFailure, HostProbeOutcome, Milliseconds, NodeId } from '@jel/protocol'
import { addressKey, processKey } from './address.ts'
import { dialOverRelays, type Relay } from './circuit-dialling.ts'
import { weakest } from './dial-failure.ts'
import type { EventHandle, VirtualClock } from '@jel/machine'
import type { Endpoint } from './endpoint.ts'
import type { ConnectionUse } from './connection.ts'
import type { NetworkOptions } from './network-options.ts'
import type { Reachability } from './reachability.ts'
import { classNumber } from './traffic.ts'
import type { TransitTime } from './transit-time.ts'
import type { Transport } from './transport.ts'

/** The bytes of a SYN or its acknowledgement (IPv4 20, TCP 20, options 20), and of an RST. */
const synBytes = 60
const resetBytes = 40

const setUp = classNumber('set-up')

/** A kernel repeats an unanswered SYN at these times, ms (RFC 6298: one second, then doubled). */
const synRepeats = [1_000, 3_000, 7_000, 15_000]

/** The paths to a process. */
export interface Paths {
  readonly addresses: readonly Address[]
  /** The processes that relay for a process behind a NAT. Undefined: dial its addresses only. */
  readonly relays?: readonly Relay[]
}

interface Handshake {
  readonly dialer: Endpoint
  readonly target: Endpoint
  readonly relay: Endpoint | undefined
  readonly peer: NodeId | undefined
  readonly use: ConnectionUse
  readonly fail: (failure: DialFailure) => void
  timeout: EventHandle | undefined
  done: boolean
}

/** Opens connections, or reports why that fails. */
export class Dialling {
  readonly #clock: VirtualClock
  readonly #reachability: Reachability
  readonly #options: NetworkOptions
  readonly #transit: TransitTime
  readonly #transport: Transport
  /** The present or last listener at each address. */
  readonly #listeners = new Map<number, Endpoint>()
  /** The present or last process of each id. */
  readonly #processes = new Map<NodeId, Endpoint>()
  /** Handshakes that wait for a process to wake up or for a path to mend. */
  readonly #waiting = new Set<Handshake>()

  constructor(clock: VirtualClock, reachability: Reachability, options: NetworkOptions, transit: TransitTime, transport: Transport) {
    this.#clock = clock
    this.#reachability = reachability
    this.#options = options
    this.#transit = transit
    this.#transport = transport
  }

  /** Makes this process answer at that address of its machine, or stop answering. */
  listen(endpoint: Endpoint, process = endpoint.process, answers = true): void {
    const key = processKey(endpoint.machine.number, process)
    this.#processes.set(endpoint.id, endpoint)
    if (answers) this.#listeners.set(key, endpoint)
    else this.#listeners.delete(key)
  }

  /**
   * Tries the addresses in turn. For a process behind a NAT it tries only the addresses near the
   * dialer, then the relays. Calls `failed` once if nothing gives a connection.
   */
  dial(
    from: Endpoint,
    peer: NodeId | undefined,
    { addresses, relays }: Paths,
    use: ConnectionUse,
    failed: (failure: DialFailure) => void,
  ): void {
    if (relays === undefined || peer === undefined) {
      this.#dialAll(from, peer, addresses, use, failed)
      return
    }
    const overRelays = (): void => this.#dialOver(from, peer, relays, use, failed)
    const near = addresses.filter((address) => this.#isNear(from, address))
    if (near.length > 0) this.#dialAll(from, peer, near, use, overRelays)
    else overRelays()
  }

  /** Returns true if the address belongs to the network behind the same router. */
  #isNear(from: Endpoint, address: Address): boolean {
    const key = addressKey(address)
    const target = key === undefined ? undefined : this.#listeners.get(key)
    return target?.dialable === 'site' && target.dialableFrom(from)
  }

  #dialOver(from: Endpoint, peer: NodeId, relays: readonly Relay[], use: ConnectionUse, failed: (failure: DialFailure) => void): void {
    const { connectTimeout, dialTimeout } = this.#options
    dialOverRelays(
      { from, peer, relays, failed },
      {
        clock: this.#clock,
        reachability: this.#reachability,
        find: (id) => this.#processes.get(id),
        reach: (_, { id, addresses: [address] }, answered) => {
          if (address === undefined) answered(undefined)
          else
            this.#reach(from, address, connectTimeout, (relay) =>
              answered(typeof relay === 'object' && relay.listening && relay.id === id ? relay : undefined),
            )
        },
        shake: (target, relay, fail) =>
          this.#begin({ dialer: from, target, relay, peer, use, fail, timeout: undefined, done: false }, this.#clock.now + dialTimeout / 2),
      },
    )
  }

  #dialAll(
    from: Endpoint,
    peer: NodeId | undefined,
    addresses: readonly Address[],
    use: ConnectionUse,
    failed: (failure: DialFailure) => void,
  ): void {
    const failures: DialFailure[] = []
    const next = (): void => {
      const address = addresses[failures.length]
      if (address === undefined) {
        failed(weakest(failures))
        return
      }
      this.#dialOne(from, peer, address, use, (failure) => {
        failures.push(failure)
        next()
      })
    }
    // Never call back while the caller still carries out its effects.
    if (addresses.length > 0) next()
    else this.#clock.after(0, next)
  }

  #dialOne(from: Endpoint, peer: NodeId | undefined, address: Address, use: ConnectionUse, fail: (failure: DialFailure) => void): void {
    const deadline = this.#clock.now + this.#options.dialTimeout
    this.#reach(from, address, this.#options.connectTimeout, (target) => {
      if (target === undefined) fail('silent')
      else if (target === 'rejected' || !target.listening) fail('refused')
      else if (target === from) fail(peer === undefined || peer === from.id ? 'self' : 'impostor')
      else this.#begin({ dialer: from, target, relay: undefined, peer, use, fail, timeout: undefined, done: false }, deadline)
    })
  }

  #begin(handshake: Handshake, deadline: Milliseconds): void {
    this.#clock.at(this.#handshakeEnd(handshake), () => this.#shake(handshake))
    handshake.timeout = this.#clock.at(deadline, () => this.#end(handshake, 'unresponsive'))
  }

  /**
   * Simulates the round trips of the handshake, one journey after the other. The SYN and its answer
   * were the first two of the `setupDelays` journeys, so this begins with number 2. In its first
   * packet (number 2 or 3), each end sends its bytes, and spends its processor time.
   */
  #handshakeEnd({ dialer: from, target, relay }: Handshake): Milliseconds {
    const { setupDelays, setupBytes, costs } = this.#options
    let time = this.#clock.now
    for (let i = 2; i < setupDelays; i++) {
      const first = i < 4
      const [start, end] = i % 2 === 0 ? [from, target] : [target, from]
      const bytes = i % 2 === 0 ? setupBytes.dialler : setupBytes.listener
      const cost = i % 2 === 0 ? costs.accept : costs.dial
      if (relay !== undefined) time = this.#transit.journey(start, relay, first ? bytes : 0, 0, time)
      time = this.#transit.journey(relay ?? start, end, first ? bytes : 0, first ? cost : 0, time)
    }
    return time
  }

  /** Probes the addresses in turn, until one accepts. */
  probeHost(from: Endpoint, addresses: readonly Address[], done: (outcome: HostProbeOutcome) => void): void {
    let tried = 0
    let silent = false
    const next = (): void => {
      const address = addresses[tried++]
      if (address === undefined) {
        done(silent || addresses.length === 0 ? 'silent' : 'refused')
        return
      }
      this.#reach(from, address, this.#options.hostProbeTimeout, (target) => {
        if (typeof target === 'object' && target.listening) done('accepted')
        else {
          silent ||= target === undefined
          next()
        }
      })
    }
    if (addresses.length > 0) next()
    else this.#clock.after(0, next)
  }

  /** Continues handshakes that waited for this process. */
  woken(endpoint: Endpoint): void {
    for (const handshake of this.#waiting) {
      if ([handshake.dialer, handshake.target, handshake.relay].includes(endpoint)) this.#shake(handshake)
    }
  }

  /** Continues handshakes that waited for a path. */
  mended(): void {
    for (const handshake of this.#waiting) this.#shake(handshake)
  }

  /**
   * Sends a SYN and repeats it until one gets through, or until a firewall rejects one. Calls back
   * one round trip after that SYN was sent. Calls back with undefined when the time is up. Never
   * calls back if the dialer has ended.
   */
  #reach(from: Endpoint, address: Address, timeout: Milliseconds, answered: (target: Endpoint | 'rejected' | undefined) => void): void {
    const key = addressKey(address)
    const start = this.#clock.now
    let repeat = 0
    const attempt = (): void => {
      if (!from.listening) return
      const target = key === undefined ? undefined : this.#listeners.get(key)
      from.traffic.sent.add(setUp, synBytes)
      from.traffic.sent.headerBytes += synBytes
      if (target?.dialableFrom(from) === true && this.#reachability.rejects(from, target)) {
        const back = this.#transit.journey(target, from, resetBytes, 0, this.#transit.journey(from, target, synBytes, 0, this.#clock.now))
        const isInTime = back <= start + timeout
        if (isInTime) from.traffic.received.add(setUp, resetBytes)
        this.#clock.at(isInTime ? back : start + timeout, () => from.listening && answered(isInTime ? 'rejected' : undefined))
        return
      }
      if (target?.dialableFrom(from) === true && this.#reachability.joins(from, target)) {
        const cost = target.listening ? 0 : this.#options.costs.refused
        const back = this.#transit.journey(target, from, synBytes, cost, this.#transit.journey(from, target, synBytes, 0, this.#clock.now))
        if (back <= start + timeout) {
          const answer = target.listening ? synBytes : resetBytes
          target.traffic.received.add(setUp, synBytes)
          target.traffic.sent.add(setUp, answer)
          target.traffic.sent.headerBytes += answer
          from.traffic.received.add(setUp, answer)
          this.#clock.at(back, () => from.listening && answered(target))
          return
        }
      }
      const again = start + (synRepeats[repeat++] ?? Infinity)
      if (again < start + timeout) this.#clock.at(again, attempt)
      else this.#clock.at(start + timeout, () => from.listening && answered(undefined))
    }
    attempt()
  }

  #shake(handshake: Handshake): void {
    const { dialer, target, relay, peer, use } = handshake
    if (handshake.done) return
    if (!dialer.listening) this.#end(handshake)
    else if (!target.listening || relay?.listening === false) this.#end(handshake, 'failed')
    else if (!dialer.awake || !target.awake || relay?.awake === false || !this.#reachability.joins(dialer, target, relay))
      this.#waiting.add(handshake)
    else if (peer !== undefined && peer !== target.id) this.#end(handshake, 'impostor')
    else {
      this.#waiting.delete(handshake)
      this.#transport.connect(dialer, target, { established: () => this.#end(handshake), use, relay })
    }
  }

  /** Ends the handshake. Returns false if it had ended before. */
  #end(handshake: Handshake, failure?: DialFailure): boolean {
    if (handshake.done) return false
    handshake.done = true
    if (handshake.timeout !== undefined) this.#clock.cancel(handshake.timeout)
    this.#waiting.delete(handshake)
    if (failure !== undefined && handshake.dialer.listening) handshake.fail(failure)
    return true
  }
}
