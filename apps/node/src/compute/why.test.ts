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
      'active: 2 members have begun 9 tasks and finished 7, 50 % is done; it waits for',
      '  search at mber-one, for 2.0 s: 50 % done, nothing new for 1.0 s; it waits for those below, and for what runs there',
      '    search at mber-two, for 2.0 s: it runs, or waits for a worker',
      '    search at er-three, for 2.0 s: 50 % done, nothing new for 1.0 s',
    ])
  })

  it('is its reason, where it has one', () => {
    expect(whyOf({ ...job, state: 'suspended', reason: 'its owner says so' }, [])).toBe('suspended: its owner says so')
  })
})
