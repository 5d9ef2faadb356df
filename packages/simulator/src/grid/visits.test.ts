import { describe, expect, it } from 'vitest'
import { seeds } from '../../test/seeds.ts'
import { resultAt, Visits } from '../../test/visits.ts'

const MINUTE = 60_000

describe('ten long jobs', () => {
  it.each(seeds('1-1'))('are left alone by hundreds of submissions by visitors, whose records have no room: seed %i', (seed) => {
    const visits = new Visits({ seed, submissions: 200, time: 30 * MINUTE, longTasks: 34, keep: 15 * MINUTE, room: 80 })
    visits.run()
    const { grid, long, submitted, lost } = visits
    for (const member of grid.members) expect(long.map((job) => resultAt(member, job))).toEqual(long.map(() => '34'))
    expect([...grid.runs].filter(([task, { count }]) => task.startsWith('long') && count > 1)).toEqual([])
    expect(visits.records.held).toEqual(expect.arrayContaining([...long]))
    expect(visits.evicted).toBeGreaterThan(10)
    expect(lost.length).toBeLessThan(10)
    expect(submitted.filter((job) => !grid.doneAt.has(job) && !lost.includes(job))).toEqual([])
    expect(visits.mostKnown).toBeLessThanOrEqual(80 + 1)
  })
})
