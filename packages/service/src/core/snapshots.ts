import type { Milliseconds } from '@jel/machine'
import * as v from 'valibot'
import type { Snapshot } from './entry.ts'
import type { Reign } from './history.ts'
import type { ReplicaContext } from './replica-io.ts'
import { PIECE, snapshotContent, type ReplicaMessage } from './replica-messages.ts'
import { MAX_STATE_BYTES } from './state-size.ts'

/**
 * The longest snapshot, characters. Escapes make the text of a snapshot longer than its state and
 * its results.
 */
const MAX_LENGTH = 4 * MAX_STATE_BYTES
/** The number of pieces that are asked for at the same time. A guess: 2 MiB. */
const WINDOW = 8
/** The time for which a snapshot is kept after the last request for a piece, ms. A guess. */
const KEPT = 30_000
/** Members that ask for a snapshot within this time get the same one, ms. A guess. */
const SHARED = 1000
/** The most snapshots that a member gets within that time. A guess: two takeovers in a row. */
const BEGINS = 2

interface Sending {
  readonly text: string
  readonly seq: number
  readonly madeAt: Milliseconds
  until: Milliseconds
  /** The offset of the next piece. A receiver asks for each piece once. */
  next: number
}

type Piece = Extract<ReplicaMessage, { type: 'piece' }>

/** The snapshots that a replica sends. */
export class SnapshotSender {
  readonly #context: ReplicaContext
  readonly #sending = new Map<string, Sending>()
  /**
   * For each member, when its present interval of `SHARED` ms began, and how often it has asked in
   * it.
   */
  readonly #begun = new Map<string, { readonly at: Milliseconds; count: number }>()

  constructor(context: ReplicaContext) {
    this.#context = context
  }

  /** The last operation of the oldest snapshot in use. Infinity: no snapshot is in use. */
  get oldest(): number {
    return Math.min(...[...this.#sending.values()].map(({ seq }) => seq))
  }

  send(to: string, reign: Reign, offset: number): void {
    const context = this.#context
    if (offset === 0 && this.#mayBegin(to)) this.#sending.set(to, this.#make())
    const sending = this.#sending.get(to)
    if (sending === undefined || sending.next !== offset) return
    sending.next += PIECE
    sending.until = context.now + KEPT
    const text = sending.text.slice(offset, offset + PIECE)
    context.send(to, { type: 'piece', reign, offset, total: sending.text.length, text })
  }

  /** Ends a snapshot: the member has it, or is gone. */
  end(member: string): void {
    this.#sending.delete(member)
  }

  /** Whether `expire` must be called later. */
  get isWaiting(): boolean {
    return this.#sending.size > 0 || this.#begun.size > 0
  }

  expire(): void {
    const { now } = this.#context
    for (const [member, { until }] of this.#sending) if (until < now) this.#sending.delete(member)
    for (const [member, { at }] of this.#begun) if (at <= now - SHARED) this.#begun.delete(member)
  }

  /** Without this limit, a member that asks again and again would keep the primary busy. */
  #mayBegin(member: string): boolean {
    const { now } = this.#context
    const begun = this.#begun.get(member)
    if (begun === undefined || begun.at <= now - SHARED) this.#begun.set(member, { at: now, count: 1 })
    else if (++begun.count > BEGINS) return false
    return true
  }

  #make(): Sending {
    const { now, store, time } = this.#context
    const until = now + KEPT
    for (const each of this.#sending.values()) if (each.madeAt > now - SHARED) return { ...each, until, next: 0 }
    return { text: JSON.stringify(store.snapshot(time)), seq: store.seq, madeAt: now, until, next: 0 }
  }
}

/** A snapshot that a replica fetches from another replica. */
export class SnapshotFetch {
  readonly from: string
  readonly #context: ReplicaContext
  readonly #reign: Reign
  readonly #pieces: string[] = []
  #length = 0
  #asked = PIECE
  #total = Infinity
  #movedAt: Milliseconds

  constructor(context: ReplicaContext, from: string, reign: Reign) {
    this.#context = context
    this.from = from
    this.#reign = reign
    this.#movedAt = context.now
    context.send(from, { type: 'fetch', reign, offset: 0 })
  }

  /** Whether no piece came for this time, ms. */
  isStuck(time: Milliseconds): boolean {
    return this.#context.now - this.#movedAt > time
  }

  /**
   * Takes a piece. Returns the snapshot if this piece was the last one.
   *
   * @throws Error for an invalid piece
   */
  take({ offset, total, text }: Piece): Snapshot | undefined {
    // An earlier attempt asked for this piece.
    if (offset !== this.#length) return undefined
    if (total > MAX_LENGTH) throw new Error(`a snapshot has ${total} characters; at most ${MAX_LENGTH} are allowed`)
    if (this.#total !== Infinity && total !== this.#total) return undefined
    const length = Math.min(PIECE, total - offset)
    if (text.length !== length) throw new Error(`a piece of a snapshot has ${text.length} characters, and not ${length}`)
    this.#movedAt = this.#context.now
    this.#total = total
    this.#pieces.push(text)
    this.#length += text.length
    if (this.#length === total) return v.parse(snapshotContent, JSON.parse(this.#pieces.join(''))) as Snapshot
    while (this.#asked < total && this.#asked - this.#length < WINDOW * PIECE) {
      this.#context.send(this.from, { type: 'fetch', reign: this.#reign, offset: this.#asked })
      this.#asked += PIECE
    }
    return undefined
  }
}
