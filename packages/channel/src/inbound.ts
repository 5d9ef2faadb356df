import { NUMBER_BYTES, numberOf } from './numbered.ts'

/** A receiver remembers so many senders that are no members any more. A guess. */
const MAX_FORMER = 4096
/** Bytes of the name of a session. A random UUID has 36. */
const MAX_SESSION = 64

/** The last messages of a sender. */
interface Received {
  readonly session: string
  last: number
  handled: number
  /** Set while a message is being handled. */
  busy: Promise<void> | undefined
}

/** The numbers of the messages that came, so that each is handled once and in order. */
export class Inbound {
  readonly #received = new Map<string, Received>()
  readonly #isMember: (id: string) => boolean
  readonly #onMessage: (from: string, message: Uint8Array) => void | Promise<void>
  /** With more senders than this it forgets those that are no members. */
  #most = MAX_FORMER

  constructor(isMember: (id: string) => boolean, onMessage: (from: string, message: Uint8Array) => void | Promise<void>) {
    this.#isMember = isMember
    this.#onMessage = onMessage
  }

  /** The last message of a sender that was handled. */
  handled(from: string): number {
    return this.#received.get(from)?.handled ?? 0
  }

  /** Takes the first frame of a stream: the name of its session. */
  begin(from: string, frame: Uint8Array): string {
    if (frame.length > MAX_SESSION) throw new Error(`the name of a session has at most ${MAX_SESSION} bytes`)
    const session = new TextDecoder().decode(frame)
    if (this.#received.get(from)?.session !== session) this.#received.set(from, { session, last: 0, handled: 0, busy: undefined })
    if (this.#received.size > this.#most) this.#forget(from)
    return session
  }

  /** Handles a message, unless it was handled before. The next one waits meanwhile. */
  async take(from: string, session: string, frame: Uint8Array): Promise<void> {
    if (frame.length < NUMBER_BYTES) throw new Error('a message has a number')
    // A message of an older stream may be in the middle of its handling.
    for (let busy = this.#received.get(from)?.busy; busy !== undefined; busy = this.#received.get(from)?.busy) await busy
    const received = this.#received.get(from)
    // An older stream of the sender may still have frames.
    if (received?.session !== session) return
    const number = numberOf(frame)
    if (number <= received.last) {
      // It was handled, or its handling failed: the sender must not repeat it for ever.
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
   * A member must not be forgotten: its next message would have a number that does not follow, or
   * no session.
   */
  #forget(newest: string): void {
    for (const id of this.#received.keys()) if (id !== newest && !this.#isMember(id)) this.#received.delete(id)
    this.#most = Math.max(MAX_FORMER, 2 * this.#received.size)
  }
}
