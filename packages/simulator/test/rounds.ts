import { NOTHING_SHARED } from '@jel/compute/internals'
import { createRandom, hash52 } from '@jel/protocol'
import type { VirtualProgram } from '../src/jobs/programs/program.ts'
import { leaf, spawn, sum, timeOf, type TaskTime } from '../src/jobs/programs/trees.ts'

/** Options of {@link rounds}. */
export interface RoundsOptions {
  /** Tasks of one round. The next round begins when all of them have ended. */
  readonly tasks: number
  readonly rounds: number
  readonly taskTime: TaskTime
  readonly seed: number
}

const decoder = new TextDecoder()

/**
 * Rounds of tasks with a barrier after each round, like iterations that need all results of the
 * round before. The value is the number of tasks.
 */
export function rounds({ tasks, rounds: count, taskTime, seed }: RoundsOptions): VirtualProgram {
  return (fn, input) => {
    const [name, task] = JSON.parse(decoder.decode(input)) as [string, number | undefined]
    if (task !== undefined) return leaf(timeOf(taskTime, createRandom(hash52(name, seed) % 2 ** 32)))
    const next = (round: number) => Array.from({ length: tasks }, (_, each) => spawn(fn, `${round}.${each}`, [each]))
    let ended = 0
    return {
      cost: 0.05,
      children: next(0),
      more: () => (++ended % tasks === 0 && ended < tasks * count ? next(ended / tasks) : []),
      offers: NOTHING_SHARED,
      outcome: sum,
    }
  }
}

export const roundsInput = new TextEncoder().encode(JSON.stringify(['rounds']))

/**
 * Returns the ideal time of the rounds on this many workers, ms, with a barrier after each round.
 * The longest tasks go first. That is within a third of the optimum (Graham 1969).
 */
export function idealTime({ tasks, rounds: count, taskTime, seed }: RoundsOptions, workers: number): number {
  let time = 0
  for (let round = 0; round < count; round++) {
    const loads = Array.from({ length: workers }, () => 0)
    const times = Array.from({ length: tasks }, (_, each) => timeOf(taskTime, createRandom(hash52(`${round}.${each}`, seed) % 2 ** 32)))
    for (const each of times.sort((a, b) => b - a)) {
      const least = loads.indexOf(Math.min(...loads))
      loads[least] = (loads[least] as number) + each
    }
    time += Math.max(...loads)
  }
  return time
}
