import { NUMBER_BYTES, numberOf } from './numbered.ts'

/** Above this number of senders, a receiver forgets those that are no members. A guess. */
const MAX_FORMER = 4096
/** The most bytes of the name of a session. A random UUID has 36 bytes. */
const MAX_SESSION = 64

/** The messages of a sender that have arrived. */
interface Received {
  readonly session: string
  /** The number of the last message that was passed to `onMessage`. */
  last: number
  /** The number up to which messages are acknowledged. */
  handled: number
  /** The handling that is under way. */
  busy: Promise<void> | undefined
}

/** The receiving half of the channels. It handles each message of a sender once and in order. */
export class Inbound {
  readonly #received = new Map<string, Received>()
  readonly #isMember: (id: string) => boolean
  readonly #onMessage: (from: string, message: Uint8Array) => void | Promise<void>
  /** With more senders than this, the senders that are no members are forgotten. */
  #most = MAX_FORMER

  constructor(isMember: (id: string) => boolean, onMessage: (from: string, message: Uint8Array) => void | Promise<void>) {
    this.#isMember = isMember
    this.#onMessage = onMessage
  }

  /** Returns the number of the last handled message of this sender. */
  handled(from: string): number {
    return this.#received.get(from)?.handled ?? 0
  }

  /** Takes the first frame of a stream, which is the name of the session. Returns the name. */
  begin(from: string, frame: Uint8Array): string {
    if (frame.length > MAX_SESSION) throw new Error(`the name of a session has ${frame.length} bytes; at most ${MAX_SESSION} are allowed`)
    const session = new TextDecoder().decode(frame)
    if (this.#received.get(from)?.session !== session) this.#received.set(from, { session, last: 0, handled: 0, busy: undefined })
    if (this.#received.size > this.#most) this.#forget(from)
    return session
  }

  /** Handles a message, unless it came before. Waits for the handling that is under way. */
  async take(from: string, session: string, frame: Uint8Array): Promise<void> {
    if (frame.length < NUMBER_BYTES) throw new Error(`a message of ${frame.length} bytes has no number`)
    // The handling of a message of an older stream may be under way.
    for (let busy = this.#received.get(from)?.busy; busy !== undefined; busy = this.#received.get(from)?.busy) await busy
    const received = this.#received.get(from)
    // Frames of an older session are dropped.
    if (received?.session !== session) return
    const number = numberOf(frame)
    if (number <= received.last) {
      // The message came before. It is acknowledged also if its handling failed. Otherwise the
      // sender would repeat it for ever.
      received.handled = Math.max(received.handled, number)
      return
    }
    if (number !== received.last + 1) throw new Error(`message ${number} came after ${received.last}`)
    received.last = number
    const handling = this.#onMessage(from, frame.subarray(NUMBER_BYTES))
    if (handling !== undefined) {
      received.busy = handling.finally(() => (received.busy = undefined))
      await received.busy
    }
    received.handled = number
  }

  /**
   * Forgets senders that are no members. The state of a member stays: without it `take` would drop
   * or reject the next message.
   */
  #forget(newest: string): void {
    for (const id of this.#received.keys()) if (id !== newest && !this.#isMember(id)) this.#received.delete(id)
    this.#most = Math.max(MAX_FORMER, 2 * this.#received.size)
  }
}
