import type { Stream } from '@jel/jel'
import { readLines, type Line } from '../base/lines.ts'
import { MESSAGE_LIMIT, ORDER_TIMEOUT } from './order.ts'

/** A stream of JSON messages, one a line. It ends by itself after the time of an order. */
export class MessageStream implements Disposable {
  readonly #stream: Stream
  readonly #lines: AsyncGenerator<Line, void>
  readonly #timer: NodeJS.Timeout

  constructor(stream: Stream) {
    this.#stream = stream
    this.#lines = readLines(piecesOf(stream), MESSAGE_LIMIT)
    this.#timer = setTimeout(() => this.abort(), ORDER_TIMEOUT).unref()
  }

  send(message: object): void {
    this.#stream.send(new TextEncoder().encode(`${JSON.stringify(message)}\n`))
  }

  /** Throws an Error if the stream ends, or sends anything else. */
  async receive(): Promise<unknown> {
    const { value } = await this.#lines.next()
    if (value === undefined) throw new Error('the stream ended before its message')
    if (!('text' in value)) throw new Error(`a message that is ${value.problem}`)
    try {
      return JSON.parse(value.text)
    } catch {
      // The reason of the parser would show a part of the text, which may be a key.
      throw new Error('a message that is not JSON')
    }
  }

  /** Ends both directions: later bytes of the other side would stay unread, and take memory. */
  async close(): Promise<void> {
    const signal = AbortSignal.timeout(ORDER_TIMEOUT)
    await this.#stream.close({ signal })
    await this.#stream.closeRead({ signal })
  }

  abort(): void {
    this.#stream.abort(new Error('an order that is not completed'))
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
  }
}

async function* piecesOf(stream: Stream): AsyncGenerator<Uint8Array, void> {
  for await (const piece of stream) yield piece.subarray()
}
