import type { Grid } from '@jel/compute'
import { expect, it } from 'vitest'
import type { JobEvent } from '../events/job-messages.ts'
import { submit } from './job-submission.ts'

/** Submits a job at a member. Returns the reported events so far, and the job's end of waiting. */
function submitAt(member: { readonly works: boolean; readonly replicas: readonly string[] }) {
  const kept = Promise.withResolvers<string>()
  const job = { id: 'j', name: 'n', replicas: member.replicas, kept: async () => await kept.promise }
  const grid = { works: member.works, submit: async () => job, addEventListener() {}, removeEventListener() {} } as unknown as Grid
  const events: string[] = []
  const command = { command: 'submit', file: 'f.js', function: 'f' } as const
  const ended = submit(grid, command, ({ event }) => void events.push(event), new AbortController().signal)
  return { kept, events, ended }
}

it.each([true, false])('a job is reported once another member has it: here are workers %j', async (works) => {
  const { kept, events, ended } = submitAt({ works, replicas: ['me', 'other'] })
  await new Promise((resolve) => setImmediate(resolve))
  expect(events).toEqual([])
  kept.resolve('other')
  await ended
  expect(events).toEqual(['submitted'])
})

it('a job that nobody else takes runs at a member that works', async () => {
  const alone = submitAt({ works: true, replicas: ['me'] })
  await alone.ended
  expect(alone.events).toEqual(['submitted'])
  const refused = submitAt({ works: true, replicas: ['me', 'other'] })
  refused.kept.reject(new Error('nobody has taken all of it'))
  await refused.ended
  expect(refused.events).toEqual(['submitted'])
})

it('a job that nobody takes is an error at a member that does not work', async () => {
  const { kept, events, ended } = submitAt({ works: false, replicas: ['other'] })
  kept.reject(new Error('nobody has taken all of it'))
  await expect(ended).rejects.toThrow('nobody has taken')
  expect(events).toEqual([])
})

it('a result that can not be written is a failure that says where the result is', async () => {
  const job = {
    id: 'j',
    name: 'n',
    replicas: [],
    result: Promise.resolve(1),
    kept: async () => 'other',
    async *progress() {},
  }
  const grid = { works: true, submit: async () => job, addEventListener() {}, removeEventListener() {} } as unknown as Grid
  const events: JobEvent[] = []
  const command = { command: 'submit', file: 'f.js', function: 'f', until: 'ended', outputFile: '/dev/null/none/r.json' } as const
  await submit(grid, command, (event) => void events.push(event), new AbortController().signal)
  expect(events.at(-1)).toMatchObject({
    event: 'failed',
    code: 'ENOTDIR',
    message: expect.stringMatching(/is done, .*--result/u) as string,
  })
})
