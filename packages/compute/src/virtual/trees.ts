import { createRandom, hash52 } from '@jel/protocol'
import type { Outcome } from '../core/entry.ts'
import type { Milliseconds, Spawn } from '../core/io.ts'
import { NOTHING_SHARED } from '../core/shared-value.ts'
import type { Plan, VirtualProgram } from './program.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** How long a task takes: of each its own draw, or about so long, from a quarter of it to the 1.75-fold. */
export type TaskTime = Milliseconds | ((random: () => number) => Milliseconds)

export interface TreeOptions {
  /** How many leaves it has. */
  readonly leaves: number
  readonly leafTime: TaskTime
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
  return (fn, input) => {
    const [name, size] = JSON.parse(decoder.decode(input)) as [string, number]
    const random = createRandom(hash52(name, seed) % 2 ** 32)
    if (size === 1) return leaf(timeOf(leafTime, random))
    const parts = Math.min(size, 2 + Math.floor(random() * (branching - 1)))
    const weights = Array.from({ length: parts }, () => 0.1 + random())
    const total = weights.reduce((sum, weight) => sum + weight, 0)
    const sizes = weights.map((weight) => Math.max(1, Math.floor((weight / total) * (size - parts)) + 1))
    sizes[0] = (sizes[0] as number) + size - sizes.reduce((sum, each) => sum + each, 0)
    const children = sizes.map((each, index) => spawn(fn, `${name}.${index}`, [each]))
    return { cost: 0.05, children, offers: NOTHING_SHARED, outcome: sum }
  }
}

/** One task with many children. Those of a time that is a number are all alike. */
export function flatJob({
  leaves,
  leafTime,
  seed = 0,
}: Pick<TreeOptions, 'leaves' | 'leafTime'> & { readonly seed?: number }): VirtualProgram {
  return (fn, input) => {
    const [name, size] = JSON.parse(decoder.decode(input)) as [string, number]
    if (size === 1) return leaf(typeof leafTime === 'number' ? leafTime : leafTime(createRandom(hash52(name, seed) % 2 ** 32)))
    const children = Array.from({ length: leaves }, (_, index) => spawn(fn, `${name}.${index}`, [1]))
    return { cost: 1, children, offers: NOTHING_SHARED, outcome: sum }
  }
}

/** The input of the root. */
export function rootInput(leaves: number): Uint8Array {
  return encoder.encode(JSON.stringify(['r', leaves]))
}

/** A child of this name, which its path follows from; the rest of its input comes after the name. */
export function spawn(fn: string, name: string, rest: readonly unknown[]): Spawn {
  return { step: hash52(name).toString(36).padStart(11, '0').slice(-10), fn, input: encoder.encode(JSON.stringify([name, ...rest])) }
}

export function timeOf(time: TaskTime, random: () => number): Milliseconds {
  return typeof time === 'number' ? time * (0.25 + 1.5 * random()) : time(random)
}

/** A task without children that counts for so many. */
export function leaf(cost: Milliseconds, counts = 1): Plan {
  return { cost, children: [], offers: NOTHING_SHARED, outcome: () => ({ value: numberBytes(counts) }) }
}

/** Adds up the numbers of the children; the first that failed fails. */
export function sum(children: readonly Outcome[]): Outcome {
  let total = 0
  for (const child of children) {
    if ('failure' in child) return child
    total += bytesNumber(child.value)
  }
  return { value: numberBytes(total) }
}
