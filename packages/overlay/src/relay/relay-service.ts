/**
 * Relays circuits between two members that can't dial each other. A connection of a member is its
 * reservation: the relay opens a stream on it. Bounded in circuits, and in bytes a second, for each
 * member and in all.
 */
import type { NodeId } from '@jel/protocol'
import type { Connection, Libp2p, Stream } from '@libp2p/interface'
import { asError } from '../base/errors.ts'
import { isDirect, type CircuitProtocols } from '../circuits/circuit-transport.ts'
import { takeLine } from '../circuits/take-line.ts'

/** Time in which the other member must take the circuit, ms. Guess: a round trip on a busy host. */
const openTime = 2_000
/** Circuits at a time: of all members, and of one member. Guesses. */
const [maxCircuits, maxOfMember] = [256, 64]
/** Bytes of one member: a second, and at once. Guesses: half of a line of 100 Mbit/s. */
const [bytesPerSecond, bytesAtOnce] = [6_000_000, 16_000_000]
/** A circuit without bytes ends after this time, ms. Guess: links carry probes far more often. */
const idleTime = 300_000
/** Time to send the rest when one end has closed, ms. Guess. */
const closeTime = 1_000
/** Longest line: an id. */
const longestLine = 128

export interface RelayServiceOptions {
  readonly libp2p: Libp2p
  readonly protocols: CircuitProtocols
  readonly isMember: (id: NodeId) => boolean
}

/** The use of a relay by one member. */
interface Account {
  circuits: number
  owed: number
  at: number
}

export class RelayService {
  readonly #options: RelayServiceOptions
  readonly #accounts = new Map<NodeId, Account>()
  #circuits = 0

  constructor(options: RelayServiceOptions) {
    this.#options = options
  }

  async start(): Promise<void> {
    const { libp2p, protocols } = this.#options
    await libp2p.handle(protocols.relay, (stream, connection) => void this.#relay(stream, connection), {
      maxInboundStreams: maxOfMember,
      maxOutboundStreams: maxOfMember,
    })
  }

  /** The number of circuits that this node relays. */
  get circuits(): number {
    return this.#circuits
  }

  async #relay(stream: Stream, connection: Connection): Promise<void> {
    const from = connection.remotePeer.toString()
    let other: Stream | undefined
    try {
      const signal = AbortSignal.timeout(openTime)
      const to = await takeLine(stream, longestLine, signal)
      const problem = this.#problem(from, to, connection)
      if (problem !== undefined) {
        stream.send(new TextEncoder().encode(`${problem}\n`))
        await stream.close()
        return
      }
      const accounts = [from, to].map((id) => this.#account(id))
      for (const account of accounts) account.circuits++
      this.#circuits++
      try {
        const target = this.#connectionTo(to) as Connection
        other = await target.newStream(this.#options.protocols.circuit, { signal })
        other.send(new TextEncoder().encode(`${from}\n`))
        if ((await takeLine(other, longestLine, signal)) !== 'ok') throw new Error('it does not take the circuit')
        stream.send(new TextEncoder().encode('ok\n'))
        await join(stream, other, (bytes) => Math.max(...accounts.map((account) => charge(account, bytes))))
      } finally {
        this.#circuits--
        for (const [index, account] of accounts.entries()) {
          account.circuits--
          if (account.circuits === 0) this.#accounts.delete([from, to][index] as NodeId)
        }
      }
    } catch (error) {
      for (const each of [stream, other]) each?.abort(asError(error))
    }
  }

  /** Returns the reason why there is no circuit. */
  #problem(from: NodeId, to: NodeId, connection: Connection): string | undefined {
    const { isMember } = this.#options
    if (!isDirect(connection)) return 'no circuit over a circuit'
    if (!isMember(from)) return 'not a member'
    if (from === to || !isMember(to) || this.#connectionTo(to) === undefined) return 'not here'
    const isFull = this.#circuits >= maxCircuits || [from, to].some((id) => (this.#accounts.get(id)?.circuits ?? 0) >= maxOfMember)
    return isFull ? 'full' : undefined
  }

  #connectionTo(id: NodeId): Connection | undefined {
    return this.#options.libp2p
      .getConnections()
      .findLast((each) => each.remotePeer.toString() === id && each.status === 'open' && isDirect(each))
  }

  #account(id: NodeId): Account {
    const known = this.#accounts.get(id) ?? { circuits: 0, owed: 0, at: performance.now() }
    this.#accounts.set(id, known)
    return known
  }
}

/** Returns the time for which a member must wait after these bytes, ms. */
function charge(account: Account, bytes: number): number {
  const now = performance.now()
  account.owed = Math.max(0, account.owed - ((now - account.at) / 1_000) * bytesPerSecond) + bytes
  account.at = now
  return Math.max(0, ((account.owed - bytesAtOnce) / bytesPerSecond) * 1_000)
}

/** Passes bytes on in both directions until one end closes. `wait`: see {@link charge}. */
async function join(one: Stream, other: Stream, wait: (bytes: number) => number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let usedAt = performance.now()
  const idle = setInterval(() => performance.now() - usedAt > idleTime && resolve(), idleTime / 4)
  idle.unref()
  const pass = (from: Stream, to: Stream): void => {
    let isHeld = false
    const goOn = (): void => {
      if (!isHeld && !to.writableNeedsDrain && from.readStatus === 'paused') from.resume()
    }
    from.addEventListener('message', ({ data }) => {
      usedAt = performance.now()
      if (to.writeStatus !== 'writable') {
        resolve()
        return
      }
      const hasRoom = to.send(data)
      const time = wait(data.byteLength)
      if (time > 0) {
        isHeld = true
        setTimeout(() => {
          isHeld = false
          goOn()
        }, time).unref()
      }
      if ((!hasRoom || isHeld) && from.readStatus === 'readable') from.pause()
    })
    to.addEventListener('drain', goOn)
    for (const event of ['close', 'remoteCloseWrite'] as const) from.addEventListener(event, () => resolve())
  }
  pass(one, other)
  pass(other, one)
  await promise
  clearInterval(idle)
  const end = async (stream: Stream): Promise<void> => {
    try {
      await stream.close({ signal: AbortSignal.timeout(closeTime) })
    } catch (error) {
      stream.abort(asError(error))
    }
  }
  await Promise.all([one, other].map(end))
}
