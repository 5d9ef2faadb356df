import { NOTHING_SHARED, type Outcome, type Spawn } from '@jel/compute/internals'
import { createRandom, hash52, type Milliseconds } from '@jel/protocol'
import type { Plan, VirtualProgram } from './program.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/**
 * The time of a task: a function that draws it, or a mean in ms. With a mean, the time is 0.25 to
 * 1.75 times the mean.
 */
export type TaskTime = Milliseconds | ((random: () => number) => Milliseconds)

/** Options of a tree of tasks. */
export interface TreeOptions {
  /** Number of leaves. */
  readonly leaves: number
  readonly leafTime: TaskTime
  /** The largest number of children of a task. */
  readonly branching: number
  readonly seed: number
}

/** Encodes a number as the bytes of a value. */
export function numberBytes(value: number): Uint8Array {
  return encoder.encode(String(value))
}

export function bytesNumber(bytes: Uint8Array): number {
  return Number(decoder.decode(bytes))
}

/**
 * A tree with the shape of a search. Inner tasks divide their leaves unevenly, and leaves take
 * unequal time. Nothing predicts either. The value is the number of leaves.
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

/** One task with many children. The children take equal time if `leafTime` is a number. */
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

/** Returns a child task. Its name is unique. Its input is the name and the rest. */
export function spawn(fn: string, name: string, rest: readonly unknown[]): Spawn {
  const input = encoder.encode(JSON.stringify([name, ...rest]))
  return { step: stepOf(fn, input), fn, input }
}

/** Returns the last step of a task's path. */
export function stepOf(fn: string, input: Uint8Array): string {
  return hash52(`${fn} ${decoder.decode(input)}`)
    .toString(36)
    .padStart(11, '0')
    .slice(-10)
}

export function timeOf(time: TaskTime, random: () => number): Milliseconds {
  return typeof time === 'number' ? time * (0.25 + 1.5 * random()) : time(random)
}

/** A task without children. Its value is `counts`. */
export function leaf(cost: Milliseconds, counts = 1): Plan {
  return { cost, children: [], offers: NOTHING_SHARED, outcome: () => ({ value: numberBytes(counts) }) }
}

/** Adds up the children's numbers. If a child failed, returns the first failure instead. */
export function sum(children: readonly Outcome[]): Outcome {
  let total = 0
  for (const child of children) {
    if ('failure' in child) return child
    total += bytesNumber(child.value)
  }
  return { value: numberBytes(total) }
}
