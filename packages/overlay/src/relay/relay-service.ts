/**
 * Relays circuits between two members that can't dial each other. A connection of a member is its
 * reservation: the relay opens a stream on it. `accounts.ts` bounds circuits, and bytes a second.
 */
import type { NodeId } from '@jel/protocol'
import type { Connection, Libp2p, Stream } from '@libp2p/interface'
import { asError } from '../base/errors.ts'
import { directConnections, isDirect, type CircuitProtocols } from '../circuits/circuit-transport.ts'
import { absent, unanswered } from '../circuits/relay-refusal.ts'
import { takeLine } from '../circuits/take-line.ts'
import { Accounts, type Account } from './accounts.ts'
import { inBackground, later } from '../base/timers.ts'

/** Time in which the other member must take the circuit, ms. Guess: a round trip on a busy host. */
const openTime = 2_000
/** Circuits of two members at a time, and streams of one connection. Guesses. */
const [maxOfPair, maxStreams] = [4, 64]
/** Bytes that may wait for a slow reader until its circuit ends. Guess: two read buffers. */
const maxWaiting = 8 * 1_048_576
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
  /** Connects to a member that can be dialled, for one that can't dial it itself. */
  readonly connect: (id: NodeId) => Promise<Target>
}

/** The connection to the other member, or the reason why there is none. */
export type Target = Connection | typeof absent | typeof unanswered

export class RelayService {
  readonly #options: RelayServiceOptions
  readonly #accounts = new Accounts()
  /** Circuits of each two members. */
  readonly #pairs = new Map<string, number>()

  constructor(options: RelayServiceOptions) {
    this.#options = options
  }

  async start(): Promise<void> {
    const { libp2p, protocols } = this.#options
    await libp2p.handle(protocols.relay, (stream, connection) => void this.#relay(stream, connection), {
      maxInboundStreams: maxStreams,
      maxOutboundStreams: maxStreams,
    })
  }

  /** The number of circuits that this node relays. */
  get circuits(): number {
    return this.#accounts.all.circuits
  }

  async #relay(stream: Stream, connection: Connection): Promise<void> {
    const from = connection.remotePeer.toString()
    try {
      if (!isDirect(connection) || !this.#options.isMember(from)) {
        refuse(stream, isDirect(connection) ? 'not a member' : 'no circuit over a circuit')
        return
      }
      const to = await takeLine(stream, longestLine, AbortSignal.timeout(openTime))
      const own = this.#accounts.of(connection)
      const pair = [from, to].toSorted().join(' ')
      if (from === to || !this.#options.isMember(to)) refuse(stream, absent)
      else if (isFull(own) || (this.#pairs.get(pair) ?? 0) >= maxOfPair) refuse(stream, 'full')
      else {
        // Counted before a dial: a request costs its sender next to nothing.
        this.#accounts.forgetSettled()
        using _ = this.#accounts.reserve(own)
        using __ = this.#reservePair(pair)
        await this.#join(stream, from, own, this.#connectionTo(to) ?? (await this.#options.connect(to)))
      }
    } catch (error) {
      stream.abort(asError(error))
    }
  }

  async #join(stream: Stream, from: NodeId, own: readonly Account[], target: Target): Promise<void> {
    if (typeof target === 'string') {
      refuse(stream, target)
      return
    }
    const theirs = this.#accounts.of(target)
    if (isFull(theirs)) {
      refuse(stream, 'full')
      return
    }
    using _ = this.#accounts.reserve(theirs.filter((account) => !own.includes(account)))
    let other: Stream | undefined
    try {
      const signal = AbortSignal.timeout(openTime)
      other = await target.newStream(this.#options.protocols.circuit, { signal })
      other.send(new TextEncoder().encode(`${from}\n`))
      if ((await takeLine(other, longestLine, signal)) !== 'ok') throw new Error('it does not take the circuit')
    } catch (error) {
      other?.abort(asError(error))
      // It has a connection, so it is not gone. Its process may stand still.
      refuse(stream, unanswered)
      return
    }
    try {
      stream.send(new TextEncoder().encode('ok\n'))
      await join([stream, other], [own, theirs])
      await Promise.all([stream, other].map(end))
    } catch (error) {
      for (const each of [stream, other]) each.abort(asError(error))
    }
  }

  /** Counts a circuit of two members until it is disposed of. */
  #reservePair(pair: string): Disposable {
    this.#pairs.set(pair, (this.#pairs.get(pair) ?? 0) + 1)
    return {
      [Symbol.dispose]: () => {
        const left = (this.#pairs.get(pair) ?? 1) - 1
        if (left === 0) this.#pairs.delete(pair)
        else this.#pairs.set(pair, left)
      },
    }
  }

  #connectionTo(id: NodeId): Connection | undefined {
    return directConnections(this.#options.libp2p, id).at(-1)
  }
}

function isFull(accounts: readonly Account[]): boolean {
  return accounts.some((account) => account.isFull)
}

/** Refuses a circuit. A peer that reads nothing, or goes on to send, keeps no stream here. */
function refuse(stream: Stream, problem: string): void {
  stream.addEventListener('message', () => stream.abort(new Error(problem)))
  later(() => stream.abort(new Error(problem)), closeTime)
  stream.send(new TextEncoder().encode(`${problem}\n`))
  stream.close().catch((error: unknown) => stream.abort(asError(error)))
}

/**
 * Passes bytes on in both directions until one end closes. Each end is paid for by the accounts of
 * the member that sends.
 */
async function join(ends: readonly [Stream, Stream], accounts: readonly [readonly Account[], readonly Account[]]): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const ended = new AbortController()
  let usedAt = performance.now()
  const idle = setInterval(() => performance.now() - usedAt > idleTime && resolve(), idleTime / 4)
  inBackground(idle)
  const used = (): void => void (usedAt = performance.now())
  const [one, other] = ends
  for (const each of ends) {
    each.maxWriteBufferLength = maxWaiting
    // A stream that has ended already raises no event.
    if (each.status !== 'open' || each.remoteWriteStatus !== 'writable') resolve()
  }
  pass(one, other, accounts[0], { used, over: resolve, ended: ended.signal })
  pass(other, one, accounts[1], { used, over: resolve, ended: ended.signal })
  await promise
  ended.abort()
  clearInterval(idle)
}

interface Passage {
  readonly used: () => void
  readonly over: () => void
  readonly ended: AbortSignal
}

function pass(from: Stream, to: Stream, accounts: readonly Account[], { used, over, ended }: Passage): void {
  let heldUntil = 0
  const mayGoOn = (): boolean => to.writeBufferLength === 0 && performance.now() >= heldUntil
  /** An error in a listener would end the process. The connection below a stream may have ended. */
  const attempt = (action: () => void): void => {
    try {
      action()
    } catch {
      over()
    }
  }
  const goOn = (): void => {
    if (!ended.aborted && from.status === 'open' && from.readStatus === 'paused' && mayGoOn()) attempt(() => from.resume())
  }
  const take = ({ data }: { readonly data: { readonly byteLength: number } }): void => {
    used()
    if (to.writeStatus !== 'writable') {
      over()
      return
    }
    attempt(() => to.send(data as Uint8Array))
    const time = Math.max(...accounts.map((account) => account.charge(data.byteLength)))
    if (time > 0) {
      heldUntil = performance.now() + time
      later(goOn, time + 1)
    }
    // In this turn, `resume` of the library would undo a pause.
    queueMicrotask(() => {
      if (!ended.aborted && from.status === 'open' && from.readStatus === 'readable' && !mayGoOn()) attempt(() => from.pause())
    })
  }
  from.addEventListener('message', take)
  // The library raises `drain` while bytes still wait.
  for (const event of ['drain', 'idle'] as const) to.addEventListener(event, goOn)
  for (const event of ['close', 'remoteCloseWrite'] as const) from.addEventListener(event, over)
  ended.addEventListener('abort', () => {
    from.removeEventListener('message', take)
    for (const event of ['drain', 'idle'] as const) to.removeEventListener(event, goOn)
    for (const event of ['close', 'remoteCloseWrite'] as const) from.removeEventListener(event, over)
  })
}

/** Sends the rest, and ends the stream in any case. */
async function end(stream: Stream): Promise<void> {
  const signal = AbortSignal.timeout(closeTime)
  await stream.close({ signal }).catch(() => {})
  if (stream.status !== 'closed') stream.abort(new Error('the circuit has ended'))
}
