import type { Proposal } from '../core/messages.ts'
import { LedgerBusyError, LedgerGapError } from '../errors.ts'
import type { LedgerEvent, Life } from '../fold/events.ts'
import { encode, toBase64 } from '../fold/bodies.ts'
import type { Propose } from './candidacies.ts'
import { pause } from '@jel/overlay'

/** The most messages of this member that wait for their place in the order. */
const MAX_WAITING = 64

/** A message that got no place is proposed again after this time, ms. A guess. */
const PAUSE = 20

/** A message that waits for its place. */
interface Waiting extends PromiseWithResolvers<number> {
  readonly name: string
  readonly payload: Uint8Array
  number: number
  isAsked: boolean
}

/**
 * The ordered messages of this member. The fold counts each message of a life once, in the order of
 * their numbers. So a message can be proposed as often as needed. Only the event of its entry says
 * that the message has its place.
 */
export class Orders {
  readonly #life: () => Life | undefined
  readonly #propose: Propose
  #waiting: Waiting[] = []
  #next = 1

  constructor(life: () => Life | undefined, propose: Propose) {
    this.#life = life
    this.#propose = propose
  }

  /**
   * @returns the index of the message's entry
   * @throws LedgerBusyError
   */
  async order(name: string, payload: Uint8Array): Promise<number> {
    if (this.#waiting.length >= MAX_WAITING)
      throw new LedgerBusyError(`${MAX_WAITING} messages of this member wait for their place in the ledger`)
    const waiting: Waiting = { name, payload, number: this.#next++, isAsked: false, ...Promise.withResolvers<number>() }
    this.#waiting.push(waiting)
    void this.#ask(waiting)
    return await waiting.promise
  }

  /** A message has its place. */
  take({ index, from: { id, incarnation } }: Extract<LedgerEvent, { type: 'ordered' }>): void {
    const life = this.#life()
    if (life?.id === id && life.incarnation === incarnation) this.#waiting.shift()?.resolve(index)
  }

  /** A new life of this member has joined. The numbers of its messages begin anew. */
  joined(): void {
    this.#number(0)
  }

  /**
   * A snapshot covers the messages of this life up to a number. Their indexes are unknown, so their
   * calls reject. The other messages get later numbers.
   */
  installed(last: number): void {
    for (const { number, reject } of this.#waiting)
      if (number <= last) reject(new LedgerGapError('the message has its place, but this member lagged and does not know its index'))
    this.#waiting = this.#waiting.filter(({ number }) => number > last)
    this.#number(last)
  }

  #number(last: number): void {
    this.#next = last + 1
    for (const waiting of this.#waiting) waiting.number = this.#next++
    for (const waiting of this.#waiting) void this.#ask(waiting)
  }

  close(error: Error): void {
    for (const { reject } of this.#waiting) reject(error)
    this.#waiting = []
  }

  async #ask(waiting: Waiting): Promise<void> {
    if (waiting.isAsked) return
    waiting.isAsked = true
    while (this.#waiting.includes(waiting) && this.#life() !== undefined) {
      try {
        await this.#propose(() => this.#entry(waiting))
      } catch {
        // Another ledger has begun. The message is proposed there.
      }
      // A message that still waits was committed before one with a smaller number, and did not
      // count.
      while (this.#waiting.includes(waiting)) {
        await pause(PAUSE, { background: true })
        if (this.#waiting[0] === waiting) break
      }
    }
    waiting.isAsked = false
  }

  /**
   * Returns undefined if the life has ended, or if the message has its place. It must not get a
   * second place.
   */
  #entry(waiting: Waiting): Proposal | undefined {
    const life = this.#life()
    if (life === undefined || !this.#waiting.includes(waiting)) return undefined
    const { name, payload, number } = waiting
    const { id, incarnation } = life
    return encode('order', { id, incarnation, number, name, payload: toBase64(payload) })
  }
}
