/**
 * A broker of jobs, as a replicated service. Machines take jobs and report them done. The jobs of a
 * machine that failed wait again.
 *
 *     const broker = await service(pool, 'broker', brokerService)
 *     await broker.call({ addJobs: ['a', 'b'] })
 *     const { jobs } = await broker.call({ getJobs: { machine: 'm1', count: 1 } })
 */
import type { ReplicatedService } from '@jel/service'

export interface BrokerState {
  /** Jobs in the order in which they came. */
  readonly waiting: string[]
  /** For each machine its running jobs. */
  readonly machines: Record<string, Record<string, true>>
  readonly done: Record<string, string>
}

export type BrokerOperation =
  | { readonly addJobs: readonly string[] }
  /** Gives at most `count` jobs to a machine, which has finished the jobs of `done`. */
  | { readonly getJobs: { readonly machine: string; readonly count: number; readonly done?: readonly string[] } }
  | { readonly deleteJob: string }
  /** A machine failed, or is no longer there. */
  | { readonly deleteMachine: string }
  | { readonly counts: true }

export interface BrokerResult {
  readonly jobs?: readonly string[]
  readonly waiting: number
  readonly running: number
  readonly done: number
}

/**
 * The state is changed in place: a copy of ten thousand jobs for each operation would take longer
 * than the operation.
 */
export const brokerService: ReplicatedService<BrokerState, BrokerOperation, BrokerResult> = {
  replicas: 3,
  initial: { waiting: [], machines: {}, done: {} },
  apply(state, operation) {
    const { waiting, machines, done } = state
    let jobs: readonly string[] | undefined
    if ('addJobs' in operation) waiting.push(...operation.addJobs)
    else if ('getJobs' in operation) {
      const { machine, count, done: finished = [] } = operation.getJobs
      const running = (machines[machine] ??= {})
      for (const job of finished) {
        if (!Object.hasOwn(running, job)) continue
        delete running[job]
        done[job] = machine
      }
      jobs = waiting.splice(0, count)
      for (const job of jobs) running[job] = true
    } else if ('deleteJob' in operation) {
      const at = waiting.indexOf(operation.deleteJob)
      if (at !== -1) waiting.splice(at, 1)
    } else if ('deleteMachine' in operation) {
      waiting.unshift(...Object.keys(machines[operation.deleteMachine] ?? {}))
      delete machines[operation.deleteMachine]
    }
    const running = Object.values(machines).reduce((sum, each) => sum + Object.keys(each).length, 0)
    return [state, { ...(jobs && { jobs }), waiting: waiting.length, running, done: Object.keys(done).length }]
  },
}
