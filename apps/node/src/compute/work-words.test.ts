import { expect, it } from 'vitest'
import { workedWords, workingWords } from './work-words.ts'

const shift = { job: 'c2dd78ff0f6556b9cc9f', name: 'wide\u001B[31m', owner: '12D3KooWFcrb6ywHKxycNsmTEj48' }

it('a member that works for a job says whose, and then how it ended and what ran here', () => {
  expect(workingWords(shift)).toBe('works for job wide of …NsmTEj48')
  const worked = (state: 'done' | 'failed' | 'cancelled', tasks: number): string => workedWords({ ...shift, state, tasks, time: 125_000 })
  expect(worked('done', 35)).toBe('job wide of …NsmTEj48 is done; 35 tasks ran here in 2 min 5 s')
  expect(worked('failed', 1)).toBe('job wide of …NsmTEj48 is over: it failed; 1 task ran here in 2 min 5 s')
  expect(worked('cancelled', 2)).toBe('job wide of …NsmTEj48 is cancelled; 2 tasks ran here in 2 min 5 s')
})

it('a job without a name of its own is named by its id', () => {
  expect(workingWords({ ...shift, name: 'e73e2b63-72df-421b-81dd-363a8fc33dba' })).toBe('works for job c2dd78ff0f6556b9cc9f of …NsmTEj48')
})
