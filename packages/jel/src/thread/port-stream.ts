import { randomUUID } from 'node:crypto'
import type { MessagePort } from 'node:worker_threads'
import type { AbortOptions } from '@libp2p/interface'
import { defaultLogger } from '@libp2p/logger'
import { AbstractStream, type SendResult } from '@libp2p/utils'
import { raceSignal } from 'race-signal'
import { drained } from '../drain.ts'
import { fromFault, toFault } from './faults.ts'
import { STREAM_WINDOW, type Piece } from './messages.ts'

const log = defaultLogger().forComponent('jel:stream')

type Chunk = Parameters<AbstractStream['sendData']>[0]

/** The application's end of a stream whose connection is in another thread. */
export class PortStream extends AbstractStream {
  readonly #port: MessagePort
  readonly #finished = Promise.withResolvers<void>()
  /** Bytes sent that the other thread has not taken. */
  #sent = 0
  /** Bytes received while the stream was paused. Their sender waits for an acknowledgement. */
  #held = 0

  constructor(port: MessagePort, protocol: string, direction: 'inbound' | 'outbound') {
    super({ id: randomUUID(), protocol, direction, log })
    this.#port = port
    this.#finished.promise.catch(() => {})
    port.on('message', (piece: Piece) => this.#take(piece))
    port.on('close', () => this.#lost())
    this.addEventListener('close', () => {
      this.#finished.reject(new Error('the stream was closed'))
      port.close()
    })
  }

  sendData(data: Chunk): SendResult {
    const { byteLength } = data
    this.#sent += byteLength
    postData(this.#port, data)
    return { sentBytes: byteLength, canSendMore: this.#sent < STREAM_WINDOW }
  }

  override async onDrain({ signal }: AbortOptions = {}): Promise<void> {
    await drained(this, signal)
  }

  sendReset(error: Error): void {
    this.#post({ type: 'aborted', fault: toFault(error) })
  }

  sendPause(): void {
    // This end does not acknowledge data that arrives from now on. That stops the sender.
  }

  sendResume(): void {
    const bytes = this.#held
    this.#held = 0
    if (bytes > 0) this.#post({ type: 'taken', bytes })
  }

  async sendCloseWrite({ signal }: AbortOptions = {}): Promise<void> {
    signal?.throwIfAborted()
    this.#post({ type: 'end' })
    await raceSignal(this.#finished.promise, signal)
  }

  sendCloseRead(): Promise<void> {
    this.#post({ type: 'closedRead' })
    return Promise.resolve()
  }

  #take(piece: Piece): void {
    switch (piece.type) {
      case 'data': {
        const paused = this.readStatus === 'paused'
        this.onData(piece.data)
        if (paused) this.#held += piece.data.byteLength
        else this.#post({ type: 'taken', bytes: piece.data.byteLength })
        return
      }
      case 'taken':
        this.#sent -= piece.bytes
        if (this.#sent < STREAM_WINDOW && this.writableNeedsDrain) this.safeDispatchEvent('drain')
        return
      case 'finished':
        this.#finished.resolve()
        return
      case 'end':
        this.onRemoteCloseWrite()
        return
      case 'closedRead':
        this.onRemoteCloseRead()
        return
      case 'closed':
        this.onRemoteCloseWrite()
        this.onTransportClosed()
        return
      case 'aborted':
        if (piece.fault.name === 'StreamResetError') this.onRemoteReset()
        else this.abort(fromFault(piece.fault))
    }
  }

  #lost(): void {
    if (this.status === 'open' || this.status === 'closing') this.onTransportClosed(new Error('the thread of the pool has ended'))
  }

  #post(piece: Piece): void {
    this.#port.postMessage(piece)
  }
}

/**
 * Sends a copy of the chunk. The call transfers the copy's buffer. A view would take its whole
 * buffer along.
 */
export function postData(port: MessagePort, chunk: Chunk | Uint8Array): void {
  const data = new Uint8Array(chunk.subarray())
  port.postMessage({ type: 'data', data } satisfies Piece, [data.buffer])
}
