/** Jobs of all kinds, each with a known result. */
import { setTimeout as sleep } from 'node:timers/promises'
import { task } from '@jel/compute/program'

/** Runs many short tasks. Returns the sum of their numbers. */
export const wide = task(async ({ tasks, ms }: { tasks: number; ms: number }, { run }) => {
  const values = await Promise.all(Array.from({ length: tasks }, (_, number) => run(one, { number, ms })))
  return values.reduce((sum, value) => sum + value, 0)
})

export const one = task(async ({ number, ms }: { number: number; ms: number }) => {
  await sleep(ms)
  return number
})

/** Runs tasks that run tasks. Returns the number of leaves. */
export const deep = task(async ({ depth }: { depth: number }, { run }): Promise<number> => {
  if (depth === 0) return 1
  const [left, right] = await Promise.all([run(deep, { depth: depth - 1 }), run(deep, { depth: depth - 1 })])
  return left + right
})

/** Runs rounds with a barrier after each. Returns the number of completed rounds. */
export const rounds = task(async ({ count, width }: { count: number; width: number }, { run }) => {
  let met = 0
  for (; met < count; met++) await Promise.all(Array.from({ length: width }, (_, number) => run(one, { number, ms: 20 })))
  return met
})

/** Runs tasks with large inputs and results. Returns the number of characters in all results. */
export const bulky = task(async ({ tasks, text }: { tasks: number; text: string }, { run }) => {
  const values = await Promise.all(Array.from({ length: tasks }, (_, number) => run(echo, { text: `${number % 10}${text}` })))
  return values.reduce((sum, value) => sum + value.length, 0)
})

export const echo = task(({ text }: { text: string }) => text)

export const failing = task(async ({ tasks }: { tasks: number }, { run }) => {
  await Promise.all(Array.from({ length: tasks }, (_, number) => run(one, { number, ms: 20 })))
  throw new Error('as it should')
})
