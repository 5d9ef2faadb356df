/**
 * Direct connections between two members behind NATs, in place of a circuit. Over the circuit each
 * end says at which address a relay sees it. Then both dial at the same time, as in DCUtR (libp2p's
 * specification, relay/DCUtR.md): one end measures a round trip, and waits for half of it after its
 * last word. If that fails, the circuit stays.
 */
import { pickSome, type Member, type NodeId } from '@jel/protocol'
import type { Connection, Stream } from '@libp2p/interface'
import { CODE_P2P, multiaddr, type Multiaddr } from '@multiformats/multiaddr'
import { canDial } from '#platform/network'
import { dialAddress, hostOf, isPublic } from '../base/addresses.ts'
import { asError } from '../base/errors.ts'
import { later, pause } from '../base/timers.ts'
import { TurnTimeout } from '../base/turn-timeout.ts'
import { directConnections, isDirect } from '../circuits/circuit-transport.ts'
import { takeLine } from '../circuits/take-line.ts'
import type { Host } from '../host/host.ts'
import { TokenBucket } from '../host/token-bucket.ts'
import type { HolePunching } from '../platform/types.ts'

/** A circuit must last for this time first, ms. Guess: many serve a single stream. */
export const punchDelay = 2_000
/** Time to agree, ms, and time for one dial. Guesses: some round trips of half a second. */
const [agreeTime, dialTime] = [5_000, 2_000]
/** Relays that are asked where they see this host, and time for their answers, ms. Guesses. */
const [maxAsked, seenTime] = [3, 1_000]
/**
 * The most dials after an agreement, or back to a member that can be dialled, and the pause between
 * two dials of an agreement, ms. Guesses: a refusal comes at once.
 */
const [maxDials, dialPause] = [3, 250]
/** Pauses after a success and a failure, ms. Guesses: routers seldom change. */
const [shortPause, longPause] = [10_000, 600_000]
/**
 * The number of peers whose pauses a node remembers. Guess: more than its circuits in ten minutes.
 */
const maxPeers = 1_024
/** Agreements a second. Guess: each costs a few dials. */
const perSecond = 2
/** Longest line: an IPv6 address and a port. */
const longestLine = 128

export interface HolePunchesOptions {
  readonly host: Pick<Host, 'libp2p' | 'seenBy' | 'punching'>
  readonly protocol: string
  readonly self: () => Member | undefined
  readonly find: (id: NodeId) => Member | undefined
  /** Called with each new direct connection that this node dialled. */
  readonly onConnected: (connection: Connection) => void
}

/** The address at which others see this host, and the local port behind it. */
interface Outside {
  readonly address: Multiaddr
  readonly port: number
}

export class HolePunches {
  readonly #options: HolePunchesOptions
  readonly #limiter = new TokenBucket(perSecond)
  /** When this node may agree with a peer again. */
  readonly #pauses = new Map<NodeId, number>()

  constructor(options: HolePunchesOptions) {
    this.#options = options
  }

  /** Starts to answer requests for hole punches, and to watch for new circuits. */
  async start(): Promise<void> {
    const { host, protocol } = this.#options
    const { punching } = host
    host.libp2p.addEventListener('connection:open', ({ detail }) => {
      if (isDirect(detail)) return
      if (detail.direction === 'inbound') later(() => void this.#dialBack(detail), punchDelay)
      // One of the two asks, or both would refuse each other.
      const isAsker = host.libp2p.peerId.toString() < detail.remotePeer.toString()
      if (punching !== undefined && isAsker) later(() => void this.#ask(punching, detail), punchDelay)
    })
    if (punching === undefined) return
    await host.libp2p.handle(protocol, (stream, connection) => void this.#answer(punching, stream, connection), {
      maxInboundStreams: 1,
      maxOutboundStreams: 1,
    })
  }

  /** A member that can be dialled could not dial this one. So this one dials. */
  async #dialBack(circuit: Connection): Promise<void> {
    const { host, self, find, onConnected } = this.#options
    const peer = circuit.remotePeer.toString()
    const member = find(peer)
    if (circuit.status !== 'open' || self()?.reach === 'direct' || member?.reach !== 'direct') return
    if (directConnections(host.libp2p, peer).length > 0 || this.#isPaused(peer)) return
    this.#pause(peer, longPause)
    for (const address of member.addresses.slice(0, maxDials)) {
      const parsed = dialAddress(address, peer)
      if (parsed === undefined || !canDial(parsed)) continue
      const timeout = new TurnTimeout(dialTime).begin()
      try {
        onConnected(await host.libp2p.dial(parsed, { force: true, signal: timeout.signal }))
        this.#pause(peer, shortPause)
        return
      } catch {
        // The circuit stays.
      } finally {
        timeout.end()
      }
    }
  }

  async #ask(punching: HolePunching, circuit: Connection): Promise<void> {
    const peer = circuit.remotePeer.toString()
    if (circuit.status !== 'open' || !this.#mayPunch(peer)) return
    let stream: Stream | undefined
    try {
      const signal = AbortSignal.timeout(agreeTime)
      const own = await this.#outside(punching)
      this.#pause(peer, longPause)
      stream = await circuit.newStream(this.#options.protocol, { signal })
      const theirs = await exchange(stream, own, signal)
      const began = performance.now()
      say(stream, 'sync')
      await takeLine(stream, longestLine, signal)
      const roundTrip = performance.now() - began
      say(stream, 'go')
      await pause(roundTrip / 2)
      await this.#dial(punching, theirs, own, 'outbound', peer)
      const [connection] = directConnections(this.#options.host.libp2p, peer)
      if (connection === undefined) return
      this.#pause(peer, shortPause)
      this.#options.onConnected(connection)
    } catch {
      // The circuit stays.
    } finally {
      stream?.abort(new Error('the agreement has ended'))
    }
  }

  async #answer(punching: HolePunching, stream: Stream, circuit: Connection): Promise<void> {
    const peer = circuit.remotePeer.toString()
    try {
      if (isDirect(circuit) || !this.#mayPunch(peer)) throw new Error('not now')
      const own = await this.#outside(punching)
      this.#pause(peer, longPause)
      const signal = AbortSignal.timeout(agreeTime)
      const theirs = await exchange(stream, own, signal)
      await takeLine(stream, longestLine, signal)
      say(stream, 'sync')
      await takeLine(stream, longestLine, signal)
      await this.#dial(punching, theirs, own, 'inbound', peer)
      if (directConnections(this.#options.host.libp2p, peer).length > 0) this.#pause(peer, shortPause)
    } catch (error) {
      stream.abort(asError(error))
    }
  }

  /** Both ends are hidden members, and have no direct connection. */
  #mayPunch(peer: NodeId): boolean {
    const { self, find, host } = this.#options
    if (self()?.reach !== 'hidden' || find(peer)?.reach !== 'hidden') return false
    if (this.#isPaused(peer) || directConnections(host.libp2p, peer).length > 0) return false
    return this.#limiter.spend()
  }

  #isPaused(peer: NodeId): boolean {
    return performance.now() < (this.#pauses.get(peer) ?? 0)
  }

  #pause(peer: NodeId, time: number): void {
    if (this.#pauses.size >= maxPeers) this.#pauses.clear()
    this.#pauses.set(peer, performance.now() + time)
  }

  /**
   * Asks relays at which address they see this host. One may lie, so the IP address that two see
   * comes first, and IPv4 before IPv6. Throws if none can say.
   */
  async #outside(punching: HolePunching): Promise<Outside> {
    const { host, find } = this.#options
    const relays = host.libp2p.getConnections().filter((connection) => {
      const isRelay = find(connection.remotePeer.toString())?.reach === 'direct'
      return isRelay && connection.status === 'open' && punching.portOf(connection) !== undefined
    })
    // Each has one voice, with any number of connections.
    const voices = [...new Map(relays.map((connection) => [connection.remotePeer.toString(), connection])).values()]
    const asked = voices.slice(-maxAsked).map(async (connection): Promise<Outside | undefined> => {
      const address = await host.seenBy(connection, AbortSignal.timeout(seenTime)).catch(() => undefined)
      return address !== undefined && isPublic(address) && canDial(address)
        ? { address, port: punching.portOf(connection) as number }
        : undefined
    })
    const seen = (await Promise.all(asked)).filter((each) => each !== undefined)
    const isSecond = (one: Outside): boolean => seen.some((other) => one !== other && hostOf(one.address) === hostOf(other.address))
    const isIPv6 = (one: Outside): boolean => hostOf(one.address)?.includes(':') === true
    const [outside] = pickSome(Math.random, seen, maxAsked).toSorted(
      (a, b) => Number(isSecond(b)) - Number(isSecond(a)) || Number(isIPv6(a)) - Number(isIPv6(b)),
    )
    if (outside === undefined) throw new Error('no relay sees this host')
    return outside
  }

  async #dial(punching: HolePunching, to: Multiaddr, { port }: Outside, direction: Connection['direction'], peer: NodeId): Promise<void> {
    for (let dial = 1; ; dial++) {
      // An abort after the dial would end the socket.
      const timeout = new TurnTimeout(dialTime).begin()
      try {
        await punching.dial(to.encapsulate(`/p2p/${peer}`), { from: port, direction, signal: timeout.signal })
        return
      } catch (error) {
        if (dial === maxDials || directConnections(this.#options.host.libp2p, peer).length > 0) throw error
        await pause(dialPause)
      } finally {
        timeout.end()
      }
    }
  }
}

/** Says the own address, and returns that of the other end. */
async function exchange(stream: Stream, { address }: Outside, signal: AbortSignal): Promise<Multiaddr> {
  say(stream, address.decapsulateCode(CODE_P2P).toString())
  const theirs = multiaddr(await takeLine(stream, longestLine, signal))
  // A private address would mean a host of this network.
  const isPlain = theirs.getComponents().every(({ code }) => code !== CODE_P2P)
  if (!isPublic(theirs) || !canDial(theirs) || !isPlain) throw new Error(`${theirs.toString()} is no address of a host behind a NAT`)
  return theirs
}

function say(stream: Stream, line: string): void {
  stream.send(new TextEncoder().encode(`${line}\n`))
}
