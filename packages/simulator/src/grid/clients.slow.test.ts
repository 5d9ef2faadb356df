import { expect, it } from 'vitest'
import { seeds } from '../../test/seeds.ts'
import { ManyClients, resultAt } from '../../test/many-clients.ts'

const HOUR = 3_600_000
/**
 * `DAY=1` runs a day with ten thousand clients. CI runs an eighth: an eighth of the clients, the
 * time, the work and the room, at the same rate.
 */
const DAY = Number(process.env['DAY'] ?? 0.125)
/** Number of tasks of each long job. In a whole day they take twenty hours. */
const TASKS = Math.round(1440 * DAY)
/** Number of records that a member keeps in a whole day. */
const ROOM = Math.round(4096 * DAY)
/** Timeout of the test, ms. Measured: an eighth takes 17 s alone. */
const LIMIT = 1_800_000

it.each(seeds('1-1'))('the many clients of a day displace none of ten long jobs: seed %i', { timeout: LIMIT }, (seed) => {
  const pool = new ManyClients({
    seed,
    submissions: 10_000 * DAY,
    time: 24 * HOUR * DAY,
    longTasks: TASKS,
    keep: 12 * HOUR * DAY,
    room: ROOM,
    // Real members without work ask four times as often.
    backoffMost: 2000,
  })
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
  expect(pool.mostKnown).toBeLessThanOrEqual(ROOM + 1)
})
