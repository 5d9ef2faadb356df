import { describe, expect, it } from 'vitest'
import type { Entry } from '../core/entry.ts'
import { NOTHING_SHARED } from '../core/shared-value.ts'
import { Shifts } from './shifts.ts'

function shifts(): { shifts: Shifts; told: object[] } {
  const told: object[] = []
  return {
    told,
    shifts: new Shifts({
      shiftOf: (job) => (job === 'unknown' ? undefined : { job, name: `name of ${job}`, owner: 'o' }),
      onBegun: (shift) => told.push(shift),
      onEnded: (shift) => told.push(shift),
    }),
  }
}

const done: Entry = { path: '', outcome: { value: new Uint8Array() }, shared: NOTHING_SHARED }
const failed: Entry = { ...done, outcome: { failure: { code: 'TASK_THREW', message: 'no', member: 'm', tries: 1 } } }

describe('the work of a member for a job', () => {
  it('begins with the first task, and ends with the job', () => {
    const { shifts: work, told } = shifts()
    work.ran('a', 100)
    work.ran('a', 150)
    work.ran('b', 160)
    expect(told).toMatchObject([{ job: 'a', name: 'name of a', owner: 'o' }, { job: 'b' }])
    work.ended('a', done, 400)
    expect(told.slice(2)).toEqual([{ job: 'a', name: 'name of a', owner: 'o', state: 'done', tasks: 2, time: 300 }])
    work.ended('a', done, 500)
    expect(told).toHaveLength(3)
  })

  it('states how the job ended', () => {
    const { shifts: work, told } = shifts()
    work.ran('a', 0)
    work.ran('b', 0)
    work.ended('a', failed, 1)
    work.ended('b', undefined, 1)
    expect(told.slice(2)).toMatchObject([{ state: 'failed' }, { state: 'cancelled' }])
  })

  it('does not exist if nothing ran, or nobody has published the job', () => {
    const { shifts: work, told } = shifts()
    work.ended('a', done, 0)
    work.ran('unknown', 0)
    work.ended('unknown', done, 0)
    expect(told).toEqual([])
  })
})
