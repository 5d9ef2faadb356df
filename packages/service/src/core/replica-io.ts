import type { Milliseconds, TimerEffect } from '@jel/machine'
import type { Answer } from './call-messages.ts'
import type { Apply, Snapshot } from './entry.ts'
import type { Reign } from './history.ts'
import type { Reapplied } from './reapplied.ts'
import type { OutgoingMessage, ReplicaMessage } from './replica-messages.ts'
import type { Store } from './store.ts'

/** A call that has arrived at a replica. */
export interface ReplicaCall {
  /** The number of the call at this replica. */
  readonly call: number
  readonly caller: string
  readonly key: string
  readonly operation: unknown
}

export type ReplicaInput =
  /** The members that have the service, this one included, the oldest first. */
  | { readonly type: 'instances'; readonly ids: readonly string[] }
  /** A member died, or left. */
  | { readonly type: 'gone'; readonly member: string; readonly died: boolean }
  | { readonly type: 'elected'; readonly reign: Reign }
  | { readonly type: 'message'; readonly from: string; readonly message: ReplicaMessage }
  /** Messages to a member were lost. */
  | { readonly type: 'broken'; readonly member: string }
  | ({ readonly type: 'call' } & ReplicaCall)
  /** The caller no longer waits for the answer. */
  | { readonly type: 'forget'; readonly call: number }
  | { readonly type: 'minority'; readonly minority: boolean }
  /** The service ends at this member. */
  | { readonly type: 'close' }

export type ReplicaRole = 'spare' | 'backup' | 'takes over' | 'primary'

export type ReplicaEffect =
  | { readonly type: 'send'; readonly to: string; readonly message: OutgoingMessage }
  | { readonly type: 'answer'; readonly call: number; readonly answer: Answer }
  /** Makes this member a candidate of the election. `withdraw` ends the candidacy. */
  | { readonly type: 'stand' }
  | { readonly type: 'withdraw' }
  | { readonly type: 'reapplied'; readonly caller: string; readonly reapplied: Omit<Reapplied, 'name'> }
  | { readonly type: 'notice'; readonly code: string; readonly message: string }

export interface ReplicaOptions {
  /** The id of this member. */
  readonly self: string
  readonly replicas: number
  readonly alone: boolean
  readonly refusesInMinority: boolean
  readonly initial: unknown
  readonly apply: Apply
  readonly merge?: ((ours: unknown, theirs: unknown) => unknown) | undefined
  /** The calendar of this member at time 0, Unix ms. */
  readonly calendar: Milliseconds
}

/** The state that the parts of a replica share. */
export class ReplicaContext {
  readonly options: ReplicaOptions
  readonly store: Store
  instances: readonly string[] = []
  /** The time at which an instance last came or went. */
  changedAt: Milliseconds = 0
  /** The present reign, as this member knows it. */
  holder: Reign | undefined
  /**
   * Members that this one can't reach, and that may have the state. Such a member may come back
   * with a fork: operations that the others lack.
   */
  readonly ghosts = new Set<string>()
  isMinority = false
  /** Returns the last operation of the oldest snapshot that this replica sends. */
  snapshotSeq: () => number = () => Infinity
  /** The last operation that all backups of the primary have, as far as this replica knows. */
  committed = 0
  now: Milliseconds = 0
  /** The time of the service at time 0 of this member. */
  offset: Milliseconds
  effects: (ReplicaEffect | TimerEffect)[] = []

  constructor(options: ReplicaOptions, store: Store) {
    this.options = options
    this.store = store
    this.offset = options.calendar
  }

  get self(): string {
    return this.options.self
  }

  /** The time of the service. It passes as fast as the clock of this member. */
  get time(): Milliseconds {
    return this.now + this.offset
  }

  /** The members that should have the state: the oldest ones. */
  get designated(): readonly string[] {
    return this.instances.slice(0, this.options.replicas)
  }

  send(to: string, message: OutgoingMessage): void {
    this.effects.push({ type: 'send', to, message })
  }

  answer(call: number, answer: Answer): void {
    this.effects.push({ type: 'answer', call, answer })
  }

  notice(code: string, message: string): void {
    this.effects.push({ type: 'notice', code, message })
  }

  /** Tells a caller that its operation was applied again. */
  report(caller: string, reapplied: Omit<Reapplied, 'name'>): void {
    this.effects.push({ type: 'reapplied', caller, reapplied })
  }

  /** Makes a member a ghost, and forgets the oldest ghost above a limit. */
  haunt(member: string): void {
    this.ghosts.delete(member)
    this.ghosts.add(member)
    const [oldest] = this.ghosts
    if (this.ghosts.size > 256 && oldest !== undefined) this.ghosts.delete(oldest)
  }

  install(snapshot: Snapshot): void {
    this.store.install(snapshot)
    this.committed = 0
    this.offset = snapshot.now - this.now
  }
}
