import type { Effect, JobId, MemberId } from '@jel/compute/internals'
import type { ComputeNode } from './compute-node.ts'
import type { Break, JobCheck } from './job-check.ts'

/**
 * Checks that a member does not forget outvoted members. A member finds out at most once in a job
 * that others outvoted a certain member. From then on it gives that member no more of the job's
 * tasks.
 */
export class OutvotedMembers implements JobCheck {
  readonly #break: Break
  readonly #outvoted = new Map<ComputeNode, Map<JobId, Set<MemberId>>>()

  constructor(breaks: Break) {
    this.#break = breaks
  }

  did(member: ComputeNode, effect: Effect): void {
    if (effect.type === 'warning' && effect.code === 'MEMBER_OUTVOTED') {
      const outvoted = this.#of(member, effect.job)
      const [other = ''] = effect.message.split(' ')
      if (outvoted.has(other)) this.#break(member, `finds out twice that ${other} was outvoted in ${effect.job}`)
      outvoted.add(other)
    } else if (effect.type === 'send' && effect.message.type === 'work' && this.#outvoted.has(member)) {
      const given = effect.message.tasks.find(({ job }) => this.#of(member, job).has(effect.to))
      if (given !== undefined) this.#break(member, `gives a task of ${given.job} to ${effect.to}, which it knows to be outvoted`)
    }
  }

  #of(member: ComputeNode, job: JobId): Set<MemberId> {
    let jobs = this.#outvoted.get(member)
    if (jobs === undefined) this.#outvoted.set(member, (jobs = new Map<JobId, Set<MemberId>>()))
    let outvoted = jobs.get(job)
    if (outvoted === undefined) jobs.set(job, (outvoted = new Set()))
    return outvoted
  }
}
