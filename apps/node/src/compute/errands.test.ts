import type { Grid } from '@jel/compute'
import { expect, it } from 'vitest'
import type { JobEvent } from '../agent/job-events.ts'
import { runErrand } from './errands.ts'

async function resultOf(value: unknown): Promise<JobEvent | undefined> {
  const grid = { job: () => ({ id: 'x', result: Promise.resolve(value) }) } as unknown as Grid
  let told: JobEvent | undefined
  await runErrand(grid, { command: 'job', job: 'x', until: 'result' }, (event) => (told = event), new AbortController().signal)
  return told
}

it('a job that nobody takes says so, and is said to be submitted once somebody does', async () => {
  const told: string[] = []
  const within: unknown[] = []
  const job = {
    id: 'x',
    async kept(time?: number) {
      within.push(time)
      if (time === undefined) throw new Error('none of 3 members has taken all of it')
      return await Promise.resolve('member')
    },
    async *progress() {
      while (!told.includes('submitted')) yield await Promise.resolve({ state: 'pending' })
    },
    result: Promise.resolve(1),
  }
  const grid = { submit: () => job, addEventListener() {}, removeEventListener() {} } as unknown as Grid
  const tell = ({ event }: JobEvent): void => void (event !== 'progress' && told.push(event))
  const command = { command: 'submit', file: 'f', function: 'f', until: 'ended' } as const
  await runErrand(grid, command, tell, new AbortController().signal)
  expect(told).toEqual(['not-kept', 'submitted', 'done'])
  expect(within).toEqual([undefined, Infinity])
})

it('a result that names its parts again and again is not written out', async () => {
  let value: unknown = []
  for (let level = 0; level < 24; level++) value = [value, value]
  const begin = process.cpuUsage()
  expect(await resultOf(value)).toMatchObject({ event: 'failed', message: expect.stringContaining('as JSON') as string })
  // Processor time of this process only: others may keep the processor from it.
  expect(process.cpuUsage(begin).user / 1000).toBeLessThan(2000)
})

it('a result as large as one may be is written out', async () => {
  const value = { bytes: new Uint8Array(900_000), more: Array.from({ length: 50_000 }, (_, number) => number) }
  expect(await resultOf(value)).toMatchObject({ event: 'done' })
})
