import { NOTHING_SHARED } from '@jel/compute/internals'
import { createRandom, hash52 } from '@jel/protocol'
import type { VirtualProgram } from './program.ts'
import { leaf, spawn, sum, timeOf, type TaskTime } from './trees.ts'

/** Options of a {@link driver}. */
export interface DriverOptions {
  /** Tasks that are open at once. */
  readonly tasks: number
  /** Length of each chain of tasks: each result starts the next task. */
  readonly rounds: number
  readonly taskTime: TaskTime
  readonly seed: number
}

const decoder = new TextDecoder()

/**
 * A master that folds results. Each result starts one further task until the last round. The
 * master's value is the number of tasks.
 */
export function driver({ tasks, rounds, taskTime, seed }: DriverOptions): VirtualProgram {
  return (fn, input) => {
    const [name, task] = JSON.parse(decoder.decode(input)) as [string, number | undefined]
    if (task !== undefined) return leaf(timeOf(taskTime, createRandom(hash52(name, seed) % 2 ** 32)))
    const next = (each: number, round: number) => spawn(fn, `${each}.${round}`, [each, round])
    return {
      cost: 0.05,
      children: Array.from({ length: tasks }, (_, each) => next(each, 0)),
      more: (child) => {
        const [, each, round] = JSON.parse(decoder.decode(child.input)) as [string, number, number]
        return round + 1 < rounds ? [next(each, round + 1)] : []
      },
      offers: NOTHING_SHARED,
      outcome: sum,
    }
  }
}

export const driverInput = new TextEncoder().encode(JSON.stringify(['driver']))
