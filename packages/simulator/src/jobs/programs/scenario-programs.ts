import type { Milliseconds } from '@jel/protocol'
import type { ScenarioJob, Shape } from '../../scenario/jobs.ts'
import type { TaskTime } from '../../scenario/task-time.ts'
import { lifetime } from '../../runner/session-length.ts'
import type { VirtualProgram } from './program.ts'
import { driverJob, flatTreeJob, searchJob, spaceJob, treeJob, type VirtualJob } from './virtual-job.ts'

/**
 * Returns the programs of a scenario's jobs, by name. One seed gives the same tasks on all members.
 */
export function programsOf(jobs: readonly ScenarioJob[], seed: number): ReadonlyMap<string, VirtualJob> {
  return new Map(jobs.map(({ name, shape }, index) => [name, jobOf(shape, seed * jobs.length + index)]))
}

/** Returns one program for all jobs. The function of a task has the name of its job. */
export function programOf(programs: ReadonlyMap<string, VirtualJob>): VirtualProgram {
  return (fn, input, context) => {
    const job = programs.get(fn)
    if (job === undefined) throw new Error(`there is no job ${fn}`)
    return job.program(fn, input, context)
  }
}

function jobOf(shape: Shape, seed: number): VirtualJob {
  switch (shape.type) {
    case 'tree':
      return treeJob({ leaves: shape.leaves, branching: shape.branching, leafTime: drawOf(shape.leaf), seed })
    case 'flat':
      return flatTreeJob({ leaves: shape.leaves, leafTime: drawOf(shape.leaf), seed })
    case 'search':
      return searchJob({ depth: shape.depth, branching: shape.branching, nodeTime: drawOf(shape.node), seed })
    case 'space':
      return spaceJob({ indices: shape.indices, indexTime: drawOf(shape.index), pieceTime: shape.piece, seed })
    case 'driver':
      return driverJob({ tasks: shape.tasks, rounds: shape.rounds, taskTime: drawOf(shape.task), seed })
  }
}

function drawOf(time: TaskTime): (random: () => number) => Milliseconds {
  return (random) => (time.type === 'range' ? time.min + (time.max - time.min) * random() : lifetime(time, random))
}
