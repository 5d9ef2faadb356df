import { createRandom, hash52 } from '@jel/protocol'
import type { Outcome } from '../core/entry.ts'
import type { Spawn } from '../core/io.ts'
import { NOTHING_SHARED } from '../core/shared-value.ts'
import type { VirtualProgram } from './program.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

export interface TreeOptions {
  /** How many leaves it has. */
  readonly leaves: number
  /** Mean time of a leaf, ms. */
  readonly leafTime: number
  /** Most children of a task. */
  readonly branching: number
  readonly seed: number
}

/** A number as the bytes of a value, and back. */
export function numberBytes(value: number): Uint8Array {
  return encoder.encode(String(value))
}

export function bytesNumber(bytes: Uint8Array): number {
  return Number(decoder.decode(bytes))
}

/**
 * A tree whose inner tasks cut their leaves unevenly, and whose leaves take unequal time, as those of a search do: neither can be known before. Its value
 * is the number of its leaves.
 */
export function irregularTree({ leafTime, branching, seed }: TreeOptions): VirtualProgram {
  return (_fn, input) => {
    const [name, size] = JSON.parse(decoder.decode(input)) as [string, number]
    const random = createRandom(hash52(name, seed) % 2 ** 32)
    if (size === 1) {
      // Between a quarter and the threefold, mostly near the mean.
      const cost = leafTime * (0.25 + 1.5 * random())
      return { cost, children: [], offers: NOTHING_SHARED, outcome: () => ({ value: numberBytes(1) }) }
    }
    const parts = Math.min(size, 2 + Math.floor(random() * (branching - 1)))
    const weights = Array.from({ length: parts }, () => 0.1 + random())
    const total = weights.reduce((sum, weight) => sum + weight, 0)
    const sizes = weights.map((weight) => Math.max(1, Math.floor((weight / total) * (size - parts)) + 1))
    sizes[0] = (sizes[0] as number) + size - sizes.reduce((sum, each) => sum + each, 0)
    const children = sizes.map((each, index) => spawn(`${name}.${index}`, each))
    return { cost: 0.05, children, offers: NOTHING_SHARED, outcome: sum }
  }
}

/** One task with many children, all alike. */
export function flatJob({ leaves, leafTime }: Pick<TreeOptions, 'leaves' | 'leafTime'>): VirtualProgram {
  return (_fn, input) => {
    const [name, size] = JSON.parse(decoder.decode(input)) as [string, number]
    if (size === 1) return { cost: leafTime, children: [], offers: NOTHING_SHARED, outcome: () => ({ value: numberBytes(1) }) }
    const children = Array.from({ length: leaves }, (_, index) => spawn(`${name}.${index}`, 1))
    return { cost: 1, children, offers: NOTHING_SHARED, outcome: sum }
  }
}

/** The input of the root. */
export function rootInput(leaves: number): Uint8Array {
  return encoder.encode(JSON.stringify(['r', leaves]))
}

function spawn(name: string, size: number): Spawn {
  return { step: hash52(name).toString(36).padStart(11, '0').slice(-10), fn: 'tree', input: encoder.encode(JSON.stringify([name, size])) }
}

function sum(children: readonly Outcome[]): Outcome {
  let total = 0
  for (const child of children) {
    if ('failure' in child) return child
    total += bytesNumber(child.value)
  }
  return { value: numberBytes(total) }
}
