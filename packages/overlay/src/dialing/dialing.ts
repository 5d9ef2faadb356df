/**
 * Opens links: dials a peer and opens the stream. Reports a failure in the protocol's terms.
 */
import { canDial, probeAddress } from '#platform/network'
import type { Address, DialFailure, NodeId } from '@jel/protocol'
import type { Connection, Libp2p, Stream } from '@libp2p/interface'
import type { Multiaddr } from '@multiformats/multiaddr'
import { equals } from 'uint8arrays'
import { dialAddress } from '../base/addresses.ts'
import { reasonOf } from '../base/errors.ts'
import { TurnTimeout } from '../base/turn-timeout.ts'
import { connectTimeout, handshakeTimeout } from '../base/timeouts.ts'
import { connected } from '../host/upgrades.ts'
import { classify, explainLookup, isIntercepted, summarize, theirId } from './failures.ts'
import { hostProbeTimeout } from './host-probe.ts'

/** Addresses tried per peer. The protocol allows 8. */
const maxAddresses = 8

/** A dialler could not open a link. */
export class DialError extends Error {
  readonly failure: DialFailure

  constructor(failure: DialFailure, reason: string) {
    super(reason)
    this.failure = failure
  }
}

export interface DialerOptions {
  /** Protocol ids of the link, newest first. */
  readonly protocols: readonly string[]
  /** Whether this node has a pool key. */
  readonly keyed: boolean
  /** The addresses that the user gave. Default: none. */
  readonly given?: readonly Address[]
  /** Replaces {@link handshakeTimeout}, ms. */
  readonly timeout?: number
  /** Replaces {@link connectTimeout} if several addresses are tried, ms. */
  readonly raceTimeout?: number
}

interface Target {
  readonly address: Address
  readonly multiaddr: Multiaddr
}

export class Dialer {
  readonly #libp2p: Libp2p
  readonly #options: DialerOptions
  readonly #timeout: number
  readonly #stop = new AbortController()

  constructor(libp2p: Libp2p, options: DialerOptions) {
    this.#libp2p = libp2p
    this.#options = options
    this.#timeout = options.timeout ?? handshakeTimeout
  }

  /**
   * Returns a connection to a peer, or to any peer that answers if `peer` is undefined. Reuses an
   * existing connection. Throws {@link DialError}.
   */
  async connect(peer: NodeId | undefined, addresses: readonly Address[], signal?: AbortSignal): Promise<Connection> {
    const targets = addresses.slice(0, maxAddresses).flatMap((address): Target[] => {
      const parsed = dialAddress(address, peer)
      // Only the user may name records of addresses (dnsaddr). The records of a stranger may name
      // any number of others, and libp2p would look up all of them.
      const isUsable = parsed && (canDial(parsed) || peer === undefined || this.#isGiven(address))
      return isUsable === true ? [{ address, multiaddr: parsed }] : []
    })
    const [only] = targets
    if (!only) throw new DialError('failed', 'it has no address that can be dialled')
    return targets.length === 1 ? await this.#attempt(only, signal) : await this.#race(targets, signal)
  }

  /** Opens the stream of a link. Throws {@link DialError}. */
  async open(connection: Connection): Promise<Stream> {
    const timeout = new TurnTimeout(this.#timeout).begin()
    try {
      return await connection.newStream([...this.#options.protocols], { signal: AbortSignal.any([timeout.signal, this.#stop.signal]) })
    } catch (error) {
      const failure = timeout.isOver ? 'unresponsive' : 'failed'
      throw new DialError(failure, `${connection.remoteAddr.toString()}: ${this.#explainOpen(failure, error, connection)}`)
    } finally {
      timeout.end()
    }
  }

  /** Ends all dials. */
  stop(): void {
    this.#stop.abort()
  }

  #isGiven(address: Address): boolean {
    return this.#options.given?.some((each) => equals(each, address)) === true
  }

  /**
   * libp2p dials the addresses of a peer one after the other, and a silent address takes seconds.
   * So this method first probes all addresses. It dials an address that accepts while the other
   * probes are still pending.
   */
  async #race(targets: readonly Target[], signal: AbortSignal | undefined): Promise<Connection> {
    return await new Promise((resolve, reject) => {
      const failures: DialError[] = []
      const routeless = new Set<DialError>()
      const fail = (error: DialError, isRouteless = false): void => {
        failures.push(error)
        if (isRouteless) routeless.add(error)
        if (failures.length === targets.length) reject(combine(failures, routeless))
      }
      let isDone = false
      const attempt = async (target: Target): Promise<void> => {
        if (isDone) return
        try {
          resolve(await this.#attempt(target, signal))
          isDone = true
        } catch (error) {
          fail(error instanceof DialError ? error : new DialError('failed', reasonOf(error)))
        }
      }
      let attempts = Promise.resolve()
      for (const target of targets) {
        void probeAddress(target.address, this.#options.raceTimeout ?? connectTimeout).then((outcome) => {
          if (outcome === 'accepted') attempts = attempts.then(async () => await attempt(target))
          else if (outcome === 'unroutable') fail(new DialError('silent', `${target.multiaddr.toString()}: no route`), true)
          else fail(new DialError(outcome, this.#explain(target, outcome, undefined, false)))
        })
      }
    })
  }

  async #attempt(target: Target, signal: AbortSignal | undefined): Promise<Connection> {
    const timeout = new TurnTimeout(this.#timeout)
    let isConnected = false
    const signals = [timeout.signal, this.#stop.signal, ...(signal ? [signal] : [])]
    try {
      return await this.#libp2p.dial(target.multiaddr, {
        signal: AbortSignal.any(signals),
        onProgress: ({ type }) => {
          // A dial may wait for other dials to end. The wait shows nothing about the peer.
          if (type === 'dial-queue:start-dial') timeout.begin()
          else if ((type as string) === connected) isConnected = true
        },
      })
    } catch (error) {
      let failure = classify(error, timeout.isOver ? (isConnected ? 'unresponsive' : 'silent') : undefined)
      // A dial that timed out may have waited for this process, not for the peer.
      if (failure === 'silent' && (await probeAddress(target.address, hostProbeTimeout)) === 'accepted') failure = 'unresponsive'
      throw new DialError(failure, this.#explain(target, failure, error, isConnected))
    } finally {
      timeout.end()
    }
  }

  #explain({ multiaddr }: Target, failure: DialFailure, error: unknown, isConnected: boolean): string {
    const at = `${multiaddr.toString()}: `
    if (isIntercepted(error)) return `${at}this node does not allow it`
    if (failure === 'refused') return `${at}connection refused`
    if (failure === 'silent') return `${at}no answer`
    if (failure === 'impostor') return `${at}another node lives there now${theirId(error)}, or the id in the address is wrong`
    if (failure === 'self') return `${at}that is this node itself`
    const isAnswered = isConnected || failure === 'unresponsive'
    if (!isAnswered) return `${at}${explainLookup(multiaddr, error) ?? reasonOf(error)}`
    const what = failure === 'unresponsive' ? `nothing was said within ${this.#timeout} ms` : reasonOf(error)
    const hint = this.#options.keyed ? 'the other side may have another one or none' : 'the other side may require one'
    return `${at}connected, but the handshake failed (${what}); the pool key may be the reason: ${hint}`
  }

  #explainOpen(failure: DialFailure, error: unknown, { status }: Connection): string {
    if (failure === 'unresponsive') return `connected, but the link was not answered within ${this.#timeout} ms`
    if (!(error instanceof Error) || error.name !== 'UnsupportedProtocolError') {
      // A peer with an allow list learns the id of this node only in the handshake.
      return status === 'open'
        ? reasonOf(error)
        : `it ended the connection after the handshake (${reasonOf(error)}): it may not allow this node`
    }
    return `it does not speak ${this.#options.protocols.join(' or ')}: it belongs to another pool or runs another version`
  }
}

/** `routeless`: failures that count only if there are no others. */
function combine(failures: readonly DialError[], routeless: ReadonlySet<DialError>): DialError {
  const telling = failures.length > routeless.size ? failures.filter((each) => !routeless.has(each)) : failures
  return new DialError(summarize(telling.map(({ failure }) => failure)), failures.map(({ message }) => message).join('; '))
}
