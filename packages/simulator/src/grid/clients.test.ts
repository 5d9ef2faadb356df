import { describe, expect, it } from 'vitest'
import { seeds } from '../../test/seeds.ts'
import { ManyClients, resultAt } from '../../test/many-clients.ts'

const MINUTE = 60_000

describe('ten long jobs', () => {
  it.each(seeds('1-1'))('are not displaced by hundreds of submissions of clients, whose records have no room: seed %i', (seed) => {
    const pool = new ManyClients({ seed, submissions: 200, time: 30 * MINUTE, longTasks: 34, keep: 15 * MINUTE, room: 80 })
    pool.run()
    const { grid, long, submitted, lost } = pool
    for (const member of grid.members) expect(long.map((job) => resultAt(member, job))).toEqual(long.map(() => '34'))
    expect([...grid.runs].filter(([task, { count }]) => task.startsWith('long') && count > 1)).toEqual([])
    expect(pool.records.held).toEqual(expect.arrayContaining([...long]))
    expect(pool.evicted).toBeGreaterThan(10)
    expect(lost.length).toBeLessThan(10)
    expect(submitted.filter((job) => !grid.doneAt.has(job) && !lost.includes(job))).toEqual([])
    expect(pool.mostKnown).toBeLessThanOrEqual(80 + 1)
  })
})
