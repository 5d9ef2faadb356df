/**
 * A connection over a WebSocket, at either end. `abort()` ends the socket at once. That of
 * @libp2p/websockets 10.1 does not: it gives the close a code that no WebSocket accepts.
 */
import type { AbortOptions, MultiaddrConnection } from '@libp2p/interface'
import { AbstractMultiaddrConnection, type SendResult } from '@libp2p/utils'
import type { Multiaddr } from '@multiformats/multiaddr'
import type { Uint8ArrayList } from 'uint8arraylist'

/** Bytes of one message at most, at either end. Guess: a few messages of Noise. */
export const maxMessage = 262_144
/** A sender stops while so many bytes wait, and goes on when half of them are gone. Guess. */
const highWater = 1_048_576
/** Time in which the other end must answer a close, ms. Guess: that of TCP. */
const lingerTime = 5_000

/** The events of a socket. */
export interface SocketEvents {
  onData(data: Uint8Array): void
  /** Bytes have left. */
  onSent(): void
  onClose(): void
}

/** A WebSocket of a browser or of a server. */
export interface MessageSocket {
  /** Bytes that wait. */
  readonly waiting: number
  subscribe(events: SocketEvents): void
  send(data: Uint8Array): void
  /** Ends after the waiting bytes. */
  close(): void
  /** Ends at once, as far as the platform can. */
  destroy(): void
  /** Stops to read, as far as the platform can. */
  pause(): void
  resume(): void
}

export interface WebConnectionOptions {
  readonly remoteAddr: Multiaddr
  readonly direction: MultiaddrConnection['direction']
  readonly log: MultiaddrConnection['log']
}

export class WebConnection extends AbstractMultiaddrConnection {
  readonly #socket: MessageSocket
  readonly #closed = Promise.withResolvers<void>()

  constructor(socket: MessageSocket, options: WebConnectionOptions) {
    super({ ...options, log: options.log.newScope('web') })
    this.#socket = socket
    socket.subscribe({
      onData: (data) => {
        if (this.status === 'open') this.onData(data)
      },
      onSent: () => {
        if (this.writableNeedsDrain && socket.waiting <= highWater / 2) this.onMuxerDrain()
      },
      onClose: () => {
        this.#closed.resolve()
        this.onTransportClosed()
      },
    })
  }

  override sendData(data: Uint8ArrayList): SendResult {
    for (let at = 0; at < data.byteLength; at += maxMessage)
      this.#socket.send(data.subarray(at, Math.min(at + maxMessage, data.byteLength)))
    return { sentBytes: data.byteLength, canSendMore: this.#socket.waiting < highWater }
  }

  override async sendClose(options?: AbortOptions): Promise<void> {
    this.#socket.close()
    const timer = setTimeout(() => this.#end(), lingerTime)
    options?.signal?.addEventListener('abort', () => this.#end(), { once: true })
    await this.#closed.promise
    clearTimeout(timer)
  }

  override sendReset(): void {
    this.#socket.destroy()
  }

  override sendPause(): void {
    this.#socket.pause()
  }

  override sendResume(): void {
    this.#socket.resume()
  }

  /** The other end does not answer the close. */
  #end(): void {
    this.#socket.destroy()
    this.#closed.resolve()
  }
}
