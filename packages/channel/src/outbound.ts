import type { Stream } from '@jel/jel'
import { FrameStream, inBackground, SendQueue, type Timer } from '@jel/overlay'
import { NUMBER_BYTES, numberOf, withNumber } from './numbered.ts'

/**
 * A broken stream is opened again after this time, ms; it doubles up to the second one. Guesses.
 */
const [FIRST_PAUSE, LONGEST_PAUSE] = [50, 1000]
/** Bytes that may wait for a member, sent and not acknowledged ones included. A guess. */
const MAX_WAITING = 32 * 1_048_576
/**
 * Bytes that are on a stream and not acknowledged, unless one message has more. A guess: far below
 * the 16 MiB at which a stream gives up a slow reader.
 */
const WINDOW = 4 * 1_048_576
/** A channel without messages for this time closes its stream, ms. A guess. */
const IDLE_TIME = 30_000

/** The member to which messages go. */
export interface Receiver {
  open(): Promise<Stream>
  /** Its stream stays open without messages. */
  isKept(): boolean
  /** Whether another stream may help after this error. */
  mayOpenAgain(error: unknown): boolean
  /** It can't be reached, or takes nothing. */
  onFailed(error: Error): void
}

/** The messages to one member that it has not acknowledged, and the stream on which they go. */
export class Outbound {
  readonly #to: Receiver
  /** Names this channel. Its numbers begin at 1. */
  readonly #session = crypto.randomUUID()
  readonly #unacknowledged: { readonly number: number; readonly frame: Uint8Array }[] = []
  #bytes = 0
  /** The number of these messages that went to the present stream, and their bytes. */
  #sent = 0
  #sentBytes = 0
  #last = 0
  #stream: FrameStream | undefined
  #isOpening = false
  #isOver = false
  #pause = FIRST_PAUSE
  #retry: Timer | undefined
  #idle: Timer | undefined
  /** Wait until the member has acknowledged something. */
  readonly #waiters = new Set<() => void>()

  constructor(to: Receiver) {
    this.#to = to
  }

  /** The bytes that wait, sent and not acknowledged ones included. */
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
    if (this.#bytes > MAX_WAITING) this.#to.onFailed(new Error(`${this.#bytes} bytes wait for a member that takes nothing`))
    else if (this.#stream !== undefined) this.#pump()
    else this.open()
  }

  /** Opens a stream, unless there is one or soon will be. */
  open(): void {
    if (this.#stream === undefined && !this.#isOpening && this.#retry === undefined) void this.#open()
  }

  /** Closes the stream after a while without messages. */
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

  /** Resolves when the member has acknowledged something, or at the end. */
  async change(): Promise<void> {
    await new Promise<void>((resolve) => this.#waiters.add(resolve))
  }

  /** Messages that were sent before still go out, for at most a second. */
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
        stream.abort(new Error('its channel has ended'))
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

  /** Sends the next messages, as far as the window allows. */
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
      // An acknowledgement of what was not sent yet is a lie.
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
