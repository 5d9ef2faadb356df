import type { Job, JobProgress } from '@jel/compute'
import { afterEach, expect, it, vi } from 'vitest'
import type { JobEvent } from '../events/job-messages.ts'
import { follow } from './job-reports.ts'

afterEach(() => vi.restoreAllMocks())

/**
 * Returns the reasons that are reported if the job has one of these states every three seconds.
 * `unfit`: the reason why it does not run at a member, known after `unfitAt` ms.
 */
async function reasonsOf(states: readonly [JobProgress['state'], string][], unfit?: string, unfitAt = 0): Promise<string[]> {
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  const job = {
    id: 'id',
    result: Promise.resolve(7),
    waits: async () => await Promise.resolve([{ fn: 'f' }, ...(unfit === undefined || now < unfitAt ? [] : [{ fn: 'f', unfit }])]),
    async *progress() {
      for (const [state, reason] of states) {
        now += 3000
        yield await Promise.resolve({ state, reason, covered: 0, members: 1, begun: 1, finished: 0, rate: 0 })
      }
    },
  }
  const events: JobEvent[] = []
  await follow(job as unknown as Job, (event) => events.push(event), new AbortController().signal)
  return events.flatMap((event) => (event.event === 'waits' ? [event.reason] : []))
}

it('a begun job that can not go on has its reason reported after five seconds, once, and again when it waits again', async () => {
  const waits: [JobProgress['state'], string] = ['active', 'nobody computes']
  const goesOn: [JobProgress['state'], string] = ['active', '']
  expect(await reasonsOf([goesOn, waits, goesOn])).toEqual([])
  expect(await reasonsOf([goesOn, waits, waits, waits])).toEqual(['nobody computes'])
  expect(await reasonsOf([goesOn, waits, waits, waits, goesOn, waits, waits])).toEqual(['nobody computes', 'nobody computes'])
})

it('the reason for the end of a job is no wait', async () => {
  expect(
    await reasonsOf([
      ['pending', 'nobody computes'],
      ['failed', 'no such luck'],
      ['failed', 'no such luck'],
    ]),
  ).toEqual([])
})

it('a pending job is reported with the reason of a member that accepts it, but can not run it', async () => {
  const waits: [JobProgress['state'], string] = ['pending', 'nobody has begun it']
  expect(await reasonsOf([waits, waits, waits], 'no room')).toEqual(['nobody has begun it; it does not run at 1 of them: no room'])
  expect(await reasonsOf([waits, waits, waits, waits, waits], 'no room', 10_000)).toEqual([
    'nobody has begun it',
    'nobody has begun it; it does not run at 1 of them: no room',
  ])
})

/**
 * Returns when the oldest task is reported, in seconds, if the job goes on for an hour and finishes
 * a task at each of these times.
 */
async function hangsAt(ends: readonly number[]): Promise<number[]> {
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  const task = { path: 'a', fn: 'evaluate', input: '{ n: 7 }' }
  const reported: number[] = []
  const job = {
    id: 'id',
    result: Promise.resolve(7),
    explain: async () =>
      await Promise.resolve({
        members: [
          { member: '12345678' },
          {
            member: 'abcdefgh',
            oldest: [
              { ...task, age: 1000 },
              { ...task, age: now },
            ],
          },
        ],
      }),
    async *progress() {
      for (now = 0; now <= 3_600_000; now += 1000) {
        const finished = ends.filter((end) => end * 1000 <= now).length
        yield await Promise.resolve({ state: 'active', reason: '', covered: 0.5, members: 2, begun: 100, finished, rate: 0 })
      }
    },
  }
  const report = (event: JobEvent): void => {
    if (event.event !== 'waits') return
    expect(event.reason).toMatch(/^evaluate\(\{ n: 7 \}\) has run at …abcdefgh for /u)
    reported.push(now / 1000)
  }
  await follow(job as unknown as Job, report, new AbortController().signal)
  return reported
}

it('a task that hangs is named after fifteen seconds without an end of a task, then ever more rarely', async () => {
  expect(await hangsAt([])).toEqual([15, 30, 60, 120, 240, 480, 960, 1920])
  expect(await hangsAt([10, 20])).toEqual([40, 60, 100, 180, 340, 660, 1300, 2580])
})

it('a job whose tasks take a minute each is no hanging one', async () => {
  const minutes = Array.from({ length: 60 }, (_, minute) => 60 * minute + 60)
  expect(await hangsAt(minutes)).toEqual([15, 30])
})
