import type { Milliseconds } from '@jel/machine'
import type { Reign } from './history.ts'
import type { ReplicaContext } from './replica-io.ts'
import { BATCH_BYTES, type OutgoingMessage } from './replica-messages.ts'

type EntriesMessage = Extract<OutgoingMessage, { type: 'entries' }>

/** Messages of operations that a backup may have without an acknowledgement. A guess. */
const WINDOW = 8
/**
 * Nobody waits longer than this for a replica that is alive and does not answer, ms. A guess:
 * several times what an election takes.
 */
export const REPLICA_TIMEOUT: Milliseconds = 5000

/** A backup, as the primary sees it. */
interface Follower {
  /** The last operations that it got, and that it acknowledged. */
  sent: number
  acked: number
  /** For each message without an acknowledgement its last operation. */
  readonly flights: number[]
  /** It is up to date from this operation on. */
  readonly target: number
  /** The primary waits for its acknowledgements. */
  isSynced: boolean
  /** The time at which it last acknowledged anything that was open. */
  movedAt: Milliseconds
}

/** The backups of a primary. */
export class Followers {
  readonly #context: ReplicaContext
  readonly #reign: Reign
  readonly #all = new Map<string, Follower>()
  #last: { readonly from: number; readonly message: EntriesMessage } | undefined
  /** Nobody needs the operations up to this one. */
  trim = 0

  constructor(context: ReplicaContext, reign: Reign) {
    this.#context = context
    this.#reign = reign
  }

  has(id: string): boolean {
    return this.#all.has(id)
  }

  /** The last operation that this one got. */
  sentTo(id: string): number | undefined {
    return this.#all.get(id)?.sent
  }

  /** The ids of the backups whose acknowledgements count. */
  get synced(): readonly string[] {
    return [...this.#all].filter(([, { isSynced }]) => isSynced).map(([id]) => id)
  }

  /**
   * The last operation that all of them have; undefined: there is no backup.
   *
   * @param without not counting this one
   */
  committed(without?: string): number | undefined {
    let least: number | undefined
    for (const [id, { isSynced, acked }] of this.#all) if (isSynced && id !== without) least = Math.min(least ?? acked, acked)
    return least
  }

  /**
   * The last operation that all have, also those that are not up to date; undefined: there are
   * none.
   */
  get slowest(): number | undefined {
    return this.#all.size === 0 ? undefined : Math.min(...[...this.#all.values()].map(({ acked }) => acked))
  }

  /** A replica has the operations up to `seq`, and needs the others. */
  add(id: string, seq: number): void {
    const { now, store } = this.#context
    // One that asks again counts as before, and has no more time than before.
    const before = this.#all.get(id)
    const follower: Follower = {
      sent: seq,
      acked: seq,
      flights: [],
      target: store.seq,
      isSynced: seq === store.seq || before?.isSynced === true,
      movedAt: before !== undefined && seq <= before.acked ? before.movedAt : now,
    }
    this.#all.set(id, follower)
    if (seq === store.seq) this.#send(id, follower)
    else this.#pump(id, follower)
  }

  delete(id: string): void {
    this.#all.delete(id)
  }

  /** A replica lacks operations that the log no longer has: it takes a snapshot first. */
  resync(id: string): void {
    this.#all.delete(id)
    this.#context.send(id, { type: 'resync', reign: this.#reign })
  }

  /** Sends new operations to all. */
  pump(): void {
    for (const [id, follower] of this.#all) this.#pump(id, follower)
  }

  acked(id: string, seq: number): void {
    const follower = this.#all.get(id)
    // Nobody can have an operation that it did not get.
    if (follower === undefined || seq < follower.acked || seq > follower.sent) return
    follower.acked = seq
    follower.movedAt = this.#context.now
    while ((follower.flights[0] ?? Infinity) <= seq) follower.flights.shift()
    if (seq >= follower.target) follower.isSynced = true
    this.#pump(id, follower)
  }

  /** Stops to wait for those that are silent. They count again as soon as they have caught up. */
  review(): void {
    const { now, store } = this.#context
    for (const [id, follower] of this.#all) {
      if (follower.acked === store.seq) follower.movedAt = now
      else if (follower.isSynced && now - follower.movedAt > REPLICA_TIMEOUT) {
        this.#all.set(id, { ...follower, isSynced: false, target: store.seq })
        this.#context.notice(
          'SLOW_REPLICA',
          `${id} acknowledged nothing for ${REPLICA_TIMEOUT} ms; it does not count as a backup meanwhile`,
        )
      }
    }
  }

  #pump(id: string, follower: Follower): void {
    while (follower.flights.length < WINDOW && follower.sent < this.#context.store.seq) if (!this.#send(id, follower)) return
  }

  #send(id: string, follower: Follower): boolean {
    const message = this.#message(follower.sent + 1)
    follower.sent += message.entries.length
    if (message.entries.length > 0) follower.flights.push(follower.sent)
    this.#context.send(id, message)
    return message.entries.length > 0
  }

  /** Backups that are equally far get one object, so that the shell encodes it once. */
  #message(from: number): EntriesMessage {
    const { store, time, committed } = this.#context
    const { seq } = store
    const last = this.#last
    if (last?.from === from && last.message.seq === seq && last.message.time === time) return last.message
    const entries = store.textsFrom(from, BATCH_BYTES)
    const message: EntriesMessage = { type: 'entries', reign: this.#reign, entries, seq, committed, trim: this.trim, time }
    this.#last = { from, message }
    return message
  }
}
