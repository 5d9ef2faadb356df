import { expect, it } from 'vitest'
import { seeds } from '../../test/seeds.ts'
import { ManyClients, resultAt } from '../../test/many-clients.ts'

const HOUR = 3_600_000
/** Number of tasks of each long job. Together they take twenty hours. */
const TASKS = 1440
/** Timeout of the test, ms. It usually takes 50 to 200 s. */
const LIMIT = 600_000

it.each(seeds('1-1'))('ten thousand clients in a day displace none of ten long jobs: seed %i', { timeout: LIMIT }, (seed) => {
  // Real members without work ask four times as often.
  const pool = new ManyClients({ seed, submissions: 10_000, time: 24 * HOUR, longTasks: TASKS, keep: 12 * HOUR, backoffMost: 2000 })
  pool.run()
  const { grid, long, submitted, lost } = pool
  for (const member of grid.members) expect(long.map((job) => resultAt(member, job))).toEqual(long.map(() => String(TASKS)))
  expect([...grid.runs].filter(([task, { count }]) => task.startsWith('long') && count > 1)).toEqual([])
  expect(pool.records.held).toEqual(expect.arrayContaining([...long]))
  // The records have no room for all jobs. Jobs of the owners with the most jobs are evicted, even
  // while they run.
  expect(pool.evicted).toBeGreaterThan(100)
  expect(lost.length).toBeLessThan(submitted.length / 100)
  expect(submitted.filter((job) => !grid.doneAt.has(job) && !lost.includes(job))).toEqual([])
  expect(pool.mostKnown).toBeLessThanOrEqual(4096 + 1)
})
