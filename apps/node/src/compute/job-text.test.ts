import { describe, expect, it } from 'vitest'
import { explanationOf, jobText, workedText, workingText } from './job-text.ts'

const job = {
  event: 'job',
  job: 'c2dd78ff0f6556b9cc9f',
  name: 'wide\u001B[31m',
  owner: 'o',
  submitted: 1_790_000_000_000,
  expires: 1_790_000_000_000 + 7 * 86_400_000,
  replicas: ['m', 'n'],
  state: 'active',
  covered: 0.42,
  members: 7,
  begun: 91,
  finished: 84,
  rate: 118.594_058_350_802_94,
  reason: '',
} as const

describe('a job for a person', () => {
  it('is shown with its age, progress, members, rate and time left', () => {
    expect(jobText(job, job.submitted + 12_000)).toEqual([
      'job        c2dd78ff0f6556b9cc9f',
      'name       wide',
      'owner      o',
      'state      active',
      'submitted  12 s ago',
      'kept       for 6 d 23 h',
      'done       42 %',
      'members    7 members took part, as this member heard',
      'tasks      91 begun, 84 finished, as this member heard',
      'rate       7.0 tasks/s since it was submitted',
      'left       some 17 s, at that pace',
      'replicas   m n',
    ])
  })

  it('has neither rate nor time left once it has ended, and has the reason of its state', () => {
    const lines = jobText({ ...job, state: 'cancelled', reason: 'its owner says so' }, job.submitted + 12_000)
    expect(lines).toContain('state      cancelled: its owner says so')
    expect(lines.filter((line) => /^(rate|left)/u.test(line))).toEqual([])
  })

  it('of an owner whose calendar is ahead was submitted just now', () => {
    expect(jobText(job, job.submitted - 5000)).toContain('submitted  0 s ago')
  })
})

const active = {
  event: 'job',
  job: 'a',
  name: 'a',
  owner: 'o',
  submitted: 0,
  expires: 1,
  replicas: ['m'],
  state: 'active',
  covered: 0.5,
  members: 2,
  begun: 9,
  finished: 7,
  rate: 1,
  reason: '',
} as const
const held = { fn: 'search', age: 2000, still: 1000, progress: 0.5, leaf: false }

describe('the explanation of a job’s state', () => {
  it('is a tree of the tasks that wait for each other', () => {
    const tasks = [
      { ...held, path: 'a'.repeat(20), holder: 'member-two', leaf: true },
      { ...held, path: '', holder: 'member-one' },
      { ...held, path: 'b'.repeat(10), holder: 'member-three' },
    ]
    expect(explanationOf(active, tasks).split('\n')).toEqual([
      'active: 50 % is done; 2 members have begun 9 tasks and finished 7, as this member heard; it waits for',
      '  search at …mber-one, for 2.0 s: 50 % done, nothing new for 1.0 s; it waits for those below, and for what runs there',
      '    search at …mber-two, for 2.0 s: it runs, or waits for a worker',
      '    search at …er-three, for 2.0 s: 50 % done, nothing new for 1.0 s',
      expect.stringMatching(/^not listed: tasks at the member whose task called for them/u),
    ])
  })

  it('has the tasks that run for long, with their inputs', () => {
    const running = [{ path: 'a'.repeat(10), fn: 'evaluate', input: "{ kind: 'slow\u001b[2J' }", age: 31_000, member: 'member-two' }]
    expect(
      explanationOf(active, [{ ...held, path: '', holder: 'member-one' }], running)
        .split('\n')
        .slice(-2),
    ).toEqual(['tasks that run for long:', "  evaluate({ kind: 'slow' }) has run at …mber-two for 31.0 s"])
  })

  it('contains no escape sequences from members', () => {
    const [, task] = explanationOf(active, [{ ...held, path: '', fn: 'f\u001b[2J', holder: 'holder\u001b[2J' }]).split('\n')
    expect(task).toContain('f at …holder,')
  })

  it('shows the progress of the job at its root, whose holder reported only at the start', () => {
    const [, root] = explanationOf(active, [{ ...held, path: '', holder: 'member-one', progress: 0 }]).split('\n')
    expect(root).toBe('  search at …mber-one, for 2.0 s: 50 % done, nothing new for 1.0 s')
  })

  it('shows no 0 % for an inner task whose holder reported only at the start', () => {
    const [, task] = explanationOf(active, [{ ...held, path: 'a'.repeat(10), holder: 'member-one', progress: 0 }]).split('\n')
    expect(task).toBe('  search at …mber-one, for 2.0 s: nothing new for 1.0 s')
  })

  it('names the member where the program does not run', () => {
    const unfit = { ...held, path: '', holder: 'member-one', age: 0, leaf: true, unfit: 'no\nmemory' }
    const [, root] = explanationOf(active, [unfit]).split('\n')
    expect(root).toBe('  search at …mber-one: it does not run there: no memory')
    const pending = { ...active, state: 'pending', reason: 'no member has begun it' } as const
    expect(explanationOf(pending, [{ ...held, path: '', holder: 'member-two' }, unfit])).toBe(`pending: no member has begun it\n${root}`)
  })

  it('mentions tasks beyond those that a replica names, and that no replica answered', () => {
    const many = Array.from({ length: 64 }, (_, index) => ({ ...held, path: String(index).padStart(10, '0'), holder: 'm' }))
    expect(explanationOf(active, many).split('\n').at(-2)).toBe('  and perhaps for more: a replica names at most 64')
    expect(explanationOf(active, [])).toMatch(/no replica says what it waits for$/u)
    expect(explanationOf({ ...active, reason: 'nobody computes' }, [])).toMatch(/^active: nobody computes; 50 % is done; /u)
  })

  it('of a finished job is the work of its members, as far as the asked member knows', () => {
    expect(explanationOf({ ...active, state: 'done', covered: 1, members: 1 }, [])).toBe(
      'done: 100 % is done; 1 member has begun 9 tasks and finished 7, as this member heard',
    )
  })

  it('is the reason of the job, if it has one', () => {
    expect(explanationOf({ ...active, state: 'suspended', reason: 'its owner says so' }, [])).toBe('suspended: its owner says so')
  })
})

const shift = { job: 'c2dd78ff0f6556b9cc9f', name: 'wide\u001B[31m', owner: '12D3KooWFcrb6ywHKxycNsmTEj48' }

it('a member that works for a job names its owner, and later how it ended and the tasks run here', () => {
  expect(workingText(shift)).toBe('works for job wide of …NsmTEj48')
  const worked = (state: 'done' | 'failed' | 'cancelled', tasks: number): string => workedText({ ...shift, state, tasks, time: 125_000 })
  expect(worked('done', 35)).toBe('job wide of …NsmTEj48 is done; 35 tasks ran here in 2 min 5 s')
  expect(worked('failed', 1)).toBe('job wide of …NsmTEj48 is over: it failed; 1 task ran here in 2 min 5 s')
  expect(worked('cancelled', 2)).toBe('job wide of …NsmTEj48 is cancelled; 2 tasks ran here in 2 min 5 s')
})

it('a job without a name of its own is named by its id', () => {
  expect(workingText({ ...shift, name: 'e73e2b63-72df-421b-81dd-363a8fc33dba' })).toBe('works for job c2dd78ff0f6556b9cc9f of …NsmTEj48')
})
