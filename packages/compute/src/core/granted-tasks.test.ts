import { createRandom, hash52 } from '@jel/protocol'
import { expect, it } from 'vitest'
import type { Effect, Input, JobSpec } from './io.ts'
import { MAX_DEPTH } from './path.ts'
import { Scheduler } from './scheduler.ts'
import { NOTHING_SHARED } from './shared-value.ts'

const job = 'job'
const spec: JobSpec = {
  id: job,
  owner: 'o',
  fn: 'f',
  input: new Uint8Array(),
  votes: 2,
  submitted: 0,
  desired: 'run',
  trusted: false,
  accepted: true,
  fresh: false,
}
/** A path of the greatest depth. Only its first step differs from the others. */
const deep = (number: number): string => hash52(String(number)).toString(36).padStart(11, '0').slice(-10) + 'a'.repeat(10 * (MAX_DEPTH - 1))

/**
 * A thief whose only victim gives it tasks at the greatest depth. All of them fail at once. Returns
 * the number of given tasks and of run tasks.
 */
function steal(most: number): { given: number; ran: number } {
  let [now, seen, given, ran] = [0, 0, 0, 0]
  const scheduler = new Scheduler({ self: { id: 'self', location: 'self@here' }, workers: 1, random: createRandom(1) })
  const feed = (input: Input): void => {
    const effects: Effect[] = scheduler.handle(input, now)
    const more = (next: Input): void => void effects.push(...scheduler.handle(next, now))
    const hear = (message: Extract<Input, { type: 'message' }>['message']): void => more({ type: 'message', from: 'victim', message })
    for (let effect = effects.shift(); effect !== undefined; effect = effects.shift()) {
      if (effect.type === 'run') {
        ran++
        const failure = { code: 'FUNCTION_MISSING', message: '', member: '', tries: 0 }
        more({ type: 'returned', job, path: effect.task.path, outcome: { failure }, shared: NOTHING_SHARED, ran: 0.1 })
        more({ type: 'idle', slot: effect.slot, seen: ++seen })
      }
      if (effect.type !== 'send') continue
      const { message } = effect
      if (message.type === 'lookup') hear({ type: 'found', job, request: message.request, entries: [], claims: [], last: true })
      if (message.type === 'report') hear({ type: 'noted', job, number: message.number })
      if (message.type !== 'steal' || given >= most) continue
      const tasks = Array.from({ length: message.count }, () => ({
        path: deep(given++),
        job,
        fn: 'x',
        input: new Uint8Array(),
        replay: false,
        tries: 0,
      }))
      now++
      hear({ type: 'work', request: message.request, tasks, left: 0, ended: [] })
    }
  }
  feed({ type: 'joined', member: { id: 'victim', location: 'victim@here' } })
  feed({ type: 'job', spec })
  for (let second = 0; second < 200; second++) {
    if (given >= most) break
    now += 1000
    feed({ type: 'timer' })
  }
  return { given, ran }
}

it('a thief takes no more tasks of one victim than the victim’s quota has room for', () => {
  const { given, ran } = steal(1100)
  expect(given).toBeGreaterThanOrEqual(1100)
  expect(ran).toBeGreaterThan(1000)
  // 128 MiB have room for 1,024: each level of a path counts for 512 bytes.
  expect(ran).toBeLessThan(1050)
})

it('a thief announces a task that was lost with another holder before it begins, also in a job with votes', () => {
  const scheduler = new Scheduler({ self: { id: 'self', location: 'self@here' }, workers: 1, random: createRandom(1) })
  let now = 0
  const effects: Effect[] = []
  const feed = (input: Input): void => void effects.push(...scheduler.handle(input, now))
  feed({ type: 'joined', member: { id: 'victim', location: 'victim@here' } })
  feed({ type: 'job', spec })
  const path = 'a'.repeat(10)
  const asks = (): Effect | undefined => effects.find((effect) => effect.type === 'send' && effect.message.type === 'steal')
  for (; asks() === undefined && now < 60_000; now += 1000) feed({ type: 'timer' })
  const request = asks() as Extract<Effect, { type: 'send' }>
  effects.length = 0
  const task = { path, job, fn: 'x', input: new Uint8Array(), replay: false, tries: 1, holders: ['gone'] }
  feed({
    type: 'message',
    from: 'victim',
    message: { type: 'work', request: (request.message as { request: number }).request, tasks: [task], left: 0, ended: [] },
  })
  expect(effects).toContainEqual(expect.objectContaining({ type: 'run' }))
  const tried = effects.flatMap((effect) =>
    effect.type === 'send' && effect.message.type === 'report' ? (effect.message.tried ?? []) : [],
  )
  expect(tried).toMatchObject([{ path, holders: expect.arrayContaining(['self']) }])
})
