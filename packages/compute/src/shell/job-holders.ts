import type { Pool } from '@jel/jel'
import { pickSome } from '@jel/protocol'
import type { JobId, MemberId } from '../core/io.ts'
import type { Scheduler } from '../core/scheduler.ts'
import type { MemberList } from './member-list.ts'

/** Maximum number of members of each kind to ask for a blob, besides the replicas. A guess. */
const MAX_ASKED = 16

/** The other members that may have the files of a job. */
export class JobHolders {
  readonly #pool: Pool
  readonly #scheduler: Scheduler
  readonly #members: MemberList

  constructor(pool: Pool, scheduler: Scheduler, members: MemberList) {
    this.#pool = pool
    this.#scheduler = scheduler
    this.#members = members
  }

  /** The replicas of a job besides this member. */
  replicas(id: JobId): MemberId[] {
    return this.#scheduler.replicas(id).filter((member) => member !== this.#pool.self.id)
  }

  /** Whether this member is a replica. */
  isReplica(id: JobId): boolean {
    return this.#scheduler.replicas(id).includes(this.#pool.self.id)
  }

  /**
   * The members that take part, and so may keep a job: its replicas, then some others. Clients do
   * not take part.
   */
  participants(id: JobId): MemberId[] {
    const replicas = this.#scheduler.replicas(id)
    const others = this.#members.members.filter((member) => !replicas.includes(member))
    return [...replicas, ...this.#some(others)].filter((member) => member !== this.#pool.self.id)
  }

  /**
   * The members that may have a job's blobs: those that may keep the job, then other members of the
   * pool. A client may have submitted the job.
   */
  all(id: JobId): MemberId[] {
    const participants = this.participants(id)
    const others = this.#pool
      .members()
      .map((member) => member.id)
      .filter((member) => member !== this.#pool.self.id && !participants.includes(member))
    return [...participants, ...this.#some(others)]
  }

  /** Chooses at random. Otherwise all members would ask the same few members. */
  #some(members: readonly MemberId[]): MemberId[] {
    return pickSome(Math.random, members, MAX_ASKED)
  }
}
