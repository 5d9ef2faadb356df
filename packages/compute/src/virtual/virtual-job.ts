import type { Entry } from '../core/entry.ts'
import { driver, driverInput, type DriverOptions } from './driver.ts'
import type { VirtualProgram } from './program.ts'
import { optima, search, searchInput, type SearchOptions } from './search.ts'
import { indexSpace, spaceInput, type SpaceOptions } from './space.ts'
import { bytesNumber, flatJob, irregularTree, rootInput, type TreeOptions } from './trees.ts'

/** A program, the input of its root, and what must come of it. */
export interface VirtualJob {
  readonly program: VirtualProgram
  readonly input: Uint8Array
  readonly result: number
  /** What an entry of its root says, as {@link result}; undefined: it failed. */
  readonly resultOf: (entry: Entry) => number | undefined
  /** Of a search: the optimum below a task, which whatever is said of the task must know, or a better one. */
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
