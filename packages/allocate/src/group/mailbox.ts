import { COLLECTIVE_TAG } from './collectives.ts'

/**
 * If more bytes of one rank wait to be received, the next message of that rank waits at the sender.
 */
const MAX_UNREAD = 16 * 1_048_576

/** Bytes of memory of a message in addition to its content. A guess. */
const MESSAGE_BYTES = 200

/** A message of another rank. */
export interface Received {
  readonly from: number
  readonly tag: number
  readonly bytes: Uint8Array
}

interface Receiver {
  /** undefined: any */
  readonly from: number | undefined
  readonly tag: number | undefined
  readonly resolve: (message: Received) => void
  readonly reject: (error: Error) => void
}

/** The messages for one rank in one epoch, and its calls that wait for them. */
export class Mailbox {
  readonly #unread: Received[] = []
  readonly #bytes = new Map<number, number>()
  readonly #receivers: Receiver[] = []
  readonly #room = new Set<() => void>()
  #error: Error | undefined

  /** Takes a message. The promise waits until the program has read enough. */
  deliver(message: Received): Promise<void> | undefined {
    if (this.#error !== undefined) return undefined
    const at = this.#receivers.findIndex(({ from, tag }) => isFor(message, from, tag))
    const [receiver] = at === -1 ? [] : this.#receivers.splice(at, 1)
    if (receiver !== undefined) {
      receiver.resolve(message)
      return undefined
    }
    this.#unread.push(message)
    const bytes = (this.#bytes.get(message.from) ?? 0) + sizeOf(message)
    this.#bytes.set(message.from, bytes)
    return bytes > MAX_UNREAD ? this.#waitForRoom(message.from) : undefined
  }

  /** Returns the first message that has come and matches. */
  take(from: number | undefined, tag: number | undefined): Received | undefined {
    const at = this.#unread.findIndex((each) => isFor(each, from, tag))
    const [message] = at === -1 ? [] : this.#unread.splice(at, 1)
    if (message === undefined) return undefined
    this.#bytes.set(message.from, (this.#bytes.get(message.from) ?? 0) - sizeOf(message))
    for (const resolve of this.#room) resolve()
    return message
  }

  /** Waits for a message that matches. */
  async next(from: number | undefined, tag: number | undefined, signal?: AbortSignal): Promise<Received> {
    if (this.#error !== undefined) throw this.#error
    signal?.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<Received>()
    const receiver = { from, tag, resolve, reject }
    this.#receivers.push(receiver)
    const abort = (): void => {
      const index = this.#receivers.indexOf(receiver)
      if (index !== -1) this.#receivers.splice(index, 1)
      reject(signal?.reason as Error)
    }
    signal?.addEventListener('abort', abort, { once: true })
    return await promise.finally(() => signal?.removeEventListener('abort', abort))
  }

  /** Rejects all calls that wait. Later calls may wait again. */
  rejectAll(error: Error): void {
    for (const { reject } of this.#receivers.splice(0)) reject(error)
  }

  /** Takes no more messages, and drops the messages that came. */
  close(error: Error): void {
    this.#error ??= error
    this.rejectAll(error)
    this.#unread.length = 0
    for (const resolve of this.#room) resolve()
  }

  async #waitForRoom(from: number): Promise<void> {
    while (this.#error === undefined && (this.#bytes.get(from) ?? 0) > MAX_UNREAD) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#room.add(resolve)
      await promise
      this.#room.delete(resolve)
    }
  }
}

function sizeOf({ bytes }: Received): number {
  return bytes.length + MESSAGE_BYTES
}

/**
 * Whether a message is for a receiver. A receiver of any tag gets no messages of collective calls.
 */
function isFor(message: Received, from: number | undefined, tag: number | undefined): boolean {
  if (from !== undefined && from !== message.from) return false
  return tag === undefined ? message.tag < COLLECTIVE_TAG : tag === message.tag
}
