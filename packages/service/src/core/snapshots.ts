import type { Milliseconds } from '@jel/machine'
import * as v from 'valibot'
import type { Snapshot } from './entry.ts'
import type { Reign } from './history.ts'
import type { ReplicaContext } from './replica-io.ts'
import { PIECE, snapshotContent, type ReplicaMessage } from './replica-messages.ts'
import { MAX_STATE_BYTES } from './state-size.ts'

/** A snapshot may have a state, results, and what escapes make of them, characters. */
const MAX_LENGTH = 4 * MAX_STATE_BYTES
/** Number of pieces that are asked for at a time. A guess: 2 MiB. */
const WINDOW = 8
/** A snapshot is kept this long after the last piece was asked for, ms. A guess. */
const KEPT = 30_000
/** Others that ask within this time get the same snapshot, ms. A guess. */
const SHARED = 1000

/** A member begins a snapshot so many times in this time. A guess: two takeovers in a row. */
const BEGINS = 2

interface Sending {
  readonly text: string
  readonly seq: number
  readonly madeAt: Milliseconds
  until: Milliseconds
  /** The next piece. Nobody asks for one twice. */
  next: number
}

type Piece = Extract<ReplicaMessage, { type: 'piece' }>

/** The snapshots that a replica sends. */
export class SnapshotSender {
  readonly #context: ReplicaContext
  readonly #sending = new Map<string, Sending>()
  /** When members last asked for a new snapshot, and how often meanwhile. */
  readonly #begun = new Map<string, { readonly at: Milliseconds; count: number }>()

  constructor(context: ReplicaContext) {
    this.#context = context
  }

  /** The last operation of the oldest snapshot in use; Infinity: there is none. */
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

  /** The member follows, or is gone. */
  end(member: string): void {
    this.#sending.delete(member)
  }

  expire(): void {
    const { now } = this.#context
    for (const [member, { until }] of this.#sending) if (until < now) this.#sending.delete(member)
    for (const [member, { at }] of this.#begun) if (at <= now - SHARED) this.#begun.delete(member)
  }

  /** A member that asks all the time would take the whole time of the primary. */
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

/** A snapshot that a replica gets from another one. */
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

  /** Whether nothing came for this time, ms. */
  isStuck(time: Milliseconds): boolean {
    return this.#context.now - this.#movedAt > time
  }

  /** Takes a piece. Returns the snapshot if it was the last one. Throws Error for a wrong one. */
  take({ offset, total, text }: Piece): Snapshot | undefined {
    // A piece that an earlier attempt asked for.
    if (offset !== this.#length) return undefined
    if (total > MAX_LENGTH) throw new Error(`a snapshot of ${total} characters is too long`)
    if (this.#total !== Infinity && total !== this.#total) return undefined
    if (text.length !== Math.min(PIECE, total - offset)) throw new Error('a piece of a snapshot is too short')
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
