import { counted } from '../base/text.ts'
import { describe, expect, it } from 'vitest'
import { jobWords, percent, span } from './job-words.ts'

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
  it('is told with how long ago, how much, by whom, how fast and how long still', () => {
    expect(jobWords(job, job.submitted + 12_000)).toEqual([
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

  it('has neither rate nor time left once it has ended, and says why it is in its state', () => {
    const lines = jobWords({ ...job, state: 'cancelled', reason: 'its owner says so' }, job.submitted + 12_000)
    expect(lines).toContain('state      cancelled: its owner says so')
    expect(lines.filter((line) => /^(rate|left)/u.test(line))).toEqual([])
  })

  it('of an owner whose calendar is ahead was submitted just now', () => {
    expect(jobWords(job, job.submitted - 5000)).toContain('submitted  0 s ago')
  })
})

it.each([
  [0, '0 s'],
  [59_400, '59 s'],
  [60_000, '1 min'],
  [185_000, '3 min 5 s'],
  [7_800_000, '2 h 10 min'],
  [604_790_000, '6 d 23 h'],
  [-5, '0 s'],
])('%i ms are %s', (ms, words) => {
  expect(span(ms)).toBe(words)
})

it('only what is done is 100 %, and one is no plural', () => {
  expect([0, 0.004, 0.996, 1].map(percent)).toEqual(['0 %', '0 %', '99 %', '100 %'])
  expect([1, 2].map((count) => counted(count, 'member'))).toEqual(['1 member', '2 members'])
})
