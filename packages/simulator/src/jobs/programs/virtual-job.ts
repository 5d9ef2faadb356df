import type { Entry } from '@jel/compute/internals'
import { driver, driverInput, type DriverOptions } from './driver.ts'
import type { VirtualProgram } from './program.ts'
import { optima, search, searchInput, type SearchOptions } from './search.ts'
import { indexSpace, spaceInput, type SpaceOptions } from './space.ts'
import { bytesNumber, flatJob, irregularTree, rootInput, type TreeOptions } from './trees.ts'

/** A program, the input of its root, and the expected result. */
export interface VirtualJob {
  readonly program: VirtualProgram
  readonly input: Uint8Array
  readonly result: number
  /** Reads the result from the entry of the root; undefined if the root failed. */
  readonly resultOf: (entry: Entry) => number | undefined
  /**
   * For a search: the optimum below a task. Each report of the task must contain this bound, or a
   * better one.
   */
  readonly optimumBelow?: (input: Uint8Array) => number | undefined
}

export function treeJob(options: TreeOptions): VirtualJob {
  return { program: irregularTree(options), input: rootInput(options.leaves), result: options.leaves, resultOf: valueOf }
}

export function flatTreeJob(options: Omit<TreeOptions, 'branching'>): VirtualJob {
  return { program: flatJob(options), input: rootInput(options.leaves), result: options.leaves, resultOf: valueOf }
}

export function spaceJob(options: SpaceOptions): VirtualJob {
  return { program: indexSpace(options), input: spaceInput(options.indices), result: options.indices, resultOf: valueOf }
}

export function driverJob(options: DriverOptions): VirtualJob {
  return { program: driver(options), input: driverInput, result: options.tasks * options.rounds, resultOf: valueOf }
}

export function searchJob(options: SearchOptions): VirtualJob {
  const best = optima(options)
  const optimumBelow = (input: Uint8Array): number | undefined => best.get((JSON.parse(new TextDecoder().decode(input)) as [string])[0])
  return {
    program: search(options),
    input: searchInput,
    result: optimumBelow(searchInput) as number,
    resultOf: ({ shared }) => shared.get('best')?.key,
    optimumBelow,
  }
}

function valueOf({ outcome }: Entry): number | undefined {
  return 'value' in outcome ? bytesNumber(outcome.value) : undefined
}
