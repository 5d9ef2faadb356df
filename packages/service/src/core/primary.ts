import type { Milliseconds } from '@jel/machine'
import { acceptance, BACKUP_WAIT, type PrimaryRefusal } from './acceptance.ts'
import { Refusal, type Entry } from './entry.ts'
import { Followers } from './followers.ts'
import { HandOvers, type Reappliable } from './hand-overs.ts'
import { comparePositions, forkOf, lastOf, type Position, type Reign } from './history.ts'
import { CUT_BYTES, MAX_LOG_BYTES } from './log.ts'
import type { ReplicaCall, ReplicaContext } from './replica-io.ts'
import type { Kept } from './results.ts'
import type { SnapshotFetch } from './snapshots.ts'
import { textOfError } from './value.ts'

/** A call to answer, or an entry to report, as soon as all backups have the operation. */
type Pending = (Kept & { readonly call: number }) | { readonly seq: number; readonly entry: Reappliable }

/** The primary of a service, after its takeover. */
export class Primary {
  /** The reign of the election. */
  readonly reign: Reign
  /** The same reign with the number of the takeover. It marks the operations of this primary. */
  readonly #own: Reign
  readonly #context: ReplicaContext
  readonly #followers: Followers
  readonly #handOvers: HandOvers
  #pending: Pending[] = []
  /** Calls that are not applied yet. */
  #waiting: (ReplicaCall & { readonly since: Milliseconds })[] = []
  /**
   * The last operation that all backups have. 0 at first. While there is no backup, it does not
   * grow. With `alone` it is then the last operation.
   */
  #committed = 0
  /** The last operation of the former primaries. */
  readonly #begin: number
  readonly #beganAt: Milliseconds

  constructor(context: ReplicaContext, { reign, own }: { readonly reign: Reign; readonly own: Reign }) {
    this.#context = context
    this.reign = reign
    this.#own = own
    this.#followers = new Followers(context, reign)
    this.#handOvers = new HandOvers(context, { reign, own }, this.#followers, (entry) => void this.#pending.push({ seq: entry.seq, entry }))
    this.#begin = context.store.seq
    this.#beganAt = context.now
    // Operations of another side of a partition (`orphan`) that a former primary applied again. It
    // may have died before it told their callers, so this primary tells them.
    for (const entry of context.store.entriesFrom(Math.max(context.committed + 1, context.store.from), Infinity))
      if (entry.orphan !== undefined) this.#pending.push({ seq: entry.seq, entry })
  }

  /** The ids of the backups that are up to date. */
  get backups(): readonly string[] {
    return this.#followers.synced
  }

  /** Why this primary refuses operations now. Undefined: it applies them or lets them wait. */
  get refusal(): PrimaryRefusal | undefined {
    const refusal = this.#refusalSince(-Infinity)
    return refusal === 'wait' ? undefined : refusal
  }

  hasFollower(id: string): boolean {
    return this.#followers.has(id) || this.#handOvers.has(id)
  }

  /**
   * Handles the position that another replica reports. Returns false if this primary must adopt the
   * state of that replica.
   *
   * `fork` is the last operation that both have. There are four cases:
   *
   * - The replica has later operations, of which some are new here (`isNew`), its log no longer has
   *   all of them, and its position is the greater one (see `comparePositions`): returns false.
   * - It has later operations in any other case: it hands them over.
   * - It has none, and the log here no longer has all that it needs: it fetches a snapshot
   *   (`resync`).
   * - It has none, and the log has all that it needs: it becomes a follower.
   */
  position(from: string, position: Position): boolean {
    const { store } = this.#context
    const fork = forkOf(store.history, position.history)
    this.#handOvers.delete(from)
    if (lastOf(position.history) > fork) {
      this.#followers.delete(from)
      if (position.from > fork + 1 && this.#handOvers.isNew(position.history) && comparePositions(position, store.position) > 0)
        return false
      this.#handOvers.begin(from, position, fork)
    } else if (store.from > fork + 1) this.#followers.resync(from)
    else {
      // All its operations are here, so it is no ghost any more.
      this.#context.ghosts.delete(from)
      this.#followers.add(from, fork)
    }
    this.#proceed()
    return true
  }

  acked(from: string, seq: number): void {
    this.#followers.acked(from, seq)
    this.#proceed()
  }

  /** Takes operations that the other side of a partition applied. */
  log(from: string, entries: readonly Entry[], end: boolean): void {
    this.#handOvers.log(from, entries, end)
    this.#proceed()
  }

  /** Takes a piece of the state of the other side. */
  piece(from: string, piece: Parameters<SnapshotFetch['take']>[0]): void {
    this.#handOvers.piece(from, piece)
    this.#proceed()
  }

  /** Applies an operation of another side of a partition again. */
  absorb(entry: Entry): void {
    this.#handOvers.absorb(entry)
  }

  call(call: ReplicaCall): void {
    const kept = this.#context.store.resultOf(call.caller, call.key)
    if (kept !== undefined && kept.seq <= this.#committed) this.#answer(call.call, kept)
    else if (kept !== undefined) this.#pending.push({ ...kept, call: call.call })
    else {
      this.#waiting.push({ ...call, since: this.#context.now })
      this.#proceed()
    }
  }

  forget(call: number): void {
    this.#waiting = this.#waiting.filter((each) => each.call !== call)
    this.#pending = this.#pending.filter((each) => !('call' in each) || each.call !== call)
  }

  gone(member: string): void {
    this.#followers.delete(member)
    this.#handOvers.delete(member)
    this.#proceed()
  }

  /** Removes a surplus backup if enough others have all operations. Returns whether it did. */
  retire(member: string): boolean {
    const { store, options } = this.#context
    const others = this.#followers.synced.filter((id) => id !== member)
    // A backup that is not up to date may have operations of another side of a partition.
    if (!this.#followers.synced.includes(member)) return false
    if (others.length < Math.max(1, options.replicas - 1) || (this.#followers.committed(member) ?? 0) < store.seq) return false
    this.#followers.delete(member)
    return true
  }

  /** Whether `repeat` must be called later. */
  get isWaiting(): boolean {
    return this.#waiting.length > 0 || this.#followers.isWaiting || !this.#handOvers.isEmpty || this.#missing.length > 0
  }

  /** Asks missing instances again, and gives up waiting for those that are silent. */
  repeat(): void {
    this.#followers.review()
    this.#handOvers.expire(BACKUP_WAIT)
    for (const id of this.#missing) this.#context.send(id, { type: 'hello', reign: this.reign })
    this.#proceed()
  }

  /**
   * The instances whose positions this primary needs: those that should have the state, and ghosts,
   * which may have operations that are lacking here.
   */
  get #missing(): readonly string[] {
    const { designated, ghosts, instances, self } = this.#context
    return instances.filter((id) => id !== self && (designated.includes(id) || ghosts.has(id)) && !this.hasFollower(id))
  }

  /**
   * Answers all open calls with `moved`. Their callers ask the next primary, with the same keys.
   */
  end(): void {
    for (const each of [...this.#pending, ...this.#waiting]) if ('call' in each) this.#context.answer(each.call, { moved: true })
    this.#pending = []
    this.#waiting = []
  }

  /** Applies the calls that wait, and answers those whose operations all backups have. */
  #proceed(): void {
    this.#commit()
    this.#followers.touch()
    const { isMinority, store } = this.#context
    for (let call = this.#waiting[0]; call !== undefined; call = this.#waiting[0]) {
      if (store.logBytes > MAX_LOG_BYTES && !isMinority) this.#cut()
      const refusal = this.#refusalSince(call.since)
      if (refusal === 'wait') break
      this.#waiting.shift()
      if (refusal === undefined) this.#apply(call)
      else this.#context.answer(call.call, { error: refusal })
    }
    this.#followers.pump()
    this.#commit()
    this.#trim()
  }

  #apply(call: ReplicaCall): void {
    const { store, time } = this.#context
    const { caller, key, operation } = call
    // A call and a repetition of it may both have waited.
    const kept = store.resultOf(caller, key)
    if (kept !== undefined) {
      this.#pending.push({ ...kept, call: call.call })
      return
    }
    try {
      this.#pending.push({ ...store.create(this.#own, { caller, key, operation }, time), call: call.call })
    } catch (error) {
      const code = error instanceof Refusal ? error.code : 'CALL_FAILED'
      this.#context.answer(call.call, { error: { code, message: textOfError(error) } })
    }
  }

  #refusalSince(since: Milliseconds): PrimaryRefusal | 'wait' | undefined {
    return acceptance(this.#context, {
      since,
      beganAt: this.#beganAt,
      hasBackup: this.#followers.committed() !== undefined,
      open: this.#context.store.seq - Math.max(this.#begin, this.#committed),
    })
  }

  #commit(): void {
    const { store, options } = this.#context
    const committed = this.#followers.committed() ?? (options.alone ? store.seq : this.#committed)
    this.#committed = Math.max(this.#committed, committed)
    this.#context.committed = Math.max(this.#context.committed, this.#committed)
    if (this.#pending.length === 0) return
    const done = this.#pending.filter(({ seq }) => seq <= this.#committed)
    if (done.length === 0) return
    this.#pending = this.#pending.filter(({ seq }) => seq > this.#committed)
    for (const each of done) {
      if ('call' in each) {
        this.#answer(each.call, each)
        continue
      }
      const { caller, key, operation, orphan, result, error } = each.entry
      const outcome = error === undefined ? { after: result } : { error }
      this.#context.report(caller, { key, operation, before: orphan?.before ?? [], ...outcome })
    }
  }

  #answer(call: number, { text, isError }: Kept): void {
    this.#context.answer(call, isError ? { error: { code: 'CALL_FAILED', message: text } } : { result: text })
  }

  #trim(): void {
    const { store, ghosts, snapshotSeq } = this.#context
    // A ghost may come back with a fork. Then the operations since the fork are needed.
    if (ghosts.size > 0) return
    // A replica that gets a snapshot needs the operations after the snapshot.
    const needed = Math.min(this.#committed, this.#followers.slowest ?? Infinity, snapshotSeq())
    this.#followers.trim = Math.max(this.#followers.trim, needed)
    store.trim(this.#followers.trim)
  }

  /**
   * Drops the oldest operations of the log. A follower that still needs them gets a snapshot
   * (`resync`). If a replica comes back with a fork, operations may be lost by this.
   */
  #cut(): void {
    const { store } = this.#context
    store.cut(CUT_BYTES)
    this.#context.notice(
      'LOG_CUT',
      `the log of operations since a replica was lost is longer than ${MAX_LOG_BYTES} bytes; after a partition the operations of the other side may be lost`,
    )
    for (const id of this.#context.instances)
      if (this.#followers.has(id) && (this.#followers.sentTo(id) ?? 0) + 1 < store.from) this.#followers.resync(id)
  }
}
