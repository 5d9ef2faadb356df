import type { Grid, JobProgress } from '@jel/compute'
import { describe, expect, it } from 'vitest'
import type { JobEvent } from '../agent/job-events.ts'
import { runErrand } from './errands.ts'

const progress: JobProgress = { state: 'pending', covered: 0, members: 0, begun: 0, finished: 0, rate: 0, reason: 'nobody has answered' }

/** A grid of one job, whose progress is these answers in turn. */
function gridOf(answers: readonly JobProgress[]): Grid {
  const job = {
    id: 'id',
    name: 'name',
    owner: 'owner',
    submitted: new Date(0),
    expires: new Date(0),
    replicas: [],
    async *progress() {
      for (const answer of answers) yield await Promise.resolve(answer)
    },
  }
  return { job: () => job } as unknown as Grid
}

async function stateOf(...answers: readonly JobProgress[]): Promise<unknown> {
  const told: JobEvent[] = []
  const { signal } = new AbortController()
  await runErrand(gridOf(answers), { command: 'job', job: 'name' }, (event) => told.push(event), signal)
  return told.map((event) => 'state' in event && event.state)
}

describe('what a command says of a job', () => {
  it('is what a replica answers that had to be asked again', async () => {
    expect(await stateOf(progress, progress, { ...progress, state: 'active' })).toEqual(['active'])
  })

  it('is that it waits, if none says otherwise', async () => {
    expect(await stateOf(progress, progress, progress, { ...progress, state: 'active' })).toEqual(['pending'])
  })
})
