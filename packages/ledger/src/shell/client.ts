import { inBackground, type Timer } from '@jel/overlay'
import { MAX_PROPOSAL, type Answer, type Proposal, type Request } from '../core/messages.ts'
import type { Seat } from '../core/seat.ts'
import { oneOf } from './one-of.ts'

/**
 * A request without an answer goes to another voter after this time, ms (LEDGER §4.2). After each
 * such request the next one has twice the time, up to the second figure, a guess: a pool that is
 * slow must not get more work.
 */
const [TIMEOUT, MAX_TIMEOUT] = [1000, 4000]
/** Pause before a refused request is sent again, ms. A guess. */
const PAUSE = 50
/** Batches that wait for an answer. A leader takes eight of one member. A guess. */
const MAX_IN_FLIGHT = 4

export interface ClientOptions {
  /** Sends a request to a seat. */
  readonly send: (to: Seat, request: Request) => void
  /** The leader, as far as this member knows. */
  readonly leader: () => Seat | undefined
  /** Seats that may know the leader, this member's own one included. */
  readonly seats: () => readonly Seat[]
}

/** A call that waits: an entry to propose, or a read. */
interface Call extends PromiseWithResolvers<number> {
  /** Undefined for a read. It is called each time that the entry is sent. */
  readonly entry: (() => Proposal | undefined) | undefined
}

/** Calls of one kind that are one request. */
interface Batch {
  readonly calls: readonly Call[]
  readonly sentAt: number
}

/**
 * Asks the leader to append entries, or how far the ledger is. It repeats a request until it is
 * answered: to the leader that a voter names, or to another voter. So an entry may be appended
 * twice. The fold takes it once.
 */
export class Client {
  readonly #options: ClientOptions
  #timer: Timer | undefined
  #waiting: Call[] = []
  readonly #inFlight = new Map<number, Batch>()
  #target: Seat | undefined
  #number = 0
  #timeout = TIMEOUT
  /** No request is sent before this time. */
  #notBefore = 0
  #isClosed: Error | undefined

  constructor(options: ClientOptions) {
    this.#options = options
  }

  /**
   * Proposes an entry. Entries of one member keep their order while one leader leads.
   *
   * @param entry undefined: there is nothing to propose any more
   * @returns an index of a committed entry that is not before it; 0 without an entry
   */
  async propose(entry: () => Proposal | undefined): Promise<number> {
    return await this.#add(entry)
  }

  /** Returns the index of an entry: all that was committed before the call is not behind it. */
  async read(): Promise<number> {
    return await this.#add(undefined)
  }

  /** A voter has answered. */
  take(from: Seat, answer: Answer): void {
    const batch = this.#inFlight.get(answer.number)
    // A late answer of another seat is of no use, and a false one changes nothing.
    if (batch === undefined || from !== this.#target) return
    switch (answer.type) {
      case 'proposed':
      case 'readAt':
        this.#inFlight.delete(answer.number)
        this.#timeout = TIMEOUT
        for (const { resolve } of batch.calls) resolve(answer.index)
        this.#send()
        return
      case 'redirected':
        this.#again(answer.leader === from ? undefined : answer.leader)
        return
      case 'refused':
        if (answer.reason === 'busy') {
          // The others of this member may be accepted.
          this.#inFlight.delete(answer.number)
          this.#waiting = [...batch.calls, ...this.#waiting]
          this.#notBefore = performance.now() + PAUSE
        } else {
          this.#inFlight.delete(answer.number)
          for (const { reject } of batch.calls) reject(new Error('the leader refuses the entry as invalid'))
        }
    }
  }

  /** The leader has changed, as this member's own seat says. */
  led(): void {
    const leader = this.#options.leader()
    if (leader === undefined || leader === this.#target) return
    this.#timeout = TIMEOUT
    this.#again(leader)
  }

  close(error: Error): void {
    this.#isClosed = error
    clearTimeout(this.#timer)
    for (const { reject } of [...this.#waiting, ...[...this.#inFlight.values()].flatMap(({ calls }) => calls)]) reject(error)
    this.#waiting = []
    this.#inFlight.clear()
  }

  async #add(entry: Call['entry']): Promise<number> {
    if (this.#isClosed !== undefined) throw this.#isClosed
    const call = { entry, ...Promise.withResolvers<number>() }
    this.#waiting.push(call)
    // Calls of the same turn travel together.
    queueMicrotask(() => this.#send())
    return await call.promise
  }

  /** Looks again soon, for as long as a call waits. */
  #schedule(): void {
    if (this.#timer !== undefined || this.#isClosed !== undefined || this.#waiting.length + this.#inFlight.size === 0) return
    this.#timer = inBackground(setTimeout(() => this.#check(), PAUSE))
  }

  #check(): void {
    this.#timer = undefined
    // Answers to other requests say nothing about one whose answer is lost.
    const isLate = [...this.#inFlight.values()].some(({ sentAt }) => performance.now() - sentAt > this.#timeout)
    if (isLate) {
      this.#timeout = Math.min(2 * this.#timeout, MAX_TIMEOUT)
      this.#again(undefined)
    } else this.#send()
  }

  /** Puts all that is on its way back in its place, and sends it to another seat. */
  #again(target: Seat | undefined): void {
    const calls = [...this.#inFlight.values()].flatMap((batch) => batch.calls)
    this.#inFlight.clear()
    this.#waiting = [...calls, ...this.#waiting]
    this.#target = target ?? this.#other()
    this.#notBefore = performance.now() + (target === undefined ? PAUSE : 0)
    this.#send()
  }

  /** The leader, or any seat, but not the one that was asked last: it may lead no more. */
  #other(): Seat | undefined {
    const last = this.#target
    const leader = this.#options.leader()
    return leader !== undefined && leader !== last ? leader : oneOf(this.#options.seats().filter((seat) => seat !== last))
  }

  #send(): void {
    if (this.#isClosed !== undefined) return
    this.#schedule()
    // This member's own seat answers at once, and may refuse.
    while (this.#waiting.length > 0 && this.#inFlight.size < MAX_IN_FLIGHT && performance.now() >= this.#notBefore) {
      const target = this.#target ?? this.#options.leader() ?? oneOf(this.#options.seats())
      if (target === undefined) return
      this.#target = target
      const [first] = this.#waiting
      const isRead = first?.entry === undefined
      // Calls of one kind, in their order.
      const end = this.#waiting.findIndex(({ entry }) => (entry === undefined) !== isRead)
      const calls = this.#waiting.slice(0, Math.min(end === -1 ? Infinity : end, isRead ? Infinity : MAX_PROPOSAL))
      this.#waiting = this.#waiting.slice(calls.length)
      const entries = calls.flatMap(({ entry, resolve }) => {
        const proposal = entry?.()
        if (entry !== undefined && proposal === undefined) resolve(0)
        return proposal ?? []
      })
      if (!isRead && entries.length === 0) continue
      const number = this.#number++
      this.#inFlight.set(number, { calls, sentAt: performance.now() })
      this.#options.send(target, isRead ? { type: 'read', number } : { type: 'propose', number, entries })
    }
  }
}
