import type { Entry } from '@jel/compute/internals'
import type { Milliseconds } from '@jel/protocol'
import type { ScenarioJob, Shape } from '../../scenario/jobs.ts'
import type { TaskTime } from '../../scenario/task-time.ts'
import { lifetime } from '../../scenario/distributions.ts'
import { driver, driverInput } from './driver.ts'
import type { VirtualProgram } from './program.ts'
import { optima, search, searchInput } from './search.ts'
import { indexSpace, spaceInput } from './space.ts'
import { bytesNumber, flatJob, irregularTree, rootInput } from './trees.ts'

/** A program, the input of its root, and the expected result. */
export interface VirtualJob {
  readonly program: VirtualProgram
  readonly input: Uint8Array
  readonly result: number
  /** Reads the result from the entry of the root; undefined if the root failed. */
  readonly resultOf: (entry: Entry) => number | undefined
  /**
   * For a search: the optimum below a task. Each report of the task must contain this bound or a
   * better bound.
   */
  readonly optimumBelow?: (input: Uint8Array) => number | undefined
}

/** Returns a scenario's jobs, by name. One seed gives the same tasks on all members. */
export function virtualJobs(jobs: readonly ScenarioJob[], seed: number): ReadonlyMap<string, VirtualJob> {
  return new Map(jobs.map(({ name, shape }, index) => [name, jobOf(shape, seed * jobs.length + index)]))
}

/** Returns one program for all jobs. The function of a task has the name of its job. */
export function programOf(jobs: ReadonlyMap<string, VirtualJob>): VirtualProgram {
  return (fn, input, context) => {
    const job = jobs.get(fn)
    if (job === undefined) throw new Error(`there is no job ${fn}`)
    return job.program(fn, input, context)
  }
}

function jobOf(shape: Shape, seed: number): VirtualJob {
  const resultOf = valueOf
  switch (shape.type) {
    case 'tree': {
      const { leaves, branching, leaf } = shape
      const program = irregularTree({ leaves, branching, leafTime: drawOf(leaf), seed })
      return { program, input: rootInput(leaves), result: leaves, resultOf }
    }
    case 'flat': {
      const { leaves, leaf } = shape
      return { program: flatJob({ leaves, leafTime: drawOf(leaf), seed }), input: rootInput(leaves), result: leaves, resultOf }
    }
    case 'space': {
      const { indices, index, piece } = shape
      const program = indexSpace({ indices, indexTime: drawOf(index), pieceTime: piece, seed })
      return { program, input: spaceInput(indices), result: indices, resultOf }
    }
    case 'driver': {
      const { tasks, rounds, task } = shape
      return { program: driver({ tasks, rounds, taskTime: drawOf(task), seed }), input: driverInput, result: tasks * rounds, resultOf }
    }
    case 'search':
      return searchJob(shape, seed)
  }
}

function searchJob({ depth, branching, node }: Extract<Shape, { type: 'search' }>, seed: number): VirtualJob {
  const options = { depth, branching, nodeTime: drawOf(node), seed }
  const best = optima(options)
  const optimumBelow = (input: Uint8Array): number | undefined => best.get((JSON.parse(new TextDecoder().decode(input)) as [string])[0])
  const result = optimumBelow(searchInput) as number
  return { program: search(options), input: searchInput, result, resultOf: ({ shared }) => shared.get('best')?.key, optimumBelow }
}

function valueOf({ outcome }: Entry): number | undefined {
  return 'value' in outcome ? bytesNumber(outcome.value) : undefined
}

function drawOf(time: TaskTime): (random: () => number) => Milliseconds {
  return (random) => (time.type === 'range' ? time.min + (time.max - time.min) * random() : lifetime(time, random))
}
