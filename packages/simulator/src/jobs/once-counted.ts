import type { Effect, Input, JobId, Path } from '@jel/compute/internals'
import type { ComputeNode } from './compute-node.ts'
import type { Break, JobCheck } from './job-check.ts'
import type { VirtualJob } from './programs/virtual-job.ts'

/**
 * Checks that each path counts once: no frame receives the outcome of a child twice, and the result
 * of a job is right.
 */
export class OnceCounted implements JobCheck {
  readonly #programs: ReadonlyMap<JobId, VirtualJob>
  readonly #break: Break
  /** The steps of the delivered children of each open frame, by member. */
  readonly #frames = new Map<ComputeNode, Map<string, Set<string>>>()

  constructor(programs: ReadonlyMap<JobId, VirtualJob>, breaks: Break) {
    this.#programs = programs
    this.#break = breaks
  }

  took(member: ComputeNode, input: Input): void {
    if (input.type === 'returned') this.#frames.get(member)?.delete(key(input.job, input.path))
  }

  did(member: ComputeNode, effect: Effect): void {
    switch (effect.type) {
      case 'run':
        this.#of(member).set(key(effect.job, effect.task.path), new Set())
        return
      case 'forget':
        this.#of(member).delete(key(effect.job, effect.path))
        return
      case 'deliver': {
        const steps = this.#of(member).get(key(effect.job, effect.path))
        if (steps?.has(effect.step) === true) this.#break(member, `counts a child of a task of ${effect.job} twice: ${effect.step}`)
        steps?.add(effect.step)
        return
      }
      case 'ended': {
        const program = this.#programs.get(effect.job)
        const seen = effect.entry && program?.resultOf(effect.entry)
        if (seen !== program?.result)
          this.#break(member, `has ${seen ?? 'nothing'} for the result of ${effect.job}, which is ${program?.result}`)
        return
      }
      default:
    }
  }

  #of(member: ComputeNode): Map<string, Set<string>> {
    let frames = this.#frames.get(member)
    if (frames === undefined) this.#frames.set(member, (frames = new Map<string, Set<string>>()))
    return frames
  }
}

function key(job: JobId, path: Path): string {
  return `${job} ${path}`
}
