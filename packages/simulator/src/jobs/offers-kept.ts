import type { Effect, Entry, JobId, Path } from '@jel/compute/internals'
import type { ComputeNode } from './compute-node.ts'
import type { Break, JobCheck } from './job-check.ts'
import type { VirtualJob } from './programs/virtual-job.ts'

/**
 * Checks that no offered optimum is lost. An entry for a task of a search carries the best value
 * below the task, or a better value that pruned the task.
 */
export class OffersKept implements JobCheck {
  readonly #break: Break
  readonly #searches: ReadonlyMap<JobId, { readonly program: VirtualJob; readonly optima: Map<Path, number> }>

  constructor(programs: ReadonlyMap<JobId, VirtualJob>, breaks: Break) {
    this.#break = breaks
    this.#searches = new Map(
      [...programs]
        .filter(([, { optimumBelow }]) => optimumBelow !== undefined)
        .map(([job, program]) => [job, { program, optima: new Map<Path, number>() }]),
    )
  }

  did(member: ComputeNode, effect: Effect): void {
    if (this.#searches.size === 0) return
    if (effect.type === 'run') {
      const search = this.#searches.get(effect.job)
      const optimum = search?.program.optimumBelow?.(effect.task.input)
      if (optimum !== undefined) search?.optima.set(effect.task.path, optimum)
    } else if (effect.type === 'ended' && effect.entry !== undefined) this.#check(member, effect.job, [effect.entry])
    else if (effect.type === 'send' && 'entries' in effect.message) this.#check(member, effect.message.job, effect.message.entries)
  }

  #check(member: ComputeNode, job: JobId, entries: readonly Entry[]): void {
    const search = this.#searches.get(job)
    for (const { path, shared, votes } of search === undefined ? [] : entries) {
      // A vote comes from a single member, which may lie.
      if (votes?.length === 1) continue
      const optimum = search?.optima.get(path)
      const best = shared.get('best')?.key ?? Infinity
      if (optimum !== undefined && best > optimum)
        this.#break(member, `has lost an optimum that was offered in ${job}: ${optimum}; it tells of ${best}`)
    }
  }
}
