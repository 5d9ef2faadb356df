import type { Stream } from '@jel/jel'
import { FrameStream, inBackground, SendQueue, type Timer } from '@jel/overlay'
import { NUMBER_BYTES, numberOf, withNumber } from './numbered.ts'

/**
 * The pause before a broken stream is opened again, ms. The pause doubles from attempt to attempt,
 * up to the longest one. Guesses.
 */
const [FIRST_PAUSE, LONGEST_PAUSE] = [50, 1000]
/** The most bytes that may lack an acknowledgement, whether they were sent or not. A guess. */
const MAX_WAITING = 32 * 1_048_576
/**
 * The most bytes on a stream that lack an acknowledgement. A single message may be longer. A guess:
 * far below the 16 MiB at which a stream gives up a slow reader.
 */
const WINDOW = 4 * 1_048_576
/** A stream without messages for this time is closed, ms. A guess. */
const IDLE_TIME = 30_000

/** The member to which messages go. */
export interface Receiver {
  open(): Promise<Stream>
  /** Whether the stream stays open without messages. */
  isKept(): boolean
  /** Whether to open a stream again after this error. */
  mayOpenAgain(error: unknown): boolean
  /**
   * Called if `open` failed and `mayOpenAgain` returned false, or if too many bytes wait for the
   * receiver.
   */
  onFailed(error: Error): void
}

/** The messages that one member has not acknowledged, and the stream to that member. */
export class Outbound {
  readonly #to: Receiver
  /** The name of this session. The first message of a session has the number 1. */
  readonly #session = crypto.randomUUID()
  readonly #unacknowledged: { readonly number: number; readonly frame: Uint8Array }[] = []
  #bytes = 0
  /** How many of the unacknowledged messages are on the present stream, and their bytes. */
  #sent = 0
  #sentBytes = 0
  /** The number of the last message. */
  #last = 0
  #stream: FrameStream | undefined
  #isOpening = false
  #isOver = false
  #pause = FIRST_PAUSE
  #retry: Timer | undefined
  #idle: Timer | undefined
  /** Called when the member has acknowledged something, and by `end`. */
  readonly #waiters = new Set<() => void>()

  constructor(to: Receiver) {
    this.#to = to
  }

  /** The bytes without an acknowledgement, whether they were sent or not. */
  get bytes(): number {
    return this.#bytes
  }

  get isEmpty(): boolean {
    return this.#unacknowledged.length === 0
  }

  send(message: Uint8Array): void {
    const number = ++this.#last
    const frame = withNumber(number, message)
    this.#unacknowledged.push({ number, frame })
    this.#bytes += frame.length
    if (this.#bytes > MAX_WAITING)
      this.#to.onFailed(new Error(`${this.#bytes} bytes wait for the member; at most ${MAX_WAITING} are allowed`))
    else if (this.#stream !== undefined) this.#pump()
    else this.open()
  }

  /** Opens a stream, unless one is open or about to be opened. */
  open(): void {
    if (this.#stream === undefined && !this.#isOpening && this.#retry === undefined) void this.#open()
  }

  /** Closes the stream after `IDLE_TIME` without messages, unless it must stay open. */
  rest(): void {
    clearTimeout(this.#idle)
    if (!this.isEmpty) return
    this.#idle = inBackground(
      setTimeout(() => {
        if (!this.isEmpty || this.#to.isKept()) return
        const stream = this.#stream
        this.#stream = undefined
        void stream?.close()
      }, IDLE_TIME),
    )
  }

  /** Resolves when the member has acknowledged something, or at a call of `end`. */
  async change(): Promise<void> {
    await new Promise<void>((resolve) => this.#waiters.add(resolve))
  }

  /** Closes the stream. Messages on the stream have a second to go out. All others are lost. */
  end(): void {
    this.#isOver = true
    clearTimeout(this.#retry)
    clearTimeout(this.#idle)
    this.#wake()
    void this.#stream?.close()
  }

  async #open(): Promise<void> {
    this.#isOpening = true
    this.#retry = undefined
    try {
      const stream = await this.#to.open()
      this.#isOpening = false
      if (this.#isOver) {
        stream.abort(new Error('the channel has ended'))
        return
      }
      const frames: FrameStream = new FrameStream(
        stream,
        { maxFrameBytes: NUMBER_BYTES, queue: new SendQueue() },
        {
          onFrame: (bytes) => this.#acknowledged(bytes),
          onEnd: () => {
            if (this.#stream !== frames) return
            this.#stream = undefined
            void frames.close()
            this.#openLater()
          },
        },
      )
      this.#stream = frames
      frames.send(new TextEncoder().encode(this.#session))
      this.#sent = 0
      this.#sentBytes = 0
      this.#pump()
      this.rest()
    } catch (error) {
      this.#isOpening = false
      if (this.#isOver) return
      if (this.#to.mayOpenAgain(error)) this.#openLater()
      else this.#to.onFailed(error as Error)
    }
  }

  #openLater(): void {
    if (this.#isOver || (this.isEmpty && !this.#to.isKept())) return
    this.#retry = inBackground(setTimeout(() => void this.#open(), this.#pause))
    this.#pause = Math.min(2 * this.#pause, LONGEST_PAUSE)
  }

  /** Puts the next messages on the stream, as far as `WINDOW` allows. */
  #pump(): void {
    for (let next = this.#unacknowledged[this.#sent]; next !== undefined; next = this.#unacknowledged[this.#sent]) {
      if (this.#sent > 0 && this.#sentBytes + next.frame.length > WINDOW) return
      this.#sent++
      this.#sentBytes += next.frame.length
      this.#stream?.send(next.frame)
    }
  }

  #acknowledged(bytes: Uint8Array): void {
    if (bytes.length !== NUMBER_BYTES) return
    const number = numberOf(bytes)
    this.#pause = FIRST_PAUSE
    for (let first = this.#unacknowledged[0]; first !== undefined && first.number <= number; first = this.#unacknowledged[0]) {
      // A member can't have a message that was not sent yet.
      if (this.#sent === 0) break
      this.#unacknowledged.shift()
      this.#sent--
      this.#sentBytes -= first.frame.length
      this.#bytes -= first.frame.length
    }
    this.#pump()
    this.#wake()
    this.rest()
  }

  #wake(): void {
    for (const resolve of this.#waiters) resolve()
    this.#waiters.clear()
  }
}
