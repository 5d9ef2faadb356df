import { callAll } from '@jel/overlay'
import type { Amounts, Milliseconds } from './core/calendar.ts'
import type { Token } from './core/fence.ts'
import type { LeaseRequest } from './core/lease-input.ts'
import type { GranterMessage, HolderMessage } from './core/messages.ts'
import { LeaseEndedError, LeaseError } from './errors.ts'

/** The granter must answer within this time, ms. A guess. */
const ANSWER_TIME = 5000
/**
 * If the stream ends without an answer, the holder asks again: this many times in all, after this
 * pause, ms. Guesses.
 */
const [ATTEMPTS, ASK_AGAIN] = [4, 300]

/**
 * A holder ends a lease after this share of the term. So the holder ends first even with a clock
 * that is slower by up to a hundredth. A guess: the rates of computers' clocks differ by a
 * thousandth at most. The time before the begin of the lease has no margin. With one, a short lease
 * far in advance would end before it begins.
 */
const HOLDER_SHARE = 0.99

/** The longest delay of `setTimeout`, ms. */
const MAX_TIMEOUT = 2 ** 31 - 1

/** The reasons for which a granter ends a lease, for the holder. */
const REASONS = { term: 'its term is over', released: 'it was released', gone: 'its granter took its holder for dead' } as const

/** A two-way connection to a granter. */
export interface Wire {
  send(message: HolderMessage): void
  close(): void
}

/**
 * Opens a connection. `onMessage` gets the messages of the granter; undefined: the connection has
 * ended.
 */
export type Connect = (onMessage: (message: GranterMessage | undefined) => void) => Promise<Wire>

/**
 * A promise of capacity by the member that owns it. The holder counts the term from its request.
 * The granter counts it from the arrival of the request. So the term of the holder ends first,
 * whatever the wall clocks of both show.
 */
export class Lease implements AsyncDisposable {
  readonly member: string
  readonly #asked: LeaseRequest
  readonly #connect: Connect
  readonly #end = new AbortController()
  readonly #listeners = new Set<(amounts: Amounts) => void>()
  #wire: Wire | undefined
  #last: Promise<void> = Promise.resolve()
  #waiting: { answer: (received: GranterMessage) => void; reject: (error: Error) => void } | undefined
  #token: Token | undefined
  #amounts: Amounts = {}
  #startsAt: Milliseconds = 0
  #endsAt: Milliseconds = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Runs while a change waits for background leases. At its end the larger amounts begin. */
  #change: ReturnType<typeof setTimeout> | undefined

  private constructor(member: string, asked: LeaseRequest, connect: Connect) {
    this.member = member
    this.#asked = asked
    this.#connect = connect
  }

  /** @internal */
  static async ask(member: string, asked: LeaseRequest, connect: Connect): Promise<Lease> {
    for (let attempt = 1; ; attempt++) {
      const lease = new Lease(member, asked, connect)
      try {
        await lease.#request(undefined)
        return lease
      } catch (error) {
        const hasEnded = lease.#wire === undefined
        // If the granter grants this request late, the lease must not last for its whole term.
        lease.#wire?.send({ release: true })
        lease.#wire?.close()
        // The granter may not have heard of this member yet. The same key means the same lease.
        if (attempt === ATTEMPTS || !hasEnded || !(error instanceof LeaseError)) throw error
        await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN))
      }
    }
  }

  /**
   * The name of this lease. No other lease ever has it. A `Fence` at the resource refuses older
   * tokens.
   */
  get token(): Token {
    return this.#token as Token
  }

  /** The amounts that this lease has now. Those of a background lease change. */
  get amounts(): Amounts {
    return this.#amounts
  }

  /** The time until the lease begins, ms. From then on its capacity may be used. */
  get startsIn(): Milliseconds {
    return Math.max(0, this.#startsAt - performance.now())
  }

  /** The time until the lease ends, ms. */
  get endsIn(): Milliseconds {
    return Math.max(0, this.#endsAt - performance.now())
  }

  /**
   * Aborts with LeaseEndedError when the lease ends. From then on the holder must not use the
   * capacity.
   */
  get signal(): AbortSignal {
    return this.#end.signal
  }

  /**
   * Calls a function when the amounts of the lease change. If the share of a background lease
   * becomes smaller, its holder has half a second to reduce its use. If the stream of such a lease
   * breaks, its amounts are empty at once.
   *
   * @returns a function that ends the calls
   */
  onChange(listener: (amounts: Amounts) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /**
   * Extends the lease, so that its granter keeps it for at least this time from now on, ms. The
   * holder ends it after 99 % of that time.
   *
   * @throws LeaseError if others have a lease of the capacity for that time; LeaseEndedError
   */
  async renew(time: Milliseconds): Promise<void> {
    await this.#request({ renew: time })
  }

  /**
   * Changes the amounts. If background leases must make room for them, the new amounts begin half a
   * second later. Until then `amounts` has the former ones.
   *
   * @throws LeaseError if the amounts do not fit: the lease stays as it was; LeaseEndedError
   */
  async change(amounts: Amounts): Promise<void> {
    await this.#request({ change: { ...amounts } })
  }

  /**
   * Gives the capacity back. Never rejects: if the granter does not answer, it ends the lease at
   * the end of its term.
   */
  async release(): Promise<void> {
    if (this.#end.signal.aborted) return
    await this.#request({ release: true }).catch(() => {})
    this.finish('it was released')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release()
  }

  /** @internal The granter is gone, or the allocator closes. */
  finish(reason: string): void {
    if (this.#end.signal.aborted) return
    clearTimeout(this.#timer)
    clearTimeout(this.#change)
    const error = new LeaseEndedError(`the lease of ${this.member} has ended: ${reason}`)
    this.#end.abort(error)
    this.#waiting?.reject(error)
    this.#wire?.close()
    this.#wire = undefined
  }

  /** Sends one request after the other, so that a release waits for the answer to a renewal. */
  async #request(message: HolderMessage | undefined): Promise<void> {
    const before = this.#last
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#last = promise
    try {
      await before
      await this.#send(message)
    } finally {
      resolve()
    }
  }

  /** Sends a message, and handles the answer of the granter. Undefined: only connects. */
  async #send(message: HolderMessage | undefined): Promise<void> {
    this.#end.signal.throwIfAborted()
    const begin = performance.now()
    if (this.#wire === undefined) {
      const wire = await this.#connect((received) => this.#take(received))
      // The lease may have ended meanwhile.
      if (this.#end.signal.aborted) wire.close()
      this.#end.signal.throwIfAborted()
      this.#wire = wire
      // The same key names the same lease, also over a new connection.
      const again = this.#token !== undefined
      await this.#ask({ ask: { ...this.#asked, ...(again && { again }) } }, begin)
    }
    if (message !== undefined) await this.#ask(message, performance.now())
  }

  /** @param asked the time from which the holder counts the term */
  async #ask(message: HolderMessage, asked: Milliseconds): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    // The answer counts at once, since a message about a share may come right after it.
    const answer = (received: GranterMessage): void => {
      try {
        this.#granted(received, asked)
        resolve()
      } catch (error) {
        reject(error)
      }
    }
    this.#waiting = { answer, reject }
    const timer = setTimeout(
      () => reject(new LeaseError('NO_ANSWER', `${this.member} did not answer within ${ANSWER_TIME} ms`)),
      ANSWER_TIME,
    )
    try {
      this.#wire?.send(message)
      await promise
    } finally {
      clearTimeout(timer)
      this.#waiting = undefined
    }
  }

  /** @param asked the time at which the holder sent its request */
  #granted(message: GranterMessage, asked: Milliseconds): void {
    if ('refused' in message && message.refused.code === 'NO_LEASE' && this.#token !== undefined) {
      this.finish('its granter does not know it any more')
      this.#end.signal.throwIfAborted()
    }
    if ('refused' in message) throw new LeaseError(message.refused.code, message.refused.message, message.refused.earliest)
    if (!('granted' in message)) throw new LeaseError('NO_ANSWER', `${this.member} sent a message that is no answer`)
    const { number, startsIn, endsIn, amounts } = message.granted
    const hasBegun = this.#token !== undefined && this.startsIn === 0
    // After a change `startsIn` may be the time until the new amounts of a running lease begin.
    const waits = hasBegun ? 0 : startsIn
    this.#token ??= { member: this.member, incarnation: message.incarnation, number }
    if (this.#token.number !== number || this.#token.incarnation !== message.incarnation) {
      this.finish('its granter has restarted')
      this.#end.signal.throwIfAborted()
    }
    clearTimeout(this.#change)
    if (hasBegun && startsIn > 0) this.#change = setTimeout(() => this.#changed(amounts), startsIn)
    else {
      this.#changed(amounts)
      this.#startsAt = performance.now() + startsIn
    }
    this.#endsAt = asked + waits + (endsIn - waits) * HOLDER_SHARE
    this.#arm()
  }

  /**
   * Sets the timer for the end. `setTimeout` waits for at most 24 days, so a longer term takes
   * several timers.
   */
  #arm(): void {
    clearTimeout(this.#timer)
    const left = this.#endsAt - performance.now()
    if (left > MAX_TIMEOUT) this.#timer = setTimeout(() => this.#arm(), MAX_TIMEOUT)
    else this.#timer = setTimeout(() => this.finish('its term is over'), left)
  }

  #take(message: GranterMessage | undefined): void {
    // A message may still come after the end, as the answer to a release does.
    if (this.#end.signal.aborted) return
    if (message === undefined) {
      this.#wire = undefined
      this.#waiting?.reject(new LeaseError('NO_ANSWER', `${this.member} ended the stream`))
      if (this.#asked.background && this.#token !== undefined) void this.#reconnect()
    } else if ('changed' in message) this.#changed(message.changed)
    else if ('ended' in message) this.finish(REASONS[message.ended])
    else this.#waiting?.answer(message)
  }

  /**
   * Connects again. A background lease has no share while its stream is broken: its holder would
   * not be told of a smaller share.
   */
  async #reconnect(): Promise<void> {
    this.#changed({})
    while (!this.#end.signal.aborted && this.#wire === undefined) {
      await this.#request(undefined).catch(() => {})
      if (this.#wire === undefined) await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN))
    }
  }

  #changed(amounts: Amounts): void {
    const names = new Set([...Object.keys(amounts), ...Object.keys(this.#amounts)])
    const isSame = [...names].every((name) => amounts[name] === this.#amounts[name])
    this.#amounts = amounts
    if (isSame) return
    callAll(this.#listeners, amounts)
  }
}
