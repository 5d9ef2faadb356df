import { createRandom, hash52 } from '@jel/protocol'
import { expect, it } from 'vitest'
import type { Acceptance } from './acceptance.ts'
import type { Effect, Input, JobSpec } from './io.ts'
import type { Message } from './messages.ts'
import { Scheduler } from './scheduler.ts'

// This member is the first replica of the job.
const id = Array.from({ length: 100 }, (_, number) => `job${number}`).find(
  (each) => hash52(`${each} self`) > hash52(`${each} other`),
) as string
const spec: JobSpec = {
  id,
  owner: 'owner',
  trusted: true,
  fn: 'root',
  input: Uint8Array.of(1),
  submitted: 0,
  desired: 'run',
  accepted: true,
  fresh: true,
}
const sandboxed: Acceptance = { sandbox: true, voted: false, anybody: false, owners: ['other owner'], more: false }

const replica = (self: string, accepts?: Acceptance): Scheduler =>
  new Scheduler({ self: { id: self, location: 'r@here', accepts }, workers: 1, random: createRandom(1) })

/**
 * The job runs here, and a machine's fault comes again and again. Returns the code of its failure;
 * undefined if it goes on.
 */
function failureOf(other: Acceptance | undefined, path?: string): string | undefined {
  const scheduler = replica('self')
  const effects: Effect[] = []
  let now = 0
  const feed = (input: Input): void => void effects.push(...scheduler.handle(input, (now += 10)))
  feed({ type: 'joined', member: { id: 'other', location: 'other@here', accepts: other } })
  feed({ type: 'job', spec })
  if (path !== undefined) feed({ type: 'spawned', job: id, path: '', children: [{ step: path, fn: 'child', input: Uint8Array.of(2) }] })
  for (let again = 0; again < 6; again++) {
    // The pause after some faults ends.
    now += 100_000
    feed({ type: 'timer' })
    feed({ type: 'unfit', slot: 0, job: id, code: 'NO_ENGINE', reason: 'no engine', ...(path !== undefined && { path }) })
  }
  const entry = scheduler.job(id)?.entry
  return entry !== undefined && 'failure' in entry.outcome ? entry.outcome.failure.code : undefined
}

it.each([
  ['its program does not load here', undefined],
  ['one of its tasks meets a fault of this machine', 'x'.repeat(10)],
])('a job fails if %s, and no other member accepts it', (_, path) => {
  expect(failureOf(sandboxed, path)).toBe('NO_ENGINE')
})

it.each([
  ['accepts it', { ...sandboxed, owners: ['owner'] }],
  ['accepts any program', { ...sandboxed, anybody: true }],
  ['does not say what it accepts', undefined],
])('a job goes on if another member %s', (_, accepts) => {
  expect(failureOf(accepts)).toBeUndefined()
  expect(failureOf(accepts, 'x'.repeat(10))).toBeUndefined()
})

it.each([
  [1, true],
  [2, false],
])('a job with %i votes fails by the word of a single worker: %s', (votes, fails) => {
  const ids = ['a', 'b', 'c', 'd']
  const replicas = new Map(ids.map((self) => [self, replica(self, sandboxed)]))
  let now = 0
  const queue: { readonly from: string; readonly to: string; readonly message: Message }[] = []
  const feed = (to: string, input: Input): void => {
    for (const effect of replicas.get(to)?.handle(input, now) ?? [])
      if (effect.type === 'send') queue.push({ from: to, to: effect.to, message: effect.message })
  }
  for (const self of ids) {
    for (const each of ids) if (each !== self) feed(self, { type: 'joined', member: { id: each, location: 'r@here', accepts: sandboxed } })
    feed(self, { type: 'joined', member: { id: 'worker', location: 'w@here', accepts: { ...sandboxed, anybody: true } } })
    feed(self, { type: 'job', spec: { ...spec, votes, accepted: false } })
    const work = { begun: 0, finished: 0, ran: 0, unfit: 'no engine' }
    queue.push({ from: 'worker', to: self, message: { type: 'report', job: id, number: 1, entries: [], claims: [], dropped: [], work } })
  }
  for (; now < 60_000; now += 1000) {
    for (const { from, to, message } of queue.splice(0)) feed(to, { type: 'message', from, message })
    for (const self of ids) feed(self, { type: 'timer' })
  }
  expect([...replicas.values()].some((each) => each.job(id)?.entry !== undefined)).toBe(fails)
})

it('a job waits two minutes for a fit member that is gone', () => {
  const scheduler = replica('self')
  const feed = (input: Input, now: number): void => void scheduler.handle(input, now)
  const isUnfit = (now: number): void => {
    for (let again = 0; again < 3; again++) feed({ type: 'unfit', slot: 0, job: id, code: 'NO_ENGINE', reason: 'no engine' }, now)
  }
  feed({ type: 'joined', member: { id: 'other', location: 'other@here' } }, 0)
  feed({ type: 'job', spec }, 0)
  isUnfit(10)
  feed({ type: 'gone', id: 'other' }, 20)
  isUnfit(100_000)
  expect(scheduler.job(id)?.entry).toBeUndefined()
  isUnfit(400_000)
  expect(scheduler.job(id)?.entry).toMatchObject({ outcome: { failure: { code: 'NO_ENGINE' } } })
})

it('a member that has no room for the files of a job says so to replicas, and is no reason to fail the job', () => {
  const other = Array.from({ length: 100 }, (_, number) => `other${number}`).find(
    (each) => hash52(`${id} self`) > hash52(`${id} ${each}`),
  ) as string
  const scheduler = replica('self')
  const effects: Effect[] = []
  let now = 0
  const feed = (input: Input): void => void effects.push(...scheduler.handle(input, (now += 10)))
  feed({ type: 'joined', member: { id: other, location: 'other@here' } })
  feed({ type: 'job', spec: { ...spec, accepted: false, noRoom: 'no room here' } })
  now += 5000
  feed({ type: 'timer' })
  const work = effects.flatMap((effect) => (effect.type === 'send' && effect.message.type === 'report' ? [effect.message.work] : []))
  expect(work.at(-1)).toMatchObject({ noRoom: 'no room here' })
  const full = { begun: 0, finished: 0, ran: 0, noRoom: 'no room there' }
  const report = { type: 'report', job: id, number: 1, entries: [], claims: [], dropped: [], work: full } as const
  feed({ type: 'message', from: other, message: report })
  expect(scheduler.job(id)?.entry).toBeUndefined()
  feed({ type: 'message', from: other, message: { type: 'explain', job: id } })
  const explained = effects.flatMap((effect) => (effect.type === 'send' && effect.message.type === 'explained' ? effect.message.tasks : []))
  expect(explained.flatMap(({ unfit }) => unfit ?? []).toSorted()).toEqual(['no room here', 'no room there'])
})
