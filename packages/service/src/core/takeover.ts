import type { Milliseconds } from '@jel/machine'
import type { Entry } from './entry.ts'
import { REPLICA_TIMEOUT } from './followers.ts'
import { comparePositions, forkOf, type Position, type Reign } from './history.ts'
import { joined } from './merging.ts'
import type { ReplicaContext } from './replica-io.ts'
import { SnapshotFetch } from './snapshots.ts'

/**
 * A winner asks all living instances for their positions before it serves, and takes over the
 * greatest state. An instance answers only the winner that it knows. So if two instances see each
 * other, and both have won for a moment, only one of them gets all answers.
 */
export class Takeover {
  /** The reign of the election. */
  readonly reign: Reign
  /** The same reign with the number of this takeover. It marks the operations of the primary. */
  readonly own: Reign
  /** The operations of this replica that the greatest state lacks. */
  orphans: readonly Entry[] = []
  readonly #context: ReplicaContext
  readonly #positions = new Map<string, Position>()
  /** The instances that have answered. */
  readonly #heard = new Set<string>()
  readonly #since: Milliseconds
  /** How often each replica announced the greatest state, and then sent none of it. */
  readonly #silent: Map<string, number>
  #best: string | undefined
  #fetch: SnapshotFetch | undefined
  /** The last time at which operations were asked for, or came. */
  #movedAt: Milliseconds = 0

  /** @param turn the number of earlier takeovers of this replica */
  constructor(context: ReplicaContext, reign: Reign, { turn, silent }: { readonly turn: number; readonly silent: Map<string, number> }) {
    this.#context = context
    this.reign = reign
    this.own = { ...reign, turn }
    this.#since = context.now
    this.#silent = silent
    this.#ask()
  }

  /** The positions of the replicas that have the state, or should have it. */
  get positions(): ReadonlyMap<string, Position> {
    return this.#positions
  }

  position(from: string, wants: boolean, position: Position): void {
    this.#heard.add(from)
    // That replica may have thought for a moment that this one is dead, and so have ignored the
    // question for its operations. So this replica asks for them again.
    if (from === this.#best && this.#fetch === undefined) this.#stop()
    if (wants) this.#positions.set(from, position)
    else this.#positions.delete(from)
  }

  gone(member: string): void {
    this.#positions.delete(member)
    this.#heard.delete(member)
    if (this.#best === member) this.#stop()
  }

  repeat(): void {
    this.#ask()
    const isStuck = this.#fetch?.isStuck(REPLICA_TIMEOUT) ?? this.#context.now - this.#movedAt > REPLICA_TIMEOUT
    if (this.#best !== undefined && isStuck) this.#giveUp(this.#best)
  }

  /**
   * Goes on without the state of a replica that sends nothing. The replica can still hand over its
   * operations later.
   */
  #giveUp(best: string): void {
    this.#silent.set(best, (this.#silent.get(best) ?? 0) + 1)
    this.gone(best)
    this.#context.notice('SLOW_REPLICA', `${best} announced operations that other replicas lack, but did not send them`)
  }

  /** Applies operations of the log of the replica that has the greatest state. */
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
    // The answer has nothing new: the question was asked twice, or the replica has nothing.
    if (store.seq === before) return
    this.#movedAt = this.#context.now
    this.#silent.delete(from)
    if (!end) this.#context.send(from, { type: 'wanted', reign: this.reign, from: store.seq + 1 })
    else this.#stop()
  }

  /** Takes a piece of a snapshot. Returns true if this replica has the greatest state now. */
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

  /**
   * Whether all instances have answered, and none of them has a greater state than this replica. If
   * an instance has a greater state, this asks for it.
   */
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
