import { ChangesOverflowError } from '../errors.ts'
import type { Change } from './member.ts'

/**
 * Default for `changes({ limit })`: how many changes may wait for a slow reader. Guess. It must be
 * above 50,000: a view can hold 50,000 members and may arrive in one piece.
 */
export const DEFAULT_CHANGES_LIMIT = 65_536

/**
 * The queue between a pool and one reader of its changes, or of the answers to a query. The queue
 * starts with a snapshot, which does not count towards the limit. On overflow the queue ends with
 * an error, never with a silent gap.
 */
export class ChangeQueue<Item = Change> implements AsyncIterableIterator<Item, undefined> {
  #waiting: Item[]
  /**
   * Index of the next change to hand out. A read moves no other change: `#compact` cuts the array
   * once half of it is read.
   */
  #next = 0
  readonly #limit: number
  #snapshot: number
  readonly #readers: PromiseWithResolvers<IteratorResult<Item, undefined>>[] = []
  #end: { readonly error: Error } | 'done' | undefined
  #onEnd: (() => void) | undefined

  /** `onEnd` is called once, when the queue accepts no more changes. */
  constructor(snapshot: readonly Item[], limit: number, onEnd: () => void) {
    this.#waiting = [...snapshot]
    this.#snapshot = snapshot.length
    this.#limit = limit
    this.#onEnd = onEnd
  }

  push(change: Item): void {
    if (this.#end !== undefined) return
    const reader = this.#readers.shift()
    if (reader !== undefined) {
      reader.resolve({ done: false, value: change })
      return
    }
    const queued = this.#waiting.length - Math.max(this.#next, this.#snapshot)
    if (queued >= this.#limit) {
      this.fail(new ChangesOverflowError(this.#limit))
      return
    }
    this.#waiting.push(change)
  }

  /** Ends the iteration after the waiting changes have been read. */
  close(): void {
    this.#finish('done')
  }

  /** Discards the waiting changes. After a gap or a failure nobody should act on old changes. */
  fail(error: Error): void {
    if (this.#end !== undefined) return
    this.#discard()
    this.#finish({ error })
  }

  next(): Promise<IteratorResult<Item, undefined>> {
    const change = this.#waiting[this.#next]
    if (change !== undefined) {
      this.#next += 1
      this.#compact()
      return Promise.resolve({ done: false, value: change })
    }
    if (this.#end === undefined) {
      const reader = Promise.withResolvers<IteratorResult<Item, undefined>>()
      this.#readers.push(reader)
      return reader.promise
    }
    return this.#ended()
  }

  return(): Promise<IteratorResult<Item, undefined>> {
    this.#discard()
    this.#finish('done')
    this.#end = 'done'
    return Promise.resolve({ done: true, value: undefined })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return()
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  #finish(end: { readonly error: Error } | 'done'): void {
    if (this.#end !== undefined) return
    this.#end = end
    for (const reader of this.#readers.splice(0)) reader.resolve(this.#ended())
    this.#onEnd?.()
    this.#onEnd = undefined
  }

  /** Rejects with the error once. Later calls find the end of the iteration. */
  #ended(): Promise<IteratorResult<Item, undefined>> {
    const end = this.#end
    this.#end = 'done'
    if (end === 'done' || end === undefined) return Promise.resolve({ done: true, value: undefined })
    return Promise.reject(end.error)
  }

  #discard(): void {
    this.#waiting = []
    this.#next = 0
    this.#snapshot = 0
  }

  #compact(): void {
    if (this.#next < 1024 || this.#next * 2 < this.#waiting.length) return
    this.#waiting = this.#waiting.slice(this.#next)
    this.#snapshot = Math.max(0, this.#snapshot - this.#next)
    this.#next = 0
  }
}
