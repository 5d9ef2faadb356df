import type { Milliseconds } from '@jel/machine'
import type { Candidacy } from './candidacy.ts'
import { REPLICA_TIMEOUT } from './followers.ts'
import type { Reign } from './history.ts'
import type { ReplicaContext } from './replica-io.ts'
import { BATCH_BYTES, type ReplicaMessage } from './replica-messages.ts'
import { SnapshotFetch } from './snapshots.ts'

/** A replica asks again, and reviews others, at this interval, ms. A guess. */
export const TICK: Milliseconds = 500
/** A backup that is one too many asks at this number of ticks whether it may go. A guess. */
const RETIRE_TICKS = 4
/** A replica with wrong results waits at most this long for the next snapshot, ms. A guess. */
const LONGEST_PAUSE: Milliseconds = 60_000

/** A replica of which another one is the primary: it follows that one. */
export class Backup {
  readonly #context: ReplicaContext
  readonly #candidacy: Candidacy
  /** The snapshot that it takes from the primary. */
  #fetch: SnapshotFetch | undefined
  /** The time at which it last heard the primary. */
  #heardAt: Milliseconds = -Infinity
  /** When it had a wrong result last, and its pause before another snapshot. */
  #wrongAt: Milliseconds = -Infinity
  #pause: Milliseconds = 0
  #ticks = 0

  constructor(context: ReplicaContext, candidacy: Candidacy) {
    this.#context = context
    this.#candidacy = candidacy
  }

  /** There is another primary. */
  begin(): void {
    this.#fetch = undefined
    this.#heardAt = -Infinity
    this.#sendPosition()
  }

  /** A member is gone, or messages to it were lost. */
  gone(member: string): void {
    if (this.#fetch?.from === member) this.#fetch = undefined
  }

  /** Takes a message of the primary. */
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

  tick(): void {
    const context = this.#context
    const { hasState } = this.#candidacy
    this.#ticks++
    const { holder, self, designated, now } = context
    if (holder === undefined || holder.winner === self) return
    if (this.#fetch?.isStuck(REPLICA_TIMEOUT) === true) this.#fetch = undefined
    this.#mend(holder)
    if (this.#wants && !hasState && this.#fetch === undefined && now - this.#heardAt > TICK) this.#sendPosition()
    const isOneTooMany = hasState && !designated.includes(self) && designated.length >= context.options.replicas
    if (isOneTooMany && this.#ticks % RETIRE_TICKS === 0) context.send(holder.winner, { type: 'retire', reign: holder })
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

  /** Its state is wrong until it has a snapshot. The primary need not wait for it. */
  #diverged(reign: Reign): void {
    const { now } = this.#context
    // An apply that differs always costs the primary a snapshot each time.
    const isRare = now - this.#wrongAt > 2 * LONGEST_PAUSE
    this.#pause = isRare ? 0 : Math.min(Math.max(TICK, 2 * this.#pause), LONGEST_PAUSE)
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

  /** Others have the state. */
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
