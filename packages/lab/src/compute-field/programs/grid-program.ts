/**
 * The program that runs on the grid: a job of the course, and one that runs its tasks one after
 * another.
 */
import { appendFileSync } from 'node:fs'
import { task } from '@jel/compute/program'
import { work, type Work } from './work.ts'

type Wide = Omit<Work, 'number'> & { readonly tasks: number }

export interface InTurn {
  readonly sum: number
  readonly ms: number
}

/** Returns the sum of the numbers of its tasks. */
export const wide = task(async ({ tasks, ...each }: Wide, { run }) => {
  if (each.log !== undefined) appendFileSync(each.log, `root ${process.pid}\n`)
  const values = await Promise.all(Array.from({ length: tasks }, (_, number) => run(one, { ...each, number })))
  return values.reduce((sum, value) => sum + value, 0)
})

/**
 * Returns the same sum, and the duration of the tasks, ms, without the job's own beginning and end.
 */
export const inTurn = task(async ({ tasks }: { tasks: number }, { run }): Promise<InTurn> => {
  const begin = performance.now()
  let sum = 0
  for (let number = 0; number < tasks; number++) sum += await run(one, { number, ms: 0, busy: false })
  return { sum, ms: performance.now() - begin }
})

export interface Rounds {
  readonly rounds: number
  /** Tasks of each round. */
  readonly width: number
  /** Duration of a task, ms. One task of `every` takes `times` as long. */
  readonly ms: number
  readonly every: number
  readonly times: number
  readonly log: string
}

/**
 * Begins each round when the one before it has ended. Returns the sum of the numbers of all tasks.
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
