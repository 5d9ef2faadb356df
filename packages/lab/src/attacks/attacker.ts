/**
 * A libp2p host that speaks the pool's protocols with hand-made frames. It sends the statements
 * that an attack gives it. Without an attack it sends only the hello, the join and the acks that
 * keep it in the pool.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { noise } from '@chainsafe/libp2p-noise'
import { yamux } from '@chainsafe/libp2p-yamux'
import { decodeFrames, encodeFrame, poolNames } from '@jel/overlay/internals'
import { wire, type Statement } from '@jel/protocol/internals'
import type { Connection, Stream } from '@libp2p/interface'
import { tcp } from '@libp2p/tcp'
import { multiaddr } from '@multiformats/multiaddr'
import { createLibp2p, type Libp2p } from 'libp2p'
import { soon } from '../base/wait.ts'
import { Sybil, told } from './sybil.ts'

/** Largest frame that the attacker reads, in bytes: larger than any honest frame. */
const readable = 1_048_576
/** Longest time for which the attacker tries to enter, ms: six handshakes that time out. */
const entryTimeout = 60_000

export class HostileLink {
  readonly connection: Connection
  readonly stream: Stream
  /**
   * Time (`performance.now`) at which the other side ended the link; undefined while the link is
   * up.
   */
  endedAt: number | undefined
  /** The reason in the other side's goodbye. */
  goodbye: string | undefined
  /** Called with each frame that arrives. */
  onFrame: (frame: wire.Frame) => void = () => {}

  constructor(connection: Connection, stream: Stream) {
    this.connection = connection
    this.stream = stream
    const end = (): void => {
      this.endedAt ??= performance.now()
    }
    stream.addEventListener('close', end)
    stream.addEventListener('remoteCloseWrite', end)
    connection.addEventListener('close', end)
    void this.#read(stream, true)
  }

  /** Adds the urgent stream of the same connection, which carries the probes. */
  addUrgent(stream: Stream): void {
    void this.#read(stream, false)
  }

  get isUp(): boolean {
    return this.endedAt === undefined && this.stream.status === 'open'
  }

  /** Sends a frame. Returns false if the stream takes no more bytes. */
  send(frame: wire.Frame): boolean {
    return this.sendBytes(wire.Frame.encode(frame))
  }

  /** Sends the joins, `batch` in a frame, with a pause of `pause` ms after each frame. */
  async tell(joins: readonly Statement[], batch: number, pause: number): Promise<void> {
    for (let i = 0; i < joins.length; i += batch) {
      this.send(told(joins.slice(i, i + batch), false))
      await sleep(pause)
    }
  }

  sendBytes(data: Uint8Array): boolean {
    return this.raw(encodeFrame(data))
  }

  /** Sends bytes without the length prefix of a frame. */
  raw(data: Uint8Array): boolean {
    if (this.stream.writeStatus !== 'writable') return false
    try {
      this.stream.send(data)
      return true
    } catch {
      return false
    }
  }

  /**
   * Waits until the stream has taken the sent bytes, the link has ended, or a second has passed.
   */
  async drained(): Promise<void> {
    if (!this.isUp) return
    const { promise, resolve } = Promise.withResolvers<void>()
    for (const event of ['drain', 'close'] as const) this.stream.addEventListener(event, () => resolve(), { once: true })
    await soon(1_000, undefined, promise)
  }

  async #read(stream: Stream, isNaming: boolean): Promise<void> {
    let isNamed = !isNaming
    try {
      for await (const bytes of decodeFrames(stream, readable)) {
        if (isNamed) this.#heard(wire.Frame.decode(bytes), stream)
        isNamed = true
      }
    } catch {
      // The other side ended the stream.
    }
  }

  #heard(frame: wire.Frame, stream: Stream): void {
    if (frame.probe !== undefined && stream.writeStatus === 'writable')
      stream.send(encodeFrame(wire.Frame.encode({ ack: { sequence: frame.probe.sequence, nextInMs: 2_000, heartbeat: 0 } })))
    if (frame.goodbye !== undefined) this.goodbye = frame.goodbye.reason
    this.onFrame(frame)
  }
}

export interface AttackerOptions {
  readonly sybil?: Sybil
}

export class Attacker {
  readonly sybil: Sybil
  /**
   * The links that this attacker opened. Members open further links to it. It does not attack over
   * those links. So the members have no reason to end them.
   */
  readonly links: HostileLink[] = []
  /** All links, also those that members opened. */
  readonly #taken: HostileLink[] = []
  readonly libp2p: Libp2p
  readonly #pool: string

  private constructor(pool: string, sybil: Sybil, libp2p: Libp2p) {
    this.#pool = pool
    this.sybil = sybil
    this.libp2p = libp2p
  }

  static async start(pool: string, { sybil = new Sybil(pool) }: AttackerOptions = {}): Promise<Attacker> {
    const libp2p = await createLibp2p({
      privateKey: sybil.privateKey,
      addresses: { listen: ['/ip4/127.0.0.1/tcp/0'] },
      transports: [tcp()],
      connectionEncrypters: [noise()],
      streamMuxers: [yamux({ enableKeepAlive: false })],
      connectionMonitor: { enabled: false },
    })
    const attacker = new Attacker(pool, sybil, libp2p)
    // The attacker uses links that members open like its own links.
    await libp2p.handle([...poolNames(pool).links], (stream, connection) => void attacker.#take(connection, stream), {
      maxInboundStreams: 64,
    })
    await libp2p.handle([...poolNames(pool).urgent], (stream, connection) => {
      attacker.#taken.find((link) => link.connection === connection)?.addUrgent(stream)
    })
    return attacker
  }

  /** Opens a connection without a link. */
  async connect(target: string): Promise<Connection> {
    return await this.libp2p.dial(multiaddr(target))
  }

  /** Opens a link. Sends a hello by default. */
  async link(target: string, { hello = true } = {}): Promise<HostileLink> {
    const connection = await this.connect(target)
    const link = this.#take(connection, await connection.newStream([...poolNames(this.#pool).links]), hello)
    this.links.push(link)
    return link
  }

  /**
   * Opens a link and joins the pool over it. On a busy machine a handshake may take longer than
   * either side waits. So the attacker tries again for a minute.
   */
  async enter(target: string): Promise<HostileLink> {
    const link = await this.#linkInTime(target)
    const addresses = this.libp2p.getMultiaddrs().map((address) => address.decapsulate('/p2p').bytes)
    link.send(told([this.sybil.joins(addresses)]))
    return link
  }

  async stop(): Promise<void> {
    await this.libp2p.stop()
  }

  async #linkInTime(target: string): Promise<HostileLink> {
    const started = performance.now()
    for (;;) {
      try {
        return await this.link(target)
      } catch (error) {
        if (performance.now() - started > entryTimeout) throw error
        await sleep(100)
      }
    }
  }

  #take(connection: Connection, stream: Stream, hello = true): HostileLink {
    const link = new HostileLink(connection, stream)
    this.#taken.push(link)
    link.raw(Uint8Array.of(8, 1, 2, 3, 4, 5, 6, 7, 8))
    if (hello) link.send({ hello: { known: 0, ended: false, incarnation: 1 } })
    return link
  }
}
