import { createRandom, hash52 } from '@jel/protocol'
import { beforeEach, describe, expect, it } from 'vitest'
import { jobSpec } from '../../test/job-spec.ts'
import type { Effect, Input } from './io.ts'
import type { Message } from './messages.ts'
import { Scheduler } from './scheduler.ts'

// A job whose first replica is this member.
const job = Array.from({ length: 100 }, (_, number) => `job${number}`).find((id) =>
  ['other', 'third'].every((member) => hash52(`${id} self`) > hash52(`${id} ${member}`)),
) as string
const spec = jobSpec(job)
const step = (name: string): string => name.repeat(10)
const other = { id: 'other', location: 'other@here' }

let now: number
let scheduler: Scheduler

beforeEach(() => {
  now = 0
  scheduler = create()
})

/** @param replicas the number of replicas of a job; undefined: the default */
function create(replicas?: number): Scheduler {
  const config = replicas === undefined ? {} : { replicas, replicasOfFew: replicas }
  return new Scheduler({ self: { id: 'self', location: 'self@here' }, workers: 1, random: createRandom(1), config })
}

function feed(input: Input, after = 0): Effect[] {
  now += after
  return scheduler.handle(input, now)
}

function sent<T extends Message['type']>(effects: readonly Effect[], type: T): Extract<Message, { type: T }>[] {
  const messages = effects.flatMap((effect) => (effect.type === 'send' ? [effect.message] : []))
  return messages.filter((message): message is Extract<Message, { type: T }> => message.type === type)
}

function hear(message: Message, from = 'other'): Effect[] {
  return feed({ type: 'message', from, message })
}

function found(request: number | undefined, holders: Extract<Message, { type: 'found' }>['claims'] = []): Message {
  return { type: 'found', job, request: request as number, entries: [], claims: holders, last: true }
}

/** The root runs, and has called for these children. */
function spawn(...names: readonly string[]): void {
  feed({ type: 'job', spec })
  const children = names.map((name) => ({ step: step(name), fn: 'child', input: Uint8Array.of(2) }))
  feed({ type: 'spawned', job, path: '', children })
}

/** Another member takes a task, and is lost with it. Returns the number of the lookup. */
function lose(): number | undefined {
  scheduler = create(1)
  for (const id of ['other', 'third']) feed({ type: 'joined', member: { id, location: `${id}@here` } })
  spawn('a', 'b', 'c')
  expect(steal()).toMatchObject([{ path: step('a') }])
  return comeBack()
}

/** The other member goes, and is back before the task begins here. */
function comeBack(): number | undefined {
  feed({ type: 'gone', id: 'other' })
  feed({ type: 'joined', member: other }, 100)
  const [lookup] = sent(feed({ type: 'timer' }, 300), 'lookup')
  expect(lookup?.paths).toEqual([step('a')])
  return lookup?.request
}

function steal(): Extract<Message, { type: 'work' }>['tasks'] {
  return sent(hear({ type: 'steal', request: 0, jobs: [job], count: 1 }), 'work').flatMap(({ tasks }) => tasks)
}

describe('after a partition a member', () => {
  it('gives away no task until all replicas have answered, and repeats its requests', () => {
    for (const id of ['other', 'third']) feed({ type: 'joined', member: { id, location: `${id}@here` } })
    spawn('a', 'b')
    feed({ type: 'reentered' })
    feed({ type: 'timer' }, 1000)
    const [first, ...rest] = sent(feed({ type: 'timer' }), 'lookup')
    const request = first?.request
    expect(rest).toEqual([first])
    expect(sent(feed({ type: 'timer' }, 3000), 'lookup')).toHaveLength(2)
    hear(found(request))
    expect(sent(feed({ type: 'timer' }, 6000), 'lookup')).toEqual([first])
    expect(steal()).toEqual([])
    hear(found(request), 'third')
    expect(steal()).toHaveLength(1)
    // `third` may come back later, so the wait begins again.
    feed({ type: 'gone', id: 'third' })
    expect(steal()).toEqual([])
  })

  it('reports its claims again, since replicas drop the claims of dead members', () => {
    for (const id of ['other', 'third']) feed({ type: 'joined', member: { id, location: `${id}@here` } })
    spawn('a')
    const reported = (effects: readonly Effect[]): string[] =>
      effects.flatMap((effect) => {
        if (effect.type !== 'send' || effect.message.type !== 'report') return []
        hear({ type: 'noted', job, number: effect.message.number }, effect.to)
        return effect.message.claims.map(({ path }) => effect.to + path)
      })
    const first = Array.from({ length: 5 }, () => feed({ type: 'timer' }, 1000)).flatMap(reported)
    expect(new Set(first)).toEqual(new Set(['other', 'third']))
    expect(Array.from({ length: 5 }, () => feed({ type: 'timer' }, 1000)).flatMap(reported)).toEqual([])
    feed({ type: 'reentered' })
    expect(reported(feed({ type: 'timer' }, 1000)).sort()).toEqual(['other', 'third'])
    // Each coming and going stops this member anew. But it reports its claims once.
    feed({ type: 'gone', id: 'third' })
    expect(Array.from({ length: 5 }, () => feed({ type: 'timer' }, 1000)).flatMap(reported)).toEqual([])
  })

  it('leaves a task to its lost holder that is back, and believes it nothing else', () => {
    const request = lose()
    const others = [step('b'), step('c')].map((path) => ({ path, holder: 'other' }))
    hear(found(request, [{ path: step('a'), holder: 'third' }, ...others]))
    expect(scheduler.figures().waiting).toBe(3)
    feed({ type: 'reentered' })
    feed({ type: 'timer' }, 1000)
    const [again] = sent(feed({ type: 'timer' }), 'lookup')
    expect(again?.paths).toEqual([''])
    hear(found(again?.request, [{ path: step('a'), holder: 'other' }, ...others]))
    expect(scheduler.figures().waiting).toBe(2)
  })

  it('leaves a task to no member that was lost with it twice', () => {
    hear(found(lose(), [{ path: step('a'), holder: 'other' }]))
    expect(scheduler.figures().waiting).toBe(2)
    hear(found(comeBack(), [{ path: step('a'), holder: 'other' }]))
    expect(scheduler.figures().waiting).toBe(3)
  })

  it('waits for a lost holder only once', () => {
    lose()
    feed({ type: 'timer' }, 3000)
    feed({ type: 'reentered' })
    const open = Array.from({ length: 10 }, () => sent(feed({ type: 'timer' }, 1000), 'lookup').length)
    expect(open.reduce((sum, each) => sum + each)).toBe(1)
    expect(steal()).toHaveLength(1)
  })

  it('notes when a member returned, but not when a member changes', () => {
    feed({ type: 'joined', member: other }, 1000)
    expect(scheduler.returnedAt).toBe(-Infinity)
    feed({ type: 'gone', id: 'other' }, 1000)
    feed({ type: 'joined', member: other }, 1000)
    expect(scheduler.returnedAt).toBe(3000)
    feed({ type: 'joined', member: { ...other, computes: false } }, 1000)
    expect(scheduler.returnedAt).toBe(3000)
    feed({ type: 'reentered' }, 1000)
    expect(scheduler.returnedAt).toBe(5000)
  })
})
