import { describe, expect, it } from 'vitest'
import type { JobOverview, JobsEvent } from '../events/job-messages.ts'
import { JobGrowth, type Growth } from './job-growth.ts'

type Functions = Record<string, readonly [finished: number, failed: number, ran: number]>

const worker = (member: string, finished: number, ran: number, functions?: Functions): JobOverview['workers'][number] => ({
  member,
  begun: finished,
  finished,
  running: 1,
  waiting: 0,
  ran,
  ...(functions && {
    functions: Object.entries(functions).map(([fn, [ended, failed, time]]) => ({ fn, finished: ended, failed, ran: time })),
  }),
})

const job = (workers: JobOverview['workers'], more: Partial<JobOverview> = {}): JobOverview => ({
  job: 'a',
  name: 'sweep',
  owner: 'o',
  submitted: 0,
  state: 'active',
  reason: '',
  covered: 0,
  begun: 1,
  finished: 0,
  members: 1,
  functions: [],
  workers,
  tasks: [],
  ...more,
})

const jobs = (...list: readonly JobOverview[]): JobsEvent => ({ event: 'jobs', jobs: list, more: 0 })

/** Takes an event of each second, and returns the growth of the last. */
function lastOf(...events: readonly JobsEvent[]): Growth[] {
  const growth = new JobGrowth()
  return events.map((event, second) => growth.take(event, 100_000 + second * 1000)).at(-1) ?? []
}

describe('the growth of jobs', () => {
  it('is the difference of two events, by member and function', () => {
    const before = job([worker('m', 10, 500, { f: [8, 0, 400], g: [2, 0, 100] }), worker('n', 1, 1)])
    const after = job([worker('m', 24, 1400, { f: [18, 0, 900], g: [6, 1, 500] }), worker('n', 1, 1)])
    expect(lastOf(jobs(before), jobs(after))).toEqual([
      { member: 'm', fn: 'f', from: 100_000, to: 101_000, ran: 500, failed: 0 },
      { member: 'm', fn: 'g', from: 100_000, to: 101_000, ran: 400, failed: 1 },
    ])
  })

  it('has no function if the member does not tell, and the rest of the time if it tells a part', () => {
    expect(lastOf(jobs(job([worker('m', 1, 100)])), jobs(job([worker('m', 3, 300)])))).toMatchObject([{ fn: undefined, ran: 200 }])
    const [before, after] = [worker('m', 1, 100, { f: [1, 0, 100] }), worker('m', 5, 700, { f: [2, 0, 400] })]
    expect(lastOf(jobs(job([before])), jobs(job([after])))).toMatchObject([
      { fn: 'f', ran: 300 },
      { fn: undefined, ran: 300 },
    ])
    // A function that claims more than its member has the time of the member.
    const liar = worker('m', 5, 700, { f: [900, 900, 90_000] })
    expect(lastOf(jobs(job([before])), jobs(job([liar])))).toMatchObject([{ fn: 'f', ran: 600, failed: 4 }])
  })

  it('of a function that takes a place in a full list is not the time that it had before', () => {
    const four: Functions = { a: [1, 0, 10], b: [1, 0, 10], c: [1, 0, 10], d: [1, 0, 10] }
    const before = job([worker('m', 9, 45, four)])
    const after = job([worker('m', 10, 60, { ...four, d: [0, 0, 0], e: [6, 0, 20] })])
    expect(lastOf(jobs(before), jobs(after))).toMatchObject([{ fn: undefined, ran: 15 }])
  })

  it('counts from zero for members of a job that was new, not for those of a job that ran before', () => {
    const begun = job([worker('m', 100, 9000)])
    expect(lastOf(jobs(begun))).toEqual([])
    expect(lastOf(jobs(), jobs(begun))).toMatchObject([{ member: 'm', ran: 9000, from: 100_000 }])
    expect(lastOf(jobs(begun), jobs(job([worker('m', 100, 9000), worker('n', 2, 80)])))).toMatchObject([{ member: 'n', ran: 80 }])
    // The other job had no room in the first event, or no replica was asked for its work.
    expect(lastOf({ ...jobs(), more: 1 }, jobs(begun))).toEqual([])
    expect(lastOf(jobs(job([])), jobs(begun))).toEqual([])
    const crowd = Array.from({ length: 64 }, (_, i) => worker(`m${i}`, 1, 1))
    expect(lastOf(jobs(job(crowd)), jobs(job([...crowd.slice(1), worker('n', 100, 9000)])))).toEqual([])
  })

  it('of a long task reaches back over the time for which it ran', () => {
    const [grown] = lastOf(jobs(job([worker('m', 1, 10)])), jobs(job([worker('m', 3, 60_010)])))
    expect(grown).toMatchObject({ from: 101_000 - 30_000, to: 101_000, ran: 60_000 })
  })

  it('of counts that missed an event reaches back to their last change, at most a report', () => {
    const [first, second] = [jobs(job([worker('m', 1, 10)])), jobs(job([worker('m', 5, 50)]))]
    expect(lastOf(first, first, second)).toMatchObject([{ from: 100_000, to: 102_000 }])
    expect(lastOf(first, first, first, first, second)).toMatchObject([{ from: 103_000 - 1500, to: 104_000 }])
  })

  it('after a pause does not reach back into the pause, and has nothing of jobs that ended before', () => {
    const growth = new JobGrowth()
    const ended = job([worker('m', 1, 10)], { state: 'done' })
    growth.take(jobs(ended), 100_000)
    const news = jobs(ended, job([worker('m', 5, 50)], { job: 'b' }))
    expect(growth.take(news, 200_000)).toMatchObject([{ from: 200_000 - 1500, ran: 50 }])
  })

  it('is nothing where counts fall, and goes on from there', () => {
    const at = (finished: number): JobsEvent => jobs(job([worker('m', finished, finished * 10)]))
    expect(lastOf(at(100), at(4))).toEqual([])
    expect(lastOf(at(100), at(4), at(6))).toMatchObject([{ ran: 20 }])
  })
})
