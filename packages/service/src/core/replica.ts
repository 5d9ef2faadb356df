import { Timers, type Machine, type Milliseconds, type TimerEffect, type TimerInput } from '@jel/machine'
import { Backup, REPEAT } from './backup.ts'
import { Candidacy } from './candidacy.ts'
import { compareReigns, isSame, type Mark, type Reign } from './history.ts'
import {
  ReplicaContext,
  type ReplicaCall,
  type ReplicaEffect,
  type ReplicaInput,
  type ReplicaOptions,
  type ReplicaRole,
} from './replica-io.ts'
import type { ReplicaMessage } from './replica-messages.ts'
import { SnapshotSender } from './snapshots.ts'
import { Store } from './store.ts'
import { Winner } from './winner.ts'

/**
 * One replica of a service: a spare, a backup or the primary. The primary decides the order of the
 * operations. Each backup applies them in this order. The primary answers a call when all living
 * backups have the operation. An election chooses the primary (JEL §3.2).
 */
export class Replica implements Machine<ReplicaInput, ReplicaEffect> {
  readonly #context: ReplicaContext
  readonly #timers = new Timers(['begin', 'repeat'])
  readonly #snapshots: SnapshotSender
  readonly #candidacy: Candidacy
  readonly #backup: Backup
  readonly #winner: Winner
  #isClosed = false

  constructor(options: ReplicaOptions) {
    this.#context = new ReplicaContext(options, new Store(options.initial, options.apply))
    this.#candidacy = new Candidacy(this.#context)
    this.#backup = new Backup(this.#context, this.#candidacy)
    this.#snapshots = new SnapshotSender(this.#context)
    this.#winner = new Winner(this.#context, this.#candidacy, this.#snapshots)
    this.#context.snapshotSeq = () => this.#snapshots.oldest
  }

  get role(): ReplicaRole {
    return this.#winner.role ?? (this.#candidacy.hasState ? 'backup' : 'spare')
  }

  /** The present reign, as this replica knows it. */
  get reign(): Reign | undefined {
    return this.#context.holder
  }

  get backups(): readonly string[] {
    return this.#winner.backups
  }

  /**
   * Why this primary refuses operations now. Undefined: it applies them or lets them wait, or this
   * replica is no primary.
   */
  get refusal(): Winner['refusal'] {
    return this.#winner.refusal
  }

  get seq(): number {
    return this.#context.store.seq
  }

  /** The reigns whose operations this replica has. */
  get history(): readonly Mark[] {
    return this.#context.store.history
  }

  /** The state at this replica. The caller must not change the object. */
  get state(): unknown {
    return this.#context.store.state
  }

  handle(input: ReplicaInput | TimerInput, now: Milliseconds): readonly (ReplicaEffect | TimerEffect)[] {
    const context = this.#context
    context.now = now
    context.effects = []
    if (!this.#isClosed) {
      this.#take(input)
      this.#winner.review()
      this.#timers.set('begin', this.#candidacy.review() ?? Infinity)
      this.#schedule()
    }
    return context.effects
  }

  #take(input: ReplicaInput | TimerInput): void {
    switch (input.type) {
      case 'instances':
        this.#instances(input.ids)
        return
      case 'gone':
        this.#gone(input.member, input.died)
        return
      case 'elected':
        this.#elected(input.reign)
        return
      case 'message':
        this.#message(input.from, input.message)
        return
      case 'broken':
        this.#broken(input.member)
        return
      case 'call':
        this.#call(input)
        return
      case 'forget':
        this.#winner.forget(input.call)
        return
      case 'minority':
        this.#context.isMinority = input.minority
        return
      case 'timer':
        this.#timers.fire(this.#context.now, (name) => void (name === 'repeat' && this.#repeat()))
        return
      case 'close':
        this.#close()
        return
    }
  }

  #instances(ids: readonly string[]): void {
    const before = this.#context.instances
    const ended = before.filter((id) => !ids.includes(id))
    this.#context.instances = ids
    if (ended.length > 0 || ids.some((id) => !before.includes(id))) this.#context.changedAt = this.#context.now
    for (const id of ended) this.#gone(id, false)
    if (this.#context.holder === undefined) this.#candidacy.vacate()
  }

  #gone(member: string, died: boolean): void {
    const context = this.#context
    const { holder, designated } = context
    // Only a designated member, the primary or a follower can have operations that this replica
    // lacks. Until that member is back, the log must reach back to the fork.
    if (died && (designated.includes(member) || holder?.winner === member || this.#winner.hasFollower(member))) context.haunt(member)
    if (context.instances.includes(member)) context.changedAt = context.now
    context.instances = context.instances.filter((id) => id !== member)
    this.#snapshots.end(member)
    this.#winner.gone(member)
    this.#backup.gone(member)
    if (holder?.winner !== member || member === context.self) return
    context.holder = undefined
    this.#candidacy.vacate()
  }

  #elected(reign: Reign): void {
    const context = this.#context
    const { holder, self, instances } = context
    if (isSame(holder, reign)) return
    const isHolderHere = holder !== undefined && (holder.winner === self || instances.includes(holder.winner))
    if (isHolderHere && compareReigns(reign, holder) < 0) return
    context.holder = reign
    this.#candidacy.fill()
    if (reign.winner === self) this.#winner.begin(reign)
    else this.#winner.end()
    this.#backup.begin()
  }

  #broken(member: string): void {
    if (this.#winner.hasFollower(member)) this.#context.haunt(member)
    this.#winner.broken(member)
    this.#snapshots.end(member)
    this.#backup.gone(member)
  }

  #call(call: ReplicaCall): void {
    const context = this.#context
    // Without a primary the call waits for the next primary.
    if (this.#winner.role !== undefined || context.holder === undefined) this.#winner.call(call)
    else context.answer(call.call, { moved: true })
  }

  #message(from: string, message: ReplicaMessage): void {
    const context = this.#context
    const { holder, self } = context
    // Ignores members that are not in the list, such as one that seems to be dead. Ignores messages
    // of another reign: the sender knows another primary.
    if (!context.instances.includes(from) || !isSame(holder, message.reign)) return
    if (holder?.winner === self) this.#winner.message(from, message)
    if (message.type === 'fetch') this.#snapshots.send(from, message.reign, message.offset)
    if (from === holder?.winner && from !== self) this.#backup.message(from, message)
  }

  #repeat(): void {
    this.#snapshots.expire()
    this.#winner.repeat()
    this.#backup.repeat()
  }

  #close(): void {
    this.#winner.end()
    this.#candidacy.withdraw()
    this.#isClosed = true
  }

  /** Sets the timer for the parts that wait for something. A replica at rest has no timer. */
  #schedule(): void {
    const isSet = this.#timers.at('repeat') < Infinity
    if (!isSet && (this.#snapshots.isWaiting || this.#winner.isWaiting || this.#backup.isWaiting))
      this.#timers.set('repeat', this.#context.now + REPEAT)
    this.#context.effects.push({ type: 'timer', at: this.#timers.next })
  }
}
