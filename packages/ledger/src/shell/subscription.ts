import { FrameStream, inBackground, SendQueue, type Timer } from '@jel/overlay'
import { concat } from 'uint8arrays'
import { seatsOf } from '../core/configuration.ts'
import { idOf, type Seat } from '../core/seat.ts'
import { decodeValue, encodeValue } from '../wire/codec.ts'
import { MAX_FRAME, publication, type Publication, type Subscribe } from '../wire/frames.ts'
import type { Applied } from './applied.ts'
import { READER_HEARTBEAT, READ_PROTOCOL } from './publisher.ts'
import type { LedgerPort } from './port.ts'
import { oneOf } from './one-of.ts'
import type { StatedSeats } from './stated-seats.ts'

/**
 * A reader leaves a voter that was silent, or had no leader, for this long, ms: another voter may
 * have more entries. A guess: three heartbeats.
 */
const SUBSCRIPTION_TIMEOUT = 3 * READER_HEARTBEAT
/** After an attempt that failed, the next one begins after this time, ms. A guess. */
const RETRY = 200

export interface SubscriptionOptions {
  readonly port: Pick<LedgerPort, 'self' | 'open'>
  readonly seats: StatedSeats
  readonly ledger: string
  readonly applied: Applied
  /** Whether this member must follow a voter: no leader sends entries to its own seat. */
  readonly isNeeded: () => boolean
  /**
   * The followed voter reports this leader, or none. If `term` is undefined, this member follows
   * nobody.
   */
  readonly onLed: (term: number | undefined, leader: Seat | undefined) => void
  /** The followed voter has another history of this ledger. */
  readonly onForeign: (voter: string) => void
}

/** Follows one voter. Follows another one when the stream ends. */
export class Subscription {
  readonly #options: SubscriptionOptions
  #timer: Timer | undefined
  /** The voters that the last asked member named in its answer. */
  #named: readonly Seat[] = []
  #frames: FrameStream | undefined
  /** When the followed voter last said that it has a leader. */
  #ledAt = 0
  #isOpening = false
  #isClosed = false
  #parts: { readonly hash: string; readonly bytes: readonly Uint8Array[]; readonly received: number } | undefined

  constructor(options: SubscriptionOptions) {
    this.#options = options
  }

  /**
   * Begins or ends the subscription, as needed. Call it once a second, and when `isNeeded` may have
   * changed.
   */
  check(): void {
    if (this.#isClosed) return
    const isNeeded = this.#options.isNeeded()
    if (!isNeeded || performance.now() - this.#ledAt > SUBSCRIPTION_TIMEOUT) this.#end()
    if (!isNeeded) return
    if (this.#frames === undefined && !this.#isOpening) void this.#open()
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#end()
  }

  #end(): void {
    const frames = this.#frames
    if (frames === undefined) return
    this.#frames = undefined
    this.#parts = undefined
    this.#options.onLed(undefined, undefined)
    void frames.close()
  }

  #retry(): void {
    clearTimeout(this.#timer)
    if (!this.#isClosed) this.#timer = inBackground(setTimeout(() => this.check(), RETRY))
  }

  async #open(): Promise<void> {
    const { port, ledger, applied } = this.#options
    const choice = this.#choose()
    if (choice === undefined) {
      this.#retry()
      return
    }
    const { id, signer } = choice
    this.#isOpening = true
    try {
      const stream = await port.open(id, READ_PROTOCOL)
      const frames: FrameStream = new FrameStream(
        stream,
        { maxFrameBytes: MAX_FRAME, queue: new SendQueue() },
        {
          onFrame: (bytes) => {
            if (this.#frames !== frames || this.#take(id, signer, decodeValue(publication, bytes))) return
            this.#end()
            this.#retry()
          },
          onEnd: () => {
            frames.abort(new Error('the stream has ended'))
            if (this.#frames !== frames) return
            this.#end()
            this.#retry()
          },
        },
      )
      this.#frames = frames
      this.#ledAt = performance.now()
      const { index, hash } = applied.end
      frames.send(encodeValue({ ledger, index, hash } satisfies Subscribe))
      if (this.#isClosed) this.#end()
    } catch {
      this.#retry()
    } finally {
      this.#isOpening = false
    }
  }

  /**
   * Chooses a seat at random: a voter of the entries that this member has read, else a named voter,
   * else any seat. If none of the known voters is left, all of them may have been replaced. Then
   * `signer` is undefined, and pages of any seat count.
   */
  #choose(): { readonly id: string; readonly signer: Seat | undefined } | undefined {
    const { port, seats, applied } = this.#options
    const others = [...seats.all].filter((seat) => idOf(seat) !== port.self.id)
    const known = seatsOf(applied.end.voters).filter((seat) => others.includes(seat))
    const named = this.#named.filter((seat) => others.includes(seat))
    const chosen = oneOf(known) ?? oneOf(named) ?? oneOf(others)
    this.#named = []
    return chosen === undefined ? undefined : { id: idOf(chosen), signer: known.length > 0 ? chosen : undefined }
  }

  /** Handles a frame. Returns false if the stream must end. */
  #take(from: string, signer: Seat | undefined, frame: Publication | undefined): boolean {
    const { applied, onForeign, onLed } = this.#options
    switch (frame?.type) {
      case 'page':
        return applied.take(signer, frame)
      case 'snapshot':
        return this.#takePart(frame)
      case 'leader':
        if (frame.leader !== undefined) this.#ledAt = performance.now()
        onLed(frame.term, frame.leader)
        return true
      case 'elsewhere':
        this.#named = frame.seats
        return false
      case 'foreign':
        onForeign(from)
        return false
      case undefined:
        return false
    }
  }

  #takePart({ index, term, hash, configuration, offset, size, bytes }: Extract<Publication, { type: 'snapshot' }>): boolean {
    const { parts, received } =
      this.#parts?.hash === hash ? { parts: this.#parts.bytes, received: this.#parts.received } : { parts: [], received: 0 }
    if (offset !== received || received + bytes.length > size) return false
    this.#parts = { hash, bytes: [...parts, bytes], received: received + bytes.length }
    if (this.#parts.received < size) return true
    const state = concat([...this.#parts.bytes], size)
    this.#parts = undefined
    return this.#options.applied.install({ index, term, hash, configuration, state })
  }
}
