import { describe, expect, it } from 'vitest'
import { whyOf } from './why.ts'

const job = {
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

describe('why a job is in its state', () => {
  it('is told as a tree of what waits for what', () => {
    const tasks = [
      { ...held, path: 'a'.repeat(20), holder: 'member-two', leaf: true },
      { ...held, path: '', holder: 'member-one' },
      { ...held, path: 'b'.repeat(10), holder: 'member-three' },
    ]
    expect(whyOf(job, tasks).split('\n')).toEqual([
      'active: 50 % is done; 2 members have begun 9 tasks and finished 7, as this member heard; it waits for',
      '  search at mber-one, for 2.0 s: 50 % done, nothing new for 1.0 s; it waits for those below, and for what runs there',
      '    search at mber-two, for 2.0 s: it runs, or waits for a worker',
      '    search at er-three, for 2.0 s: 50 % done, nothing new for 1.0 s',
      expect.stringMatching(/^not listed: tasks at the member whose task called for them/u),
    ])
  })

  it('has no escapes of those who say it', () => {
    const [, task] = whyOf(job, [{ ...held, path: '', fn: 'f\u001b[2J', holder: 'holder\u001b[2J' }]).split('\n')
    expect(task).toContain('f at holder,')
  })

  it('has what is known of the job for its root, whose holder told at its beginning', () => {
    const [, root] = whyOf(job, [{ ...held, path: '', holder: 'member-one', progress: 0 }]).split('\n')
    expect(root).toBe('  search at mber-one, for 2.0 s: 50 % done, nothing new for 1.0 s')
  })

  it('does not say 0 % of what is inside, of which its holder told no more', () => {
    const [, task] = whyOf(job, [{ ...held, path: 'a'.repeat(10), holder: 'member-one', progress: 0 }]).split('\n')
    expect(task).toBe('  search at mber-one, for 2.0 s: nothing new for 1.0 s')
  })

  it('says where the program does not run', () => {
    const unfit = { ...held, path: '', holder: 'member-one', age: 0, leaf: true, unfit: 'no\nmemory' }
    const [, root] = whyOf(job, [unfit]).split('\n')
    expect(root).toBe('  search at mber-one: its program does not run there: no memory')
  })

  it('says that there may be more than a replica names, and that none answered', () => {
    const many = Array.from({ length: 64 }, (_, index) => ({ ...held, path: String(index).padStart(10, '0'), holder: 'm' }))
    expect(whyOf(job, many).split('\n').at(-2)).toBe('  and perhaps for more: a replica names at most 64')
    expect(whyOf(job, [])).toMatch(/no replica says what it waits for$/u)
  })

  it('that is done is who did how much, as the member that was asked heard', () => {
    expect(whyOf({ ...job, state: 'done', covered: 1, members: 1 }, [])).toBe(
      'done: 100 % is done; 1 member has begun 9 tasks and finished 7, as this member heard',
    )
  })

  it('is its reason, where it has one', () => {
    expect(whyOf({ ...job, state: 'suspended', reason: 'its owner says so' }, [])).toBe('suspended: its owner says so')
  })
})
