import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { task } from '@jel/compute/program'

interface Waiting {
  readonly tasks: number
  readonly ms: number
  /**
   * File to which each execution adds a line when it begins and when it ends: the event, the task,
   * the time, the process.
   */
  readonly log: string
}

/**
 * Runs tasks that each keep a worker for a time, but no processor. Returns the sum of their
 * numbers.
 */
export const waiting = task(async ({ tasks, ms, log }: Waiting, { run }) => {
  const values = await Promise.all(Array.from({ length: tasks }, (_, number) => run(wait, { number, ms, log })))
  return values.reduce((sum, each) => sum + each, 0)
})

export const wait = task(async ({ number, ms, log }: { number: number; ms: number; log: string }) => {
  appendFileSync(log, `begin ${number} ${Date.now()} ${process.pid}\n`)
  await sleep(ms)
  appendFileSync(log, `end ${number} ${Date.now()} ${process.pid}\n`)
  return number
})
