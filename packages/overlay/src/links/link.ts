/**
 * The link to one process of a peer. When both sides dial at the same time there are two streams or more, on connections of their own;
 * the protocol sees one link all the same.
 */
import { Uint8ArrayList } from 'uint8arraylist'
import type { Connection } from '@libp2p/interface'
import type { Channel } from './channel.ts'
import { encodePrefix } from './framing.ts'

/** Bytes that may wait for a slow reader. Guess: sixteen of the largest frames. */
const maxQueuedBytes = 4 * 1_048_576

export class Link {
  /** The process at the other end; undefined until it names itself. */
  instance: string | undefined
  readonly #channels: Channel[]
  readonly #onOverflow: (problem: string) => void
  #queue = new Uint8ArrayList()
  #flushing = false

  constructor(channel: Channel, onOverflow: (problem: string) => void) {
    this.#channels = [channel]
    this.#onOverflow = onOverflow
  }

  /** The oldest is written to, all are read from. */
  get channels(): readonly Channel[] {
    return this.#channels
  }

  get connections(): Connection[] {
    return this.#channels.map(({ connection }) => connection)
  }

  add(channel: Channel): void {
    this.#channels.push(channel)
  }

  remove(channel: Channel): void {
    const index = this.#channels.indexOf(channel)
    if (index >= 0) this.#channels.splice(index, 1)
  }

  /** Queues a frame. Everything that is sent within a tick leaves in one piece: headers and encryption cost more than small frames do. */
  send(data: Uint8Array): void {
    this.#queue.append(encodePrefix(data.length))
    this.#queue.append(data)
    const queued = this.#queue.byteLength + (this.#channels[0]?.waiting ?? 0)
    if (queued > maxQueuedBytes) {
      this.#onOverflow(`reads too slowly: ${queued} bytes wait for it; ${maxQueuedBytes} are allowed`)
      return
    }
    if (this.#flushing) return
    this.#flushing = true
    queueMicrotask(() => {
      this.#flushing = false
      this.flush()
    })
  }

  /** Hands over what is queued. `all`: leave it to the stream to hold back what the peer does not take. */
  flush(all = false): void {
    const [channel] = this.#channels
    if (!channel || (channel.isFull && !all) || this.#queue.byteLength === 0) return
    const data = this.#queue
    this.#queue = new Uint8ArrayList()
    channel.send(data)
  }
}
