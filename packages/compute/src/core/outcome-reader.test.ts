import { hash52 } from '@jel/protocol'
import { describe, expect, it } from 'vitest'
import type { Entry } from './entry.ts'
import type { Effect, JobSpec } from './io.ts'
import type { Message } from './messages.ts'
import { READ } from './outcome-reader.ts'
import { Scheduler } from './scheduler.ts'
import { NOTHING_SHARED } from './shared-value.ts'

const members = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth', 'eleventh']
const isBehind = (id: string): boolean => members.every((other) => hash52(`${id} ${other}`) > hash52(`${id} self`))
// Of this job the member is no replica.
const job = Array.from({ length: 1000 }, (_, number) => `job${number}`).find(isBehind) as string
const spec: JobSpec = {
  id: job,
  owner: 'o',
  fn: 'root',
  input: Uint8Array.of(1),
  submitted: 0,
  desired: 'run',
  trusted: false,
  accepted: true,
  fresh: true,
}
const path = 'abcdefghij'
const entry: Entry = { path, outcome: { value: Uint8Array.of(7) }, shared: NOTHING_SHARED }

function schedulerOf(others: readonly string[], votes = 1): Scheduler {
  const scheduler = new Scheduler({ self: { id: 'self', location: 'here' }, workers: 0, random: () => 0.5 })
  for (const id of others) scheduler.handle({ type: 'joined', member: { id, location: 'here' } }, 1)
  scheduler.handle({ type: 'job', spec: { ...spec, votes } }, 2)
  return scheduler
}

const asked = (effects: readonly Effect[]): string[] =>
  effects.flatMap((effect) => (effect.type === 'send' && effect.message.type === 'lookup' ? [effect.to] : []))
const given = (effects: readonly Effect[]): Entry[] => effects.flatMap((effect) => (effect.type === 'outcomes' ? effect.entries : []))
const found: Message = { type: 'found', job, request: READ, entries: [entry], claims: [], last: true, page: 0 }

describe('the outcomes of tasks', () => {
  it('come from one replica, and do not enter the result table', () => {
    const scheduler = schedulerOf(members)
    const [replica, ...others] = asked(scheduler.handle({ type: 'read', job, paths: [path] }, 3))
    expect(others).toEqual([])
    const [silent] = scheduler.replicas(job).filter((id) => id !== replica)
    expect(given(scheduler.handle({ type: 'message', from: silent as string, message: found }, 4))).toEqual([])
    expect(given(scheduler.handle({ type: 'message', from: replica as string, message: found }, 4))).toEqual([entry])
    expect(given(scheduler.handle({ type: 'message', from: replica as string, message: found }, 5))).toEqual([])
    expect(scheduler.hasResult(job, path)).toBe(false)
  })

  it('are not taken from a member that is no replica', () => {
    const scheduler = schedulerOf(members)
    const replicas = scheduler.replicas(job)
    const stranger = members.find((id) => !replicas.includes(id)) as string
    expect(given(scheduler.handle({ type: 'message', from: stranger, message: found }, 3))).toEqual([])
  })

  it('are known at a replica itself', () => {
    const scheduler = schedulerOf(['other'])
    const result: Message = { type: 'result', job, entries: [entry] }
    scheduler.handle({ type: 'message', from: 'other', message: result }, 3)
    const effects = scheduler.handle({ type: 'read', job, paths: [path, 'klmnopqrst'] }, 4)
    expect([asked(effects), given(effects)]).toEqual([[], [entry]])
  })

  it('above them are not given: each would be repeated for each task', () => {
    const scheduler = schedulerOf(['other'])
    scheduler.handle({ type: 'message', from: 'other', message: { type: 'result', job, entries: [entry] } }, 3)
    const paths = ['klmnopqrst', 'uvwxyzabcd'].map((step) => path + step)
    expect(given(scheduler.handle({ type: 'read', job, paths }, 4))).toEqual([])
    const asks: Message = { type: 'lookup', job, request: READ, paths, page: 0, alone: true }
    const answers = scheduler.handle({ type: 'message', from: 'other', message: asks }, 5)
    expect(answers).toMatchObject([{ message: { type: 'found', entries: [] } }])
  })

  it('of a job with votes are given only at its end', () => {
    const scheduler = schedulerOf(members, 2)
    const replica = scheduler.replicas(job)[0] as string
    expect(asked(scheduler.handle({ type: 'read', job, paths: [path] }, 3))).toEqual([])
    expect(given(scheduler.handle({ type: 'message', from: replica, message: found }, 4))).toEqual([])
  })

  it('are sent without those of tasks below', () => {
    const scheduler = schedulerOf(['other'])
    const below = { ...entry, path: `${path}klmnopqrst` }
    scheduler.handle({ type: 'message', from: 'other', message: { type: 'result', job, entries: [below] } }, 3)
    const answer = (alone: boolean): Entry[] =>
      scheduler
        .handle({ type: 'message', from: 'other', message: { type: 'lookup', job, request: READ, paths: [path], page: 0, alone } }, 4)
        .flatMap((effect) => (effect.type === 'send' && effect.message.type === 'found' ? effect.message.entries : []))
    expect([answer(true), answer(false)]).toEqual([[], [below]])
  })
})
