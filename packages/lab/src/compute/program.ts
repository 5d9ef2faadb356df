import { appendFileSync } from 'node:fs'
import { task } from '@jel/compute/program'

interface Wide {
  readonly tasks: number
  readonly ms: number
  /** File to which each execution adds a letter when it begins. */
  readonly log: string
}

/** Runs tasks that keep a worker busy. Returns the sum of their numbers. */
export const wide = task(async ({ tasks, ms, log }: Wide, { run }) => {
  const values = await Promise.all(Array.from({ length: tasks }, (_, number) => run(busy, { number, ms, log })))
  return values.reduce((sum, each) => sum + each, 0)
})

export const busy = task(({ number, ms, log }: { number: number; ms: number; log: string }) => {
  appendFileSync(log, '.')
  for (const end = performance.now() + ms; performance.now() < end;);
  return number
})
