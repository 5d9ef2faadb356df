/**
 * The program that runs on the grid: jobs whose tasks run all at once, one after another, or in
 * rounds.
 */
import { appendFileSync } from 'node:fs'
import { task } from '@jel/compute/program'
import { work, type Work } from './work.ts'

type Wide = Omit<Work, 'number'> & { readonly tasks: number }

export interface InTurn {
  readonly sum: number
  readonly ms: number
}

/** Runs all tasks at once. Returns the sum of their numbers. */
export const wide = task(async ({ tasks, ...each }: Wide, { run }) => {
  if (each.log !== undefined) appendFileSync(each.log, `root ${process.pid}\n`)
  const values = await Promise.all(Array.from({ length: tasks }, (_, number) => run(one, { ...each, number })))
  return values.reduce((sum, value) => sum + value, 0)
})

/**
 * Runs empty tasks one after another. Returns the sum of their numbers, and the time that they
 * take, ms. The start and the end of the job do not count.
 */
export const inTurn = task(async ({ tasks }: { tasks: number }, { run }): Promise<InTurn> => {
  const begin = performance.now()
  let sum = 0
  for (let number = 0; number < tasks; number++) sum += await run(one, { number, ms: 0, busy: false })
  return { sum, ms: performance.now() - begin }
})

export interface Rounds {
  readonly rounds: number
  /** Number of tasks in each round. */
  readonly width: number
  /** Duration of a task, ms. One of `every` tasks takes `times` times as long. */
  readonly ms: number
  readonly every: number
  readonly times: number
  readonly log: string
}

/**
 * Begins each round when the previous one has ended. Returns the sum of the numbers of all tasks.
 */
export const rounds = task(async ({ rounds: count, width, ms, every, times, log }: Rounds, { run }) => {
  let sum = 0
  for (let round = 0; round < count; round++) {
    const numbers = Array.from({ length: width }, (_, place) => round * width + place)
    const values = await Promise.all(
      numbers.map((number) => run(one, { number, ms: number % every === 0 ? ms * times : ms, busy: false, log })),
    )
    sum += values.reduce((all, value) => all + value, 0)
  }
  return sum
})

export const one = task((given: Work) => work(given))
