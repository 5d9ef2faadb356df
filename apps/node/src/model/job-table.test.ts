import { describe, expect, it } from 'vitest'
import type { JobOverview } from '../events/job-messages.ts'
import { JOB_HEADS, jobLines } from './job-table.ts'
import { JobsModel } from './jobs.ts'

const active: JobOverview = {
  job: 'a',
  name: 'queens',
  owner: 'o',
  submitted: 0,
  state: 'active',
  reason: '',
  covered: 0.42,
  begun: 120,
  finished: 100,
  members: 3,
  functions: [
    { fn: 'place', finished: 90, failed: 2, ran: 134_550 },
    { fn: 'root', finished: 10, failed: 0, ran: 5 },
  ],
  workers: [
    { member: '12D3-member-one', begun: 60, finished: 50, running: 2, waiting: 30, ran: 5000 },
    { member: '12D3-member-two', begun: 60, finished: 50, running: 0, waiting: 0, ran: 4000 },
  ],
  tasks: [{ path: 'x', fn: 'place', holder: '12D3-member-one', age: 61_000, still: 0, progress: 0, leaf: true }],
}

function modelOf(...jobs: readonly JobOverview[]): JobsModel {
  const model = new JobsModel()
  model.take({ event: 'jobs', jobs, more: 0 }, 0)
  return model
}

function texts(model: JobsModel, now = 65_000): string[] {
  return jobLines(model, (member) => `at ${member.slice(-3)}`, now).map(({ kind, cells }) => `${kind}: ${cells.join('|')}`)
}

/** Returns the same job some tasks later. */
function later(more: number): JobOverview {
  const [place, root] = active.functions as [JobOverview['functions'][0], JobOverview['functions'][0]]
  const [one, two] = active.workers as [JobOverview['workers'][0], JobOverview['workers'][0]]
  const functions = [{ ...place, finished: place.finished + more }, root]
  return { ...active, finished: active.finished + more, functions, workers: [{ ...one, finished: one.finished + more }, two] }
}

describe('the table of jobs', () => {
  it('shows how far each function is, how fast, who works, what waits, and the oldest task', () => {
    const model = modelOf(active)
    model.take({ event: 'jobs', jobs: [later(20)], more: 2 }, 2000)
    expect(texts(model)).toEqual([
      'job: queens|42 %|120|2|10|1.1 s|2|30|active for 1 min 5 s, 1 of 3 members at work, place at …mber-one for 1 min 1 s',
      'function: place||110|2|10|1.2 s|||',
      'function: root||10||0|0.5 ms|||',
      'member: …mber-one||70||10|71 ms|2|30|at one',
      'member: …mber-two||50||0|80 ms|0|0|at two',
      'note: and 2 more||||||||',
    ])
  })

  it('has the share of each function of the time, since nobody knows how many tasks will come', () => {
    const shares = (model: JobsModel): unknown[] =>
      jobLines(model, () => '', 0).flatMap(({ kind, share }) => (kind === 'function' ? [share] : []))
    expect(shares(modelOf(active))).toEqual([134_550 / 134_555, 5 / 134_555])
    expect(shares(modelOf({ ...active, functions: active.functions.map((each) => ({ ...each, ran: 0 })) }))).toEqual([0, 0])
  })

  it('measures rates over the last seconds, and begins anew if a count falls', () => {
    const model = modelOf(active)
    for (let second = 1; second <= 20; second++) model.take({ event: 'jobs', jobs: [later(second * 100)], more: 0 }, second * 1000)
    expect(model.rows[0]?.rate).toBe(100)
    for (let second = 21; second <= 27; second++) model.take({ event: 'jobs', jobs: [later(2000)], more: 0 }, second * 1000)
    expect(model.rows[0]?.rate).toBe(0)
    model.take({ event: 'jobs', jobs: [active], more: 0 }, 28_000)
    expect(model.rows[0]?.rate).toBeUndefined()
  })

  it('says why a job waits', () => {
    const waiting = {
      ...active,
      state: 'pending',
      reason: 'no member of the pool computes',
      functions: [],
      workers: [],
      tasks: [],
    } as const
    expect(texts(modelOf(waiting))).toEqual([expect.stringMatching(/\|pending for 1 min 5 s: no member of the pool computes$/u)])
    const [begun] = texts(modelOf({ ...waiting, state: 'active' }))
    expect(begun).toMatch(/\|active for 1 min 5 s, no member of the pool computes, 0 of \d+ members at work$/u)
  })

  it('sums up a job that is over, and says which call failed, where and why', () => {
    const failure = { code: 'TASK_THREW', message: 'b is 0', member: '12D3-member-two', fn: 'ratio', input: '{ a: 3, b: 0 }', cause: 'x' }
    expect(texts(modelOf({ ...active, state: 'failed', reason: 'b is 0', ended: 1495, failure }))).toEqual([
      'job: queens|42 %|100|2||1.3 s|||failed, after 1.5 s, 3 members, 2 min 15 s of work',
      'failure: ratio||||||||TASK_THREW: b is 0; cause: x; ratio({ a: 3, b: 0 }) at …mber-two at two',
    ])
  })

  it('lists the busiest members of a large pool only, and has a cell for each column', () => {
    const [one] = active.workers
    const workers = Array.from({ length: 64 }, (_, i) => ({ ...one!, member: `member ${i}` }))
    const lines = jobLines(modelOf({ ...active, workers }), () => '', 0)
    expect(lines.filter(({ kind }) => kind === 'member')).toHaveLength(8)
    expect(lines.at(-1)?.cells[0]).toBe('56 more members')
    for (const { cells } of lines) expect(cells).toHaveLength(JOB_HEADS.length)
  })
})
