import type { Milliseconds } from '@jel/machine'
import type { Entry, Snapshot } from './entry.ts'
import type { Followers } from './followers.ts'
import { forkOf, keyOf, type Position, type Reign } from './history.ts'
import { joined } from './merging.ts'
import { MAX_FORMER } from './reapplied.ts'
import type { ReplicaContext } from './replica-io.ts'
import { SnapshotFetch } from './snapshots.ts'
import { textOfError } from './value.ts'

/** A replica that hands over the operations of its side of a partition to the primary. */
interface HandOver {
  readonly history: Position['history']
  /** The state of that replica, if `merge` joins it with the state of the primary. */
  readonly fetch?: SnapshotFetch
  /** The last time at which the operations were asked for. */
  readonly askedAt: Milliseconds
}

/** An operation that was applied again, with what its caller is told. */
export type Reappliable = Omit<Entry, 'reign' | 'now'>

/**
 * The hand-overs at a primary: replicas of the other side of a partition give it their operations,
 * and it applies them again.
 */
export class HandOvers {
  readonly #context: ReplicaContext
  readonly #reign: Reign
  /** The reign that marks the operations of the primary. */
  readonly #own: Reign
  readonly #followers: Followers
  /** Called with each operation that was applied again. */
  readonly #onApplied: (entry: Reappliable) => void
  readonly #all = new Map<string, HandOver>()

  constructor(
    context: ReplicaContext,
    { reign, own }: { readonly reign: Reign; readonly own: Reign },
    followers: Followers,
    onApplied: (entry: Reappliable) => void,
  ) {
    this.#context = context
    this.#reign = reign
    this.#own = own
    this.#followers = followers
    this.#onApplied = onApplied
  }

  get isEmpty(): boolean {
    return this.#all.size === 0
  }

  has(id: string): boolean {
    return this.#all.has(id)
  }

  delete(id: string): void {
    this.#all.delete(id)
  }

  /** Gives up the hand-overs of which nothing came for this time, ms. */
  expire(time: Milliseconds): void {
    const { now } = this.#context
    for (const [id, { fetch, askedAt }] of this.#all) if (fetch?.isStuck(time) ?? now - askedAt > time) this.#all.delete(id)
  }

  /** Begins the hand-over of a replica that has operations after the fork. */
  begin(from: string, { history, from: logFrom }: Position, fork: number): void {
    const { store, options, now: askedAt } = this.#context
    if (!this.isNew(history)) {
      this.#end(from)
      return
    }
    if (options.merge !== undefined) {
      this.#all.set(from, { history, askedAt, fetch: new SnapshotFetch(this.#context, from, this.#reign) })
      return
    }
    let next = fork + 1
    for (const { reign, last } of history) {
      if (last < next) continue
      const absorbed = store.absorbedOf(reign)
      if (absorbed < last) {
        next = Math.max(next, absorbed + 1)
        break
      }
      next = last + 1
    }
    if (next < logFrom)
      this.#context.notice('OPERATIONS_LOST', `${from} no longer has the operations ${next} to ${logFrom - 1} of its side of a partition`)
    this.#all.set(from, { history, askedAt })
    this.#context.send(from, { type: 'wanted', reign: this.#reign, from: Math.max(next, logFrom) })
  }

  /** Handles operations that the other side of a partition applied. */
  log(from: string, entries: readonly Entry[], end: boolean): void {
    const handOver = this.#all.get(from)
    if (handOver === undefined) return
    for (const entry of entries) this.absorb(entry)
    const last = entries.at(-1)?.seq
    if (end || last === undefined) this.#end(from)
    else {
      this.#all.set(from, { ...handOver, askedAt: this.#context.now })
      this.#context.send(from, { type: 'wanted', reign: this.#reign, from: last + 1 })
    }
  }

  /** Handles a piece of the state of the other side. */
  piece(from: string, piece: Parameters<SnapshotFetch['take']>[0]): void {
    const handOver = this.#all.get(from)
    const theirs = handOver?.fetch?.take(piece)
    if (theirs === undefined || handOver === undefined) return
    this.#all.delete(from)
    // Another replica of that side may have handed the same operations over meanwhile.
    if (this.isNew(handOver.history)) this.#merge(theirs)
    this.#end(from)
  }

  /** Applies an operation of the other side again, unless this side has it. */
  absorb(entry: Entry): void {
    const { store } = this.#context
    if (store.absorbedOf(entry.reign) >= entry.seq) return
    const { caller, key, operation, reign, seq, result, error, orphan } = entry
    if (error !== undefined) {
      // The operation failed there, so its caller expects no effect. But it may have succeeded in
      // an earlier partition. Then the caller must be told.
      store.absorb(entry)
      if (orphan !== undefined) this.#context.report(caller, { key, operation, before: orphan.before, error })
      return
    }
    const before = [...(orphan?.before ?? []), result].slice(-MAX_FORMER)
    const kept = store.resultOf(caller, key)
    if (kept !== undefined) {
      // The caller sent the operation to both sides, with the same key.
      store.absorb(entry)
      const after = kept.isError ? { error: kept.text } : { after: JSON.parse(kept.text) as unknown }
      if (kept.isError || before.some((each) => JSON.stringify(each ?? null) !== kept.text))
        this.#context.report(caller, { key, operation, before, ...after })
      return
    }
    try {
      const call = { caller, key, orphan: { reign, seq, before } }
      // `apply` may change the operation, and the report must have the operation as it was sent.
      const made = store.create(this.#own, { ...call, operation: structuredClone(operation) }, this.#context.time)
      const outcome = made.isError ? { result: null, error: made.text } : { result: JSON.parse(made.text) as unknown }
      this.#onApplied({ ...call, operation, seq: made.seq, ...outcome })
    } catch (refusal) {
      store.absorb(entry)
      this.#context.report(caller, { key, operation, before, error: textOfError(refusal) })
    }
    this.#followers.pump()
  }

  /** Whether a history has operations that this replica has neither applied nor applied again. */
  isNew(history: Position['history']): boolean {
    const { store } = this.#context
    const own = new Map(store.history.map(({ reign, last }) => [keyOf(reign), last]))
    return history.some(({ reign, last }) => last > Math.max(own.get(keyOf(reign)) ?? 0, store.absorbedOf(reign)))
  }

  /** Joins the state of the other side with this one. */
  #merge(theirs: Snapshot): void {
    const { store } = this.#context
    const state = joined(this.#context, store.state, theirs.state)
    if (state === undefined) {
      const next = forkOf(store.history, theirs.history) + 1
      const [first] = theirs.log
      if (first === undefined || first.seq > next)
        this.#context.notice('OPERATIONS_LOST', `the other side of a partition no longer has its operations from ${next} on`)
      for (const entry of theirs.log) if (entry.seq >= next) this.absorb(entry)
      for (const { reign, last } of theirs.history) store.absorb({ reign, seq: last })
      return
    }
    store.join(this.#own, state, theirs)
    for (const id of this.#context.instances) if (this.#followers.has(id)) this.#end(id)
  }

  /** Ends a hand-over: now the replica fetches the state of the primary. */
  #end(from: string): void {
    this.#all.delete(from)
    this.#followers.resync(from)
  }
}
