import { RowEncoder } from '../core/watch-messages.ts'
import type { Row } from '../core/row.ts'

/**
 * Rows that come within this time are sent together, ms. A guess: several attributes are measured
 * one after the other.
 */
const GATHER = 5
/** Characters of the rows of one frame. A guess: a row has at most 1.2 KB, a frame 128 KiB. */
const FRAME_LENGTH = 32_768
/**
 * A consumer that has this many unread bytes is slow. It gets only the latest values until it has
 * read all bytes. A guess.
 */
export const FULL_BYTES = 16_384
/** A producer checks at this interval whether a slow consumer has read all bytes, ms. A guess. */
const LOOK_AGAIN = 100

/** The way to the consumer of one watch: a stream, or a call in this process. */
export interface Outlet {
  send(message: object): void
  /** Bytes that the stream has not taken. */
  waiting(): number
  /** These bytes, and the bytes in the buffer of the stream. */
  held(): number
}

/** Sends the rows of one watch to its consumer, and notes when the consumer is slow. */
export class Consumer {
  readonly #outlet: Outlet
  readonly #onFlow: (isFull: boolean) => void
  readonly #encoder = new RowEncoder()
  #rows: unknown[] = []
  /** Runs until the rows are sent, and while the consumer is slow. A slow consumer gets no rows. */
  #timer: ReturnType<typeof setTimeout> | undefined

  /** @param onFlow called when the consumer is slow, and when it has read all */
  constructor(outlet: Outlet, onFlow: (isFull: boolean) => void) {
    this.#outlet = outlet
    this.#onFlow = onFlow
  }

  send(rows: readonly Row[]): void {
    this.#rows.push(...rows.map((row) => this.#encoder.encode(row)))
    this.#timer ??= setTimeout(() => this.#flush(), GATHER)
  }

  /** Bytes that this member keeps for the consumer. */
  get held(): number {
    return this.#outlet.held()
  }

  end(): void {
    clearTimeout(this.#timer)
  }

  #flush(): void {
    const rows = this.#rows
    this.#rows = []
    this.#timer = undefined
    for (const some of inFrames(rows)) this.#outlet.send({ rows: some })
    if (this.#outlet.waiting() < FULL_BYTES) return
    this.#onFlow(true)
    this.#timer = setTimeout(() => this.#look(), LOOK_AGAIN)
  }

  #look(): void {
    if (this.#outlet.waiting() > 0) {
      this.#timer = setTimeout(() => this.#look(), LOOK_AGAIN)
      return
    }
    this.#timer = undefined
    this.#onFlow(false)
  }
}

/** Divides rows into lists that are far shorter than the longest frame. */
function inFrames(rows: readonly unknown[]): unknown[][] {
  const frames: unknown[][] = []
  let size = Infinity
  for (const row of rows) {
    const length = JSON.stringify(row).length
    if (size + length > FRAME_LENGTH) {
      frames.push([])
      size = 0
    }
    frames.at(-1)?.push(row)
    size += length
  }
  return frames
}
