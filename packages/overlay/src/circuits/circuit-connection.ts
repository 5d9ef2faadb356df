import type { AbortOptions, MultiaddrConnection, Stream } from '@libp2p/interface'
import { AbstractMultiaddrConnection, type SendResult } from '@libp2p/utils'
import type { Multiaddr } from '@multiformats/multiaddr'
import type { Uint8ArrayList } from 'uint8arraylist'
import { asError } from '../base/errors.ts'

/** Time for the rest of the bytes when the other end has closed, ms. Guess. */
const closeTime = 1_000

/** A connection whose bytes pass a relay, on a stream to the relay. */
export class CircuitConnection extends AbstractMultiaddrConnection {
  readonly #stream: Stream

  constructor(stream: Stream, remoteAddr: Multiaddr, direction: MultiaddrConnection['direction']) {
    super({ remoteAddr, direction, log: stream.log.newScope('circuit') })
    this.#stream = stream
    stream.addEventListener('message', ({ data }) => this.onData(data))
    // The library raises `drain` while bytes still wait.
    for (const event of ['drain', 'idle'] as const)
      stream.addEventListener(event, () => {
        if (stream.writeBufferLength === 0) this.onMuxerDrain()
      })
    // Half of a circuit is of no use.
    stream.addEventListener('remoteCloseWrite', () => {
      this.onTransportClosed()
      stream.close({ signal: AbortSignal.timeout(closeTime) }).catch((error: unknown) => stream.abort(asError(error)))
    })
    stream.addEventListener('close', ({ error, local }) => {
      // The connection has ended already. The calls below would make the library report a second
      // end.
      if (this.status !== 'open' && this.status !== 'closing') return
      if (error === undefined) this.onTransportClosed()
      else if (local === true) this.abort(error)
      else this.onRemoteReset()
    })
  }

  override async sendClose(options?: AbortOptions): Promise<void> {
    await this.#stream.close(options)
  }

  override sendData(data: Uint8ArrayList): SendResult {
    return { sentBytes: data.byteLength, canSendMore: this.#stream.send(data) }
  }

  override sendReset(error: Error): void {
    this.#stream.abort(error)
  }

  override sendPause(): void {
    this.#whileOpen(() => this.#stream.pause())
  }

  override sendResume(): void {
    this.#whileOpen(() => this.#stream.resume())
  }

  /** The stream may end while this end still has bytes to read. */
  #whileOpen(action: () => void): void {
    try {
      action()
    } catch {
      this.onTransportClosed()
    }
  }
}
