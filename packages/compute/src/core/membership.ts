import type { Context } from './context.ts'
import { dropFrame } from './frame-release.ts'
import type { ComputeMember, MemberId } from './io.ts'
import type { Parts } from './parts.ts'

/** Handles members that come and go, and this member's own return and leave. */
export class Membership {
  readonly #context: Context
  readonly #parts: Parts

  constructor(context: Context, parts: Parts) {
    this.#context = context
    this.#parts = parts
  }

  joined(member: ComputeMember): void {
    const { members } = this.#context
    const { version } = members
    const isBack = members.knew(member.id) && !members.has(member.id)
    members.joined(member)
    // A client keeps nothing, and has no tasks.
    if (members.version === version) return
    if (isBack) members.returnedAt = this.#context.now
    this.#changed()
    this.#parts.lookupRequests.changed()
    this.#parts.stealing.wake()
  }

  gone(id: MemberId): void {
    const { members, active, now, self } = this.#context
    const { version } = members
    for (const job of active) if (members.runs(id, job.spec) && job.unfitAt(id, self) === undefined) job.failures.fitMemberLostAt = now
    if (!members.gone(id)) return
    this.#context.quota.gone()
    this.#parts.lookupRequests.changed()
    this.#parts.lookups.gone(id)
    this.#parts.stealing.gone(id)
    for (const job of active) this.#parts.supervision.gone(id, job)
    if (members.version !== version) this.#changed()
    this.#parts.reports.flush()
  }

  /** This member is back after a partition. */
  reentered(): void {
    this.#context.members.returnedAt = this.#context.now
    this.#parts.merge.begin()
    this.#parts.ended.reentered()
  }

  /** The pool may have been off as a whole. Nothing begins until its members are back. */
  restored(): void {
    this.#parts.merge.begin()
  }

  /**
   * This member leaves: returns held tasks to the members that wait for them, and reports what is
   * completed.
   */
  leave(): void {
    for (const job of this.#context.active) {
      const asked = new Map<MemberId, string[]>()
      for (const node of job.held) {
        const saved = this.#parts.saves.ownOf(job, node)
        for (const waiter of node.waiters ?? []) {
          if (saved.length === 0) asked.set(waiter, [...(asked.get(waiter) ?? []), node.path])
          // The waiter takes the states while it still waits for the task.
          else this.#context.send(waiter, { type: 'unknown', job: job.id, paths: [node.path], saved })
        }
      }
      for (const [waiter, paths] of asked) this.#context.send(waiter, { type: 'unknown', job: job.id, paths })
      // Otherwise this member would count as a holder that was lost with these tasks.
      for (const node of job.held) if (node.frame !== undefined) dropFrame(this.#context, job, node)
    }
    this.#parts.reports.flush(true)
  }

  /** Each job may have other replicas now. */
  #changed(): void {
    for (const job of this.#context.active) this.#context.attended.add(job)
    this.#parts.merge.changed()
    this.#parts.ended.changed()
  }
}
