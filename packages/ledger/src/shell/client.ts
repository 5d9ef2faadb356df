import { inBackground, type Timer } from '@jel/overlay'
import { MAX_PROPOSAL, type Answer, type Proposal, type Request } from '../core/messages.ts'
import type { Seat } from '../core/seat.ts'
import { oneOf } from './one-of.ts'

/**
 * A request without an answer goes to another voter after `TIMEOUT`, ms. The time doubles after
 * each such request, up to `MAX_TIMEOUT`. So repeated requests do not slow a slow pool down
 * further. The longest time is a guess.
 */
const [TIMEOUT, MAX_TIMEOUT] = [1000, 4000]
/**
 * The interval at which waiting calls are checked, and the pause before a repeated request, ms. A
 * guess.
 */
const PAUSE = 50
/** The most batches without an answer. A leader accepts eight requests of one member. A guess. */
const MAX_IN_FLIGHT = 4

export interface ClientOptions {
  /** Sends a request to a seat. */
  readonly send: (to: Seat, request: Request) => void
  /** The leader, as far as this member knows. */
  readonly leader: () => Seat | undefined
  /** Seats that may know the leader. This member's own seat may be among them. */
  readonly seats: () => readonly Seat[]
}

/** A call that waits: an entry to propose, or a read. */
interface Call extends PromiseWithResolvers<number> {
  /** Returns the entry each time that it is sent. Undefined for a read. */
  readonly entry: (() => Proposal | undefined) | undefined
}

/** Calls of one kind, which one request carries. */
interface Batch {
  readonly calls: readonly Call[]
  readonly sentAt: number
}

/**
 * Sends proposals and reads to the leader. Repeats a request until an answer comes. The request
 * goes to the leader that a voter names, or else to another voter. So an entry may be appended
 * twice. The fold applies it once.
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
  #closeReason: Error | undefined

  constructor(options: ClientOptions) {
    this.#options = options
  }

  /**
   * Proposes an entry. Entries of one batch keep their order. A batch that was refused as busy may
   * come after later ones.
   *
   * @param entry returns undefined if there is nothing to propose any more
   * @returns the index of the entry, or of a later committed one; 0 if nothing was proposed
   */
  async propose(entry: () => Proposal | undefined): Promise<number> {
    return await this.#add(entry)
  }

  /** Returns an index that is at least that of each entry committed before the call. */
  async read(): Promise<number> {
    return await this.#add(undefined)
  }

  /** A voter has answered. */
  take(from: Seat, answer: Answer): void {
    const batch = this.#inFlight.get(answer.number)
    // Answers of seats that were not asked are late, or false.
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
          // Other batches stay in flight: the leader may accept them.
          this.#inFlight.delete(answer.number)
          this.#waiting = [...batch.calls, ...this.#waiting]
          this.#notBefore = performance.now() + PAUSE
        } else {
          this.#inFlight.delete(answer.number)
          for (const { reject } of batch.calls) reject(new Error('the leader refuses the entry as invalid'))
        }
    }
  }

  /** This member's own seat, or the voter that it follows, reports a leader. */
  led(): void {
    const leader = this.#options.leader()
    if (leader === undefined || leader === this.#target) return
    this.#timeout = TIMEOUT
    this.#again(leader)
  }

  close(error: Error): void {
    this.#closeReason = error
    clearTimeout(this.#timer)
    for (const { reject } of [...this.#waiting, ...[...this.#inFlight.values()].flatMap(({ calls }) => calls)]) reject(error)
    this.#waiting = []
    this.#inFlight.clear()
  }

  async #add(entry: Call['entry']): Promise<number> {
    if (this.#closeReason !== undefined) throw this.#closeReason
    const call = { entry, ...Promise.withResolvers<number>() }
    this.#waiting.push(call)
    // Calls of the same turn of the event loop share a request.
    queueMicrotask(() => this.#send())
    return await call.promise
  }

  /** Sets the timer of the next check, if a call waits. */
  #schedule(): void {
    if (this.#timer !== undefined || this.#closeReason !== undefined || this.#waiting.length + this.#inFlight.size === 0) return
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

  /**
   * Puts the calls of all requests in flight back at the front of the queue. Sends them to this
   * seat, or to another one.
   */
  #again(target: Seat | undefined): void {
    const calls = [...this.#inFlight.values()].flatMap((batch) => batch.calls)
    this.#inFlight.clear()
    this.#waiting = [...calls, ...this.#waiting]
    this.#target = target ?? this.#other()
    this.#notBefore = performance.now() + (target === undefined ? PAUSE : 0)
    this.#send()
  }

  /**
   * Returns the leader or any seat, but not the seat that was asked last: it may not lead any more.
   */
  #other(): Seat | undefined {
    const last = this.#target
    const leader = this.#options.leader()
    return leader !== undefined && leader !== last ? leader : oneOf(this.#options.seats().filter((seat) => seat !== last))
  }

  #send(): void {
    if (this.#closeReason !== undefined) return
    this.#schedule()
    // This member's own seat may answer within this loop. A refusal moves `#notBefore`.
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
