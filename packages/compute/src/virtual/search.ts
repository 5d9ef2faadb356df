import { createRandom, hash52 } from '@jel/protocol'
import type { Spawn } from '../core/io.ts'
import { NOTHING_SHARED, type Shared } from '../core/shared-value.ts'
import type { VirtualProgram } from './program.ts'
import { numberBytes } from './trees.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

export interface SearchOptions {
  readonly depth: number
  readonly branching: number
  /** Mean time of a node, ms. */
  readonly nodeTime: number
  readonly seed: number
}

type Part = readonly [name: string, depth: number, cost: number]

/** Branch and bound: costs grow along the way down, so that what is above the best known one is cut off. Its result is the shared value `best`. */
export function search({ depth: deepest, branching, nodeTime, seed }: SearchOptions): VirtualProgram {
  return (_fn, input, { shared }) => {
    const [name, depth, cost] = JSON.parse(decoder.decode(input)) as Part
    const random = createRandom(hash52(name, seed) % 2 ** 32)
    const time = nodeTime * (0.25 + 1.5 * random())
    const bound = shared.get('best')?.key ?? Infinity
    if (cost >= bound) return { cost: time / 10, children: [], offers: shared, outcome: nothing }
    if (depth === deepest) return { cost: time, children: [], offers: best(cost), outcome: nothing }
    const children = branches([name, depth, cost], branching, seed).map(spawn)
    return { cost: time, children, offers: NOTHING_SHARED, outcome: nothing }
  }
}

/** The true optimum, found without bounds being late or lost. */
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

function spawn(part: Part): Spawn {
  return { step: hash52(part[0]).toString(36).padStart(11, '0').slice(-10), fn: 'search', input: encoder.encode(JSON.stringify(part)) }
}

function nothing(): { value: Uint8Array } {
  return { value: new Uint8Array() }
}
