import { NOTHING_SHARED, type Shared } from '@jel/compute/internals'
import { createRandom, hash52 } from '@jel/protocol'
import type { VirtualProgram } from './program.ts'
import { numberBytes, spawn, timeOf, type TaskTime } from './trees.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

export interface SearchOptions {
  readonly depth: number
  readonly branching: number
  readonly nodeTime: TaskTime
  readonly seed: number
}

type Part = readonly [name: string, depth: number, cost: number]

/**
 * Branch and bound. Costs grow with depth. So the search prunes parts above the best known cost.
 * The result is the shared value `best`.
 */
export function search({ depth: deepest, branching, nodeTime, seed }: SearchOptions): VirtualProgram {
  return (fn, input, { shared }) => {
    const [name, depth, cost] = JSON.parse(decoder.decode(input)) as Part
    const random = createRandom(hash52(name, seed) % 2 ** 32)
    const time = timeOf(nodeTime, random)
    const bound = shared.get('best')?.key ?? Infinity
    if (cost >= bound) return { cost: time / 10, children: [], offers: shared, outcome: nothing }
    if (depth === deepest) return { cost: time, children: [], offers: best(cost), outcome: nothing }
    const children = branches([name, depth, cost], branching, seed).map(([child, ...rest]) => spawn(fn, child, rest))
    return { cost: time, children, offers: NOTHING_SHARED, outcome: nothing }
  }
}

/** Computes the true optimum in one process. No bound is late or lost. */
export function optimum({ depth: deepest, branching, seed }: SearchOptions): number {
  let least = Infinity
  const open: Part[] = [rootPart]
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    const [, depth, cost] = part
    if (cost >= least) continue
    if (depth === deepest) least = cost
    else open.push(...branches(part, branching, seed))
  }
  return least
}

/** Computes the optimum below each task, by the task's name. */
export function optima({ depth: deepest, branching, seed }: SearchOptions): ReadonlyMap<string, number> {
  const found = new Map<string, number>()
  const visit = (part: Part): number => {
    const [name, depth, cost] = part
    const least = depth === deepest ? cost : Math.min(...branches(part, branching, seed).map(visit))
    found.set(name, least)
    return least
  }
  visit(rootPart)
  return found
}

export const searchInput = encoder.encode(JSON.stringify(['s', 0, 0]))
const rootPart: Part = ['s', 0, 0]

function branches([name, depth, cost]: Part, branching: number, seed: number): Part[] {
  return Array.from({ length: branching }, (_, index) => {
    const child = `${name}.${index}`
    return [child, depth + 1, cost + 1 + (hash52(child, seed + 1) % 1000)] as const
  })
}

function best(cost: number): Shared {
  return new Map([['best', { rule: 'min', key: cost, values: [numberBytes(cost)] }]])
}

function nothing(): { value: Uint8Array } {
  return { value: new Uint8Array() }
}
