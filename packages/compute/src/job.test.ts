import { expect, it } from 'vitest'
import { Job } from './job.ts'
import type { JobSource } from './job-source.ts'
import type { JobView } from './core/job-view.ts'
import type { PublishedJob } from './shell/job-record.ts'

it('the progress of a job is asked for only until the next time that it is due', async () => {
  const watched: (number | undefined)[] = []
  const source: Partial<JobSource> = {
    closed: true,
    watch: (_, within) => watched.push(within),
    ended: async () => await Promise.resolve(undefined),
    status: (): JobView => ({
      ended: undefined,
      hasPart: false,
      entry: undefined,
      progress: 0,
      totals: { begun: 0, finished: 0, ran: 0, members: 0 },
    }),
    whyWaiting: () => 'it waits',
    published: () => ({ desired: 'run' }) as PublishedJob,
  }
  const job = new Job(source as JobSource, 'job')
  for await (const _ of job.progress(5000)) break
  expect(watched).toEqual([15_000])
  await expect(job.result).rejects.toThrow('stopped computing')
  expect(watched).toEqual([15_000, undefined])
})
