/**
 * The part of `node:net` that a libp2p host uses, within one process and on its (virtual) timers.
 * It replaces the real one, see `install.ts`.
 */
import { EventEmitter } from 'node:events'
import { Duplex } from 'node:stream'

// All other exports are the real ones: isIP, BlockList and the like.
export * from 'node:net'

/** The address of all hosts, and the first port that the network assigns. */
const loopbackAddress = '127.0.0.1'
const firstEphemeralPort = 40_000

interface Wire {
  /** One-way delay of the next packet, whole ms. */
  delay(): number
}

const wire: Wire & { bytes: number } = { delay: () => 1, bytes: 0 }
const servers = new Map<number, Server>()
let nextPort = firstEphemeralPort

/** Sets the delay of later packets. */
export function useDelay(delay: () => number): void {
  wire.delay = delay
}

/** Bytes that all sockets have written. */
export function bytesWritten(): number {
  return wire.bytes
}

/** Ends the listener at this port from one moment to the next. */
export function unlisten(port: number): void {
  servers.get(port)?.vanish()
}

interface ConnectOptions {
  readonly port: number
  readonly host?: string
}

class Socket extends Duplex {
  bytesWritten = 0
  connecting = true
  readonly remoteAddress = loopbackAddress
  remotePort: number | undefined
  localPort: number | undefined
  #peer: Socket | undefined
  #lastArrival = 0

  constructor() {
    super({ allowHalfOpen: false, autoDestroy: true, emitClose: true })
    this.cork() // until it is connected
  }

  connectTo({ port }: ConnectOptions): this {
    this.remotePort = port
    this.localPort = nextPort++
    setTimeout(() => {
      const server = servers.get(port)
      setTimeout(() => {
        if (this.destroyed) return
        if (server?.listening === true) this.#open(server)
        else this.destroy(Object.assign(new Error(`connect ECONNREFUSED ${loopbackAddress}:${port}`), { code: 'ECONNREFUSED' }))
      }, wire.delay())
    }, wire.delay())
    return this
  }

  #open(server: Server): void {
    const other = new Socket()
    other.remotePort = this.localPort
    other.localPort = this.remotePort
    this.#join(other)
    other.#join(this)
    this.#sendLater(() => {
      if (server.listening) server.emit('connection', other)
      else other.resetAndDestroy()
    })
    this.emit('connect')
    this.emit('ready')
  }

  #join(other: Socket): void {
    this.#peer = other
    this.connecting = false
    this.uncork()
  }

  override _read(): void {
    // Data is pushed as it arrives.
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#packet([chunk])
    done()
  }

  override _writev(chunks: readonly { readonly chunk: Buffer }[], done: () => void): void {
    this.#packet(chunks.map(({ chunk }) => chunk))
    done()
  }

  override _final(done: () => void): void {
    this.#sendLater((peer) => void peer.push(null))
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (!this.writableFinished) this.#sendLater((peer) => peer.#reset())
    done(error)
  }

  /** Destroys the socket after everything was written. */
  destroySoon(): void {
    if (this.writable) this.end()
    if (this.writableFinished) this.destroy()
    else this.once('finish', () => this.destroy())
  }

  resetAndDestroy(): this {
    return this.destroy()
  }

  #reset(): void {
    if (!this.destroyed) this.destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }))
  }

  #packet(chunks: readonly Buffer[]): void {
    const data = Buffer.concat(chunks)
    this.bytesWritten += data.length
    wire.bytes += data.length
    this.#sendLater((peer) => void (peer.destroyed || peer.push(data)))
  }

  /** Keeps packets in order. */
  #sendLater(arrive: (peer: Socket) => void): void {
    const peer = this.#peer
    if (peer === undefined) return
    const now = performance.now()
    this.#lastArrival = Math.max(this.#lastArrival, now + wire.delay())
    setTimeout(() => arrive(peer), this.#lastArrival - now)
  }

  setTimeout(): this {
    return this
  }

  setKeepAlive(): this {
    return this
  }

  setNoDelay(): this {
    return this
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }
}

class Server extends EventEmitter {
  listening = false
  maxConnections = Infinity
  #port = 0

  listen({ port }: { readonly port?: number }, done?: () => void): this {
    this.#port = port === undefined || port === 0 ? nextPort++ : port
    servers.set(this.#port, this)
    this.listening = true
    setImmediate(() => {
      this.emit('listening')
      done?.()
    })
    return this
  }

  address(): { address: string; family: string; port: number } | null {
    return this.listening ? { address: loopbackAddress, family: 'IPv4', port: this.#port } : null
  }

  vanish(): void {
    servers.delete(this.#port)
    this.listening = false
  }

  close(done?: () => void): this {
    this.vanish()
    setImmediate(() => {
      this.emit('close')
      done?.()
    })
    return this
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }
}

export function connect(options: ConnectOptions): Socket {
  return new Socket().connectTo(options)
}

export const createConnection = connect

export function createServer(_options: unknown, onConnection?: (socket: Socket) => void): Server {
  const server = new Server()
  const listener = typeof _options === 'function' ? (_options as (socket: Socket) => void) : onConnection
  if (listener !== undefined) server.on('connection', listener)
  return server
}

// oxlint-disable-next-line import/no-default-export -- as node:net has one
export default { connect, createConnection, createServer }
