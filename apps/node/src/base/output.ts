import type { Writable } from 'node:stream'
import { codeOf } from './usage-error.ts'

type LostReason = 'gone' | 'behind' | 'failed'

/**
 * Maximum number of bytes that may wait for a slow reader of standard output. A guess: far more
 * than any burst of events.
 */
const BACKLOG_LIMIT = 64 * 1024 * 1024

/**
 * Writes standard output, or a log, in whole lines. Writing never blocks the node: unread lines
 * wait in memory, up to a limit. `onLost` is called once, when the reader is gone (`EPIPE`) or too
 * far behind, or when the stream failed in another way, as on a full disk.
 */
export class Output {
  readonly #stream: Writable
  readonly #limit: number
  readonly #onLost: (reason: LostReason) => void
  #lost = false

  constructor(stream: Writable, onLost: (reason: LostReason) => void, limit = BACKLOG_LIMIT) {
    this.#stream = stream
    this.#limit = limit
    this.#onLost = onLost
    stream.on('error', (error) => this.#lose(codeOf(error) === 'EPIPE' ? 'gone' : 'failed'))
  }

  line(text: string): void {
    if (this.#lost) return
    this.#stream.write(`${text}\n`)
    this.check()
  }

  /** Checks whether the reader is too far behind. Callers may write to the stream themselves. */
  check(): void {
    if (this.#stream.writableLength > this.#limit) this.#lose('behind')
  }

  #lose(reason: LostReason): void {
    if (this.#lost) return
    this.#lost = true
    this.#onLost(reason)
  }
}

/** Watches whether all output of a command was written: a full disk must not look like success. */
export class OutputWatch {
  readonly #stream: NodeJS.WriteStream
  #error: Error | undefined

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream
    stream.on('error', (error: Error) => {
      this.#error ??= error
    })
  }

  /**
   * The reason why output was lost. A reader that went away (`EPIPE`) is no problem: `head` has all
   * it wanted.
   */
  get problem(): string | undefined {
    const error = this.#error ?? this.#stream.errored
    return !error || ('code' in error && error.code === 'EPIPE') ? undefined : error.message
  }
}

/**
 * Waits until all output so far is written, or can't be written, or the reader has taken nothing
 * for `limit` milliseconds. Default: no limit.
 */
export async function flushed(stream: NodeJS.WriteStream, limit?: number): Promise<void> {
  if (stream.writableLength === 0 || stream.destroyed) return
  const { promise, resolve } = Promise.withResolvers<void>()
  let left = stream.writableLength
  const look = (): void => {
    if (stream.writableLength >= left) resolve()
    left = stream.writableLength
  }
  const timer = limit === undefined ? undefined : setInterval(look, limit)
  // A stream that has failed may never call back.
  for (const end of ['error', 'close'] as const) stream.once(end, () => resolve())
  stream.write('', () => resolve())
  await promise
  clearInterval(timer)
}
