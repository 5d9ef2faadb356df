import type { Milliseconds } from '@jel/machine'
import type { Candidacy } from './candidacy.ts'
import { REPLICA_TIMEOUT } from './followers.ts'
import type { Reign } from './history.ts'
import type { ReplicaContext } from './replica-io.ts'
import { BATCH_BYTES, type ReplicaMessage } from './replica-messages.ts'
import { SnapshotFetch } from './snapshots.ts'

/** A replica that waits for others asks them again at this interval, ms. A guess. */
export const REPEAT: Milliseconds = 500
/** A surplus backup asks for its release once in this number of repeats. A guess. */
const RETIRE_REPEATS = 4
/** The longest time between two snapshots for a replica with wrong results, ms. A guess. */
const LONGEST_PAUSE: Milliseconds = 60_000

/** A replica that follows the primary. */
export class Backup {
  readonly #context: ReplicaContext
  readonly #candidacy: Candidacy
  /** The snapshot that comes from the primary. */
  #fetch: SnapshotFetch | undefined
  /** The time of the last message of the primary. */
  #heardAt: Milliseconds = -Infinity
  /** The time of the last wrong result. The next snapshot is fetched after `#pause`. */
  #wrongAt: Milliseconds = -Infinity
  #pause: Milliseconds = 0
  #repeats = 0

  constructor(context: ReplicaContext, candidacy: Candidacy) {
    this.#context = context
    this.#candidacy = candidacy
  }

  /** Begins to follow a new primary. */
  begin(): void {
    this.#fetch = undefined
    this.#heardAt = -Infinity
    this.#sendPosition()
  }

  /** Handles the end of a member, or the loss of messages to it. */
  gone(member: string): void {
    if (this.#fetch?.from === member) this.#fetch = undefined
  }

  /** Handles a message of the primary. */
  message(from: string, message: ReplicaMessage): void {
    const context = this.#context
    const { store } = context
    this.#heardAt = context.now
    switch (message.type) {
      case 'hello':
        if (this.#fetch === undefined) this.#sendPosition()
        return
      case 'entries':
        this.#entries(message)
        return
      case 'resync':
        if (!store.isWrong) this.#fetch ??= new SnapshotFetch(context, from, message.reign)
        return
      case 'piece':
        this.#piece(from, message)
        return
      case 'wanted': {
        const entries = store.textsFrom(message.from, BATCH_BYTES)
        const end = entries.length === 0 || message.from + entries.length > store.seq
        context.send(from, { type: 'log', reign: message.reign, from: message.from, entries, end })
        return
      }
      case 'retired':
        this.#retire()
        return
      case 'position':
      case 'ack':
      case 'fetch':
      case 'log':
      case 'retire':
        return
    }
  }

  /** Whether `repeat` must be called later. */
  get isWaiting(): boolean {
    const { holder, self, store } = this.#context
    if (holder === undefined || holder.winner === self) return false
    return this.#fetch !== undefined || store.isWrong || this.#lacksState || this.#isSurplus
  }

  /** Asks the primary again. */
  repeat(): void {
    const context = this.#context
    this.#repeats++
    const { holder, self, now } = context
    if (holder === undefined || holder.winner === self) return
    if (this.#fetch?.isStuck(REPLICA_TIMEOUT) === true) this.#fetch = undefined
    this.#mend(holder)
    if (this.#lacksState && this.#fetch === undefined && now - this.#heardAt > REPEAT) this.#sendPosition()
    if (this.#isSurplus && this.#repeats % RETIRE_REPEATS === 0) context.send(holder.winner, { type: 'retire', reign: holder })
  }

  get #lacksState(): boolean {
    return this.#wants && !this.#candidacy.hasState
  }

  /** Whether this replica has the state, although enough older instances should have it. */
  get #isSurplus(): boolean {
    const { self, designated, options } = this.#context
    return this.#candidacy.hasState && !designated.includes(self) && designated.length >= options.replicas
  }

  #entries({ entries, seq, committed, trim, time, reign }: Extract<ReplicaMessage, { type: 'entries' }>): void {
    const context = this.#context
    const { store } = context
    if (this.#fetch !== undefined || store.isWrong) return
    for (const entry of entries) {
      if (entry.seq <= store.seq) continue
      if (entry.seq > store.seq + 1) {
        this.#sendPosition()
        return
      }
      if (store.follow(entry)) continue
      context.notice(
        'DIVERGED',
        `operation ${entry.seq} has another result here than at the primary; apply must depend on its arguments only`,
      )
      this.#diverged(reign)
      return
    }
    context.offset = time - context.now
    if (store.seq >= seq) this.#candidacy.hasState = true
    context.committed = Math.max(context.committed, Math.min(committed, store.seq))
    if (context.ghosts.size > 0) for (const id of context.instances) context.ghosts.delete(id)
    if (context.ghosts.size === 0) store.trim(trim)
    context.send(reign.winner, { type: 'ack', reign, seq: store.seq })
  }

  /** Gives up the wrong state, and fetches a snapshot. The primary need not wait meanwhile. */
  #diverged(reign: Reign): void {
    const { now } = this.#context
    // Without a pause, an `apply` that always differs would cost the primary snapshot after
    // snapshot.
    const isRare = now - this.#wrongAt > 2 * LONGEST_PAUSE
    this.#pause = isRare ? 0 : Math.min(Math.max(REPEAT, 2 * this.#pause), LONGEST_PAUSE)
    this.#wrongAt = now
    this.#candidacy.hasState = false
    this.#candidacy.withdraw()
    this.#sendPosition()
    this.#mend(reign)
  }

  #mend(reign: Reign): void {
    const context = this.#context
    if (!context.store.isWrong || this.#fetch !== undefined || context.now - this.#wrongAt < this.#pause) return
    this.#fetch = new SnapshotFetch(context, reign.winner, reign)
  }

  #piece(from: string, message: Extract<ReplicaMessage, { type: 'piece' }>): void {
    if (this.#fetch?.from !== from) return
    const snapshot = this.#fetch.take(message)
    if (snapshot === undefined) return
    this.#fetch = undefined
    this.#context.install(snapshot)
    this.#sendPosition()
  }

  get #wants(): boolean {
    const { designated, self, store } = this.#context
    if (store.isWrong) return false
    return designated.includes(self) || this.#candidacy.hasState || store.seq > 0
  }

  #sendPosition(): void {
    const { holder, self, store } = this.#context
    if (holder === undefined || holder.winner === self) return
    this.#context.send(holder.winner, { type: 'position', reign: holder, wants: this.#wants, position: store.position })
  }

  /** Drops the state, since enough others have it. */
  #retire(): void {
    const { designated, self, store, options } = this.#context
    if (designated.includes(self)) {
      this.#sendPosition()
      return
    }
    this.#candidacy.hasState = false
    this.#candidacy.withdraw()
    const state = JSON.parse(JSON.stringify(options.initial ?? null)) as unknown
    store.install({ state, history: [], now: 0, results: [], absorbed: [], log: [] })
  }
}
