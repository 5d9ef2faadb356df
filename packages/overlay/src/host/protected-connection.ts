/**
 * A connection whose bytes are encrypted both ways.
 */
import type { AbortOptions, MultiaddrConnection } from '@libp2p/interface'
import { AbstractMultiaddrConnection, type SendResult } from '@libp2p/utils'
import { Uint8ArrayList } from 'uint8arraylist'
import type { StreamCipher } from '../platform/types.ts'
import { createCipher } from '#platform/cipher'

/**
 * Bytes encrypted at once. All ciphers share one memory of 640 KiB. A larger input makes the memory
 * grow. Then each use of an older cipher makes it grow again, up to the limit of 64 MiB (xsalsa20
 * 1.2: two connections that write 3 MB in turn reach it, measured). Inputs of this size never make
 * it grow.
 */
const pieceBytes = 65_536

export class Cipher {
  #cipher: StreamCipher | undefined

  constructor(nonce: Uint8Array, secret: Uint8Array) {
    this.#cipher = createCipher(nonce, secret)
  }

  /** Encrypts or decrypts. Returns nothing after the end. */
  update(input: Uint8Array): Uint8Array {
    const output = new Uint8Array(this.#cipher === undefined ? 0 : input.length)
    for (let at = 0; at < output.length; at += pieceBytes) {
      const piece = input.subarray(at, at + pieceBytes)
      output.set((this.#cipher as StreamCipher).update(piece), at)
    }
    return output
  }

  /** Frees the memory of the cipher. */
  end(): void {
    this.#cipher?.finalize()
    this.#cipher = undefined
  }
}

export class ProtectedConnection extends AbstractMultiaddrConnection {
  readonly #connection: MultiaddrConnection
  readonly #outbound: Cipher

  constructor(connection: MultiaddrConnection, inbound: Cipher, outbound: Cipher) {
    const { remoteAddr, direction, log } = connection
    super({ remoteAddr, direction, log: log.newScope('protected') })
    this.#connection = connection
    this.#outbound = outbound
    connection.addEventListener('message', ({ data }) => {
      for (const piece of data instanceof Uint8Array ? [data] : data) this.onData(inbound.update(piece))
    })
    connection.addEventListener('drain', () => this.onMuxerDrain())
    connection.addEventListener('close', ({ error, local }) => {
      // If the reader has paused, data from before the end may still have to be decrypted.
      if (connection.readBufferLength === 0) inbound.end()
      outbound.end()
      if (error === undefined) this.onTransportClosed()
      else if (local === true) this.abort(error)
      else this.onRemoteReset()
    })
  }

  override async sendClose(options?: AbortOptions): Promise<void> {
    await this.#connection.close(options)
  }

  override sendData(data: Uint8ArrayList): SendResult {
    const encrypted = new Uint8ArrayList()
    for (const piece of data) encrypted.append(this.#outbound.update(piece))
    return { sentBytes: data.byteLength, canSendMore: this.#connection.send(encrypted) }
  }

  override sendReset(error: Error): void {
    this.#connection.abort(error)
  }

  override sendPause(): void {
    this.#connection.pause()
  }

  override sendResume(): void {
    this.#connection.resume()
  }
}
