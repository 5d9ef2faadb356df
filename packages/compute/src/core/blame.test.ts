import { createRandom, hash52 } from '@jel/protocol'
import { expect, it } from 'vitest'
import type { Acceptance } from './acceptance.ts'
import type { Effect, Input, JobSpec } from './io.ts'
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
const sandboxed: Acceptance = { sandbox: true, anybody: false, owners: ['other owner'], more: false }

/**
 * The job runs here, and a machine's fault comes again and again. Returns the code of its failure;
 * undefined if it goes on.
 */
function failureOf(other: Acceptance | undefined, path?: string, votes = 1): string | undefined {
  const scheduler = new Scheduler({ self: { id: 'self', location: 'self@here' }, workers: 1, random: createRandom(1) })
  const effects: Effect[] = []
  let now = 0
  const feed = (input: Input): void => void effects.push(...scheduler.handle(input, (now += 10)))
  feed({ type: 'joined', member: { id: 'other', location: 'other@here', accepts: other } })
  feed({ type: 'job', spec: { ...spec, votes } })
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

it('a job with votes does not fail by the word of fewer members than must agree', () => {
  expect(failureOf(sandboxed, undefined, 2)).toBeUndefined()
})
