import { expect, it } from 'vitest'
import type { Outcome } from './kinds.ts'
import { problemsOf, type JobRun, type SoakOfJobs } from './verdict.ts'

const right: Outcome = { event: 'done', result: 3 }
const other: Outcome = { event: 'done', result: 4 }

function job(more: Partial<JobRun>): JobRun {
  return {
    name: 'wide-1',
    kind: 'wide',
    isRight: (outcome) => outcome.event === 'done' && outcome.result === 3,
    submitted: 1,
    ended: 2,
    outcome: right,
    ...more,
  }
}

const soak: SoakOfJobs = { jobs: [], lost: [], disk: 1, diskLimit: 20_000_000, memory: [], minutes: 60 }
const problems = (more: Partial<SoakOfJobs>): string[] => problemsOf({ ...soak, ...more })

it('a lost job, a hanging job and a wrong result are reported, also those of the member that came last', () => {
  expect(problems({ jobs: [job({}), job({ last: right })] })).toEqual([])
  const { submitted: _, ...never } = job({})
  const { outcome: __, ...hanging } = job({})
  expect(problems({ jobs: [never] })).toEqual(['wide-1 could not be submitted'])
  expect(problems({ jobs: [{ ...hanging, last: 'nothing' }] })).toEqual(['wide-1 hangs; the member that came last: "nothing"'])
  expect(problems({ jobs: [job({ outcome: other })] })).toEqual([expect.stringContaining('ended otherwise than it should')])
  expect(problems({ jobs: [job({ last: 'nothing' })] })).toEqual([expect.stringContaining('is lost')])
  expect(problems({ jobs: [job({ last: other })] })).toEqual([expect.stringContaining('another result at the member that came last')])
})

it('a process that ended by itself and a disk beyond its limit are reported', () => {
  expect(problems({ lost: ['a'], disk: 30_000_000 })).toEqual([
    'a process ended by itself: a',
    'a member had 30 MB on its disk, which was limited to 20 MB',
  ])
})

it('growing memory is reported if the soak was long enough', () => {
  const growing = [Array.from({ length: 60 }, (_, minute) => ({ minute, bytes: 100e6 + minute * 2e6 }))]
  const alternating = [Array.from({ length: 60 }, (_, minute) => ({ minute, bytes: 100e6 + (minute % 2) * 10e6 }))]
  expect(problems({ memory: growing })).toEqual([expect.stringContaining('live memory of a member that stayed grew from 144 to')])
  expect(problems({ memory: alternating })).toEqual([])
  expect(problems({ memory: growing, minutes: 5 })).toEqual([])
  const jobs = (count: number): JobRun[] => Array.from({ length: count }, () => job({}))
  expect(problems({ memory: growing, jobs: jobs(8_000) })).toEqual([])
  expect(problems({ memory: growing, jobs: jobs(2_000) })).toHaveLength(1)
  expect(problems({ memory: [[]] })).toEqual(['live memory of a member that stayed was not measured'])
})
