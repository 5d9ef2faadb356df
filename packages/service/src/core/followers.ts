import type { Milliseconds } from '@jel/machine'
import type { Reign } from './history.ts'
import type { ReplicaContext } from './replica-io.ts'
import { BATCH_BYTES, type OutgoingMessage } from './replica-messages.ts'

type EntriesMessage = Extract<OutgoingMessage, { type: 'entries' }>

/** The most messages of operations to one backup without an acknowledgement. A guess. */
const WINDOW = 8
/**
 * The longest wait for a replica that is alive and does not answer, ms. A guess: several times the
 * length of an election.
 */
export const REPLICA_TIMEOUT: Milliseconds = 5000

/** A backup, as the primary sees it. */
interface Follower {
  /** The last operation that was sent to this backup. */
  sent: number
  /** The last operation that this backup acknowledged. */
  acked: number
  /** The last operation of each message that is not acknowledged yet. */
  readonly flights: number[]
  /** The backup is up to date once it has acknowledged this operation. */
  readonly target: number
  /** Whether the primary waits for the acknowledgements of this backup. */
  isSynced: boolean
  /** The time of its last acknowledgement, or the last time at which it had all operations. */
  movedAt: Milliseconds
}

/** The backups of a primary. */
export class Followers {
  readonly #context: ReplicaContext
  readonly #reign: Reign
  readonly #all = new Map<string, Follower>()
  #last: { readonly from: number; readonly message: EntriesMessage } | undefined
  /** The last operation that no replica needs any more. */
  trim = 0

  constructor(context: ReplicaContext, reign: Reign) {
    this.#context = context
    this.#reign = reign
  }

  has(id: string): boolean {
    return this.#all.has(id)
  }

  /** Returns the last operation that was sent to this backup. */
  sentTo(id: string): number | undefined {
    return this.#all.get(id)?.sent
  }

  /** The ids of the backups whose acknowledgements count. */
  get synced(): readonly string[] {
    return [...this.#all].filter(([, { isSynced }]) => isSynced).map(([id]) => id)
  }

  /**
   * Returns the last operation that all backups have acknowledged. Undefined: there is no backup.
   *
   * @param without a backup that does not count
   */
  committed(without?: string): number | undefined {
    let least: number | undefined
    for (const [id, { isSynced, acked }] of this.#all) if (isSynced && id !== without) least = Math.min(least ?? acked, acked)
    return least
  }

  /**
   * The last operation that all followers have, also those that are not up to date. Undefined:
   * there are no followers.
   */
  get slowest(): number | undefined {
    return this.#all.size === 0 ? undefined : Math.min(...[...this.#all.values()].map(({ acked }) => acked))
  }

  /** Adds a replica that has the operations up to `seq`, and needs the later ones. */
  add(id: string, seq: number): void {
    const { now, store } = this.#context
    // A replica that asks again keeps its time, and it still counts if it counted before.
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

  /** Tells a replica to fetch a snapshot, since the log lacks operations that it needs. */
  resync(id: string): void {
    this.#all.delete(id)
    this.#context.send(id, { type: 'resync', reign: this.#reign })
  }

  /** Sends new operations to all followers. */
  pump(): void {
    for (const [id, follower] of this.#all) this.#pump(id, follower)
  }

  acked(id: string, seq: number): void {
    const follower = this.#all.get(id)
    // A backup can't have an operation that was not sent to it.
    if (follower === undefined || seq < follower.acked || seq > follower.sent) return
    follower.acked = seq
    follower.movedAt = this.#context.now
    while ((follower.flights[0] ?? Infinity) <= seq) follower.flights.shift()
    if (seq >= follower.target) follower.isSynced = true
    this.#pump(id, follower)
  }

  /** Whether the primary waits for an acknowledgement, so that `review` must be called later. */
  get isWaiting(): boolean {
    const { seq } = this.#context.store
    return [...this.#all.values()].some(({ isSynced, acked }) => isSynced && acked < seq)
  }

  /** Notes which followers have all operations now. Must be called before a new operation. */
  touch(): void {
    const { now, store } = this.#context
    for (const follower of this.#all.values()) if (follower.acked === store.seq) follower.movedAt = now
  }

  /** No longer waits for silent backups. A backup counts again once it has caught up. */
  review(): void {
    const { now, store } = this.#context
    this.touch()
    for (const [id, follower] of this.#all) {
      if (follower.acked < store.seq && follower.isSynced && now - follower.movedAt > REPLICA_TIMEOUT) {
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

  /** Backups that need the same operations get one object, so that the shell encodes it once. */
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
