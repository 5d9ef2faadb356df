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

it('a result that names its parts again and again is not written out', async () => {
  let value: unknown = []
  for (let level = 0; level < 24; level++) value = [value, value]
  const begin = performance.now()
  expect(await resultOf(value)).toMatchObject({ event: 'failed', message: expect.stringContaining('as JSON') as string })
  expect(performance.now() - begin).toBeLessThan(2000)
})

it('a result as large as one may be is written out', async () => {
  const value = { bytes: new Uint8Array(900_000), more: Array.from({ length: 50_000 }, (_, number) => number) }
  expect(await resultOf(value)).toMatchObject({ event: 'done' })
})
