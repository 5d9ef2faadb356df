import type { Milliseconds } from '@jel/machine'
import type { Entry } from './entry.ts'
import { REPLICA_TIMEOUT } from './followers.ts'
import { comparePositions, forkOf, type Position, type Reign } from './history.ts'
import { joined } from './merging.ts'
import type { ReplicaContext } from './replica-io.ts'
import { SnapshotFetch } from './snapshots.ts'

/**
 * A winner hears all living instances before it serves, and takes the greatest state. An instance
 * answers the one that it holds for the winner. So of two that see each other, and both won for a
 * moment, only one gets all answers.
 */
export class Takeover {
  readonly reign: Reign
  /** The reign of its operations. */
  readonly own: Reign
  /** The operations of this replica that the greatest state has not. */
  orphans: readonly Entry[] = []
  readonly #context: ReplicaContext
  readonly #positions = new Map<string, Position>()
  /** Those that answered, and those that need not. */
  readonly #heard = new Set<string>()
  readonly #since: Milliseconds
  /** How often each replica gave nothing of its greatest state. */
  readonly #silent: Map<string, number>
  #best: string | undefined
  #fetch: SnapshotFetch | undefined
  /** The time at which it last asked for operations, or got some. */
  #movedAt: Milliseconds = 0

  /** @param turn the number of takeovers of this replica before */
  constructor(context: ReplicaContext, reign: Reign, { turn, silent }: { readonly turn: number; readonly silent: Map<string, number> }) {
    this.#context = context
    this.reign = reign
    this.own = { ...reign, turn }
    this.#since = context.now
    this.#silent = silent
    this.#ask()
  }

  /** The positions of the replicas that have a state, or should have it. */
  get positions(): ReadonlyMap<string, Position> {
    return this.#positions
  }

  position(from: string, wants: boolean, position: Position): void {
    this.#heard.add(from)
    // It may have taken this member for dead for a moment, and so not have read the question.
    if (from === this.#best && this.#fetch === undefined) this.#stop()
    if (wants) this.#positions.set(from, position)
    else this.#positions.delete(from)
  }

  gone(member: string): void {
    this.#positions.delete(member)
    this.#heard.delete(member)
    if (this.#best === member) this.#stop()
  }

  tick(): void {
    this.#ask()
    const isStuck = this.#fetch?.isStuck(REPLICA_TIMEOUT) ?? this.#context.now - this.#movedAt > REPLICA_TIMEOUT
    if (this.#best !== undefined && isStuck) this.#giveUp(this.#best)
  }

  /**
   * Nobody waits longer for a replica that gives nothing. It can still hand its operations over.
   */
  #giveUp(best: string): void {
    this.#silent.set(best, (this.#silent.get(best) ?? 0) + 1)
    this.gone(best)
    this.#context.notice('SLOW_REPLICA', `${best} states operations that others have not, and did not give them`)
  }

  /** Takes operations of the log of the replica that has the greatest state. */
  log(from: string, entries: readonly Entry[], end: boolean): void {
    if (from !== this.#best || this.#fetch !== undefined) return
    const { store } = this.#context
    const before = store.seq
    for (const entry of entries) {
      if (entry.seq <= store.seq) continue
      if (entry.seq === store.seq + 1 && store.follow(entry)) continue
      this.#fetch = new SnapshotFetch(this.#context, from, this.reign)
      return
    }
    // An answer to a question that was asked twice, or none.
    if (store.seq === before) return
    this.#movedAt = this.#context.now
    this.#silent.delete(from)
    if (!end) this.#context.send(from, { type: 'wanted', reign: this.reign, from: store.seq + 1 })
    else this.#stop()
  }

  /** Returns true if this replica has the greatest state now. */
  piece(from: string, piece: Parameters<SnapshotFetch['take']>[0]): boolean {
    if (from !== this.#best) return false
    const snapshot = this.#fetch?.take(piece)
    if (snapshot === undefined) return false
    this.#silent.delete(from)
    const { store, options } = this.#context
    const fork = forkOf(store.history, snapshot.history)
    const isForked = store.seq > fork
    const ours = store.snapshot(this.#context.time)
    const canMerge = isForked && options.merge !== undefined && !store.isWrong
    const state = canMerge ? joined(this.#context, snapshot.state, ours.state) : undefined
    if (state === undefined) this.orphans = store.entriesFrom(Math.max(store.from, fork + 1), Infinity)
    if (isForked && store.from > fork + 1 && state === undefined)
      this.#context.notice(
        'OPERATIONS_LOST',
        `this replica no longer has the operations ${fork + 1} to ${store.from - 1} of its side of a partition`,
      )
    this.#context.install(snapshot)
    if (state !== undefined) store.join(this.own, state, ours)
    return true
  }

  /** Returns true if all have answered, and none has a greater state than this replica. */
  get isComplete(): boolean {
    const { instances, self, now } = this.#context
    const mayWait = now - this.#since <= REPLICA_TIMEOUT
    if (mayWait && instances.some((id) => id !== self && !this.#heard.has(id))) return false
    if (this.#best !== undefined) return false
    const { store } = this.#context
    const [best] = [...this.#positions].sort(([a, one], [b, other]) => comparePositions(other, one) || (a < b ? -1 : 1))
    if (best === undefined || comparePositions(best[1], store.position) <= 0) return true
    const [id, position] = best
    this.#best = id
    this.#movedAt = now
    const isPrefix = !store.isWrong && forkOf(store.history, position.history) === store.seq
    if (isPrefix && position.from <= store.seq + 1) this.#context.send(id, { type: 'wanted', reign: this.reign, from: store.seq + 1 })
    else this.#fetch = new SnapshotFetch(this.#context, id, this.reign)
    return false
  }

  #stop(): void {
    this.#best = undefined
    this.#fetch = undefined
  }

  #ask(): void {
    const { instances, self } = this.#context
    for (const id of instances) if (id !== self && !this.#heard.has(id)) this.#context.send(id, { type: 'hello', reign: this.reign })
  }
}
