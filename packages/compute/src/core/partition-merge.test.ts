import { createRandom, hash52 } from '@jel/protocol'
import { beforeEach, describe, expect, it } from 'vitest'
import { jobSpec } from '../../test/job-spec.ts'
import type { Effect, Input } from './io.ts'
import type { Message } from './messages.ts'
import { Scheduler } from './scheduler.ts'

type Lookup = Extract<Message, { type: 'lookup' }>

// Jobs whose first replica is this member.
const [job, later] = Array.from({ length: 100 }, (_, number) => `job${number}`).filter((id) =>
  ['other', 'third'].every((member) => hash52(`${id} self`) > hash52(`${id} ${member}`)),
) as [string, string]
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
    feed({ type: 'joined', member: other })
    spawn('a')
    const reported = (effects: readonly Effect[]): string[] =>
      sent(effects, 'report').flatMap(({ number, claims }) => {
        hear({ type: 'noted', job, number })
        return claims.map(({ path }) => path)
      })
    const first = Array.from({ length: 5 }, () => feed({ type: 'timer' }, 1000)).flatMap(reported)
    expect(new Set(first)).toEqual(new Set(['']))
    expect(Array.from({ length: 5 }, () => feed({ type: 'timer' }, 1000)).flatMap(reported)).toEqual([])
    feed({ type: 'reentered' })
    feed({ type: 'timer' }, 1000)
    expect(reported(feed({ type: 'timer' }))).toEqual([''])
  })

  it('asks the former holder of a task that is back', () => {
    scheduler = create(1)
    feed({ type: 'joined', member: other })
    spawn('a')
    expect(steal()).toHaveLength(1)
    feed({ type: 'gone', id: 'other' })
    feed({ type: 'joined', member: other }, 100)
    const asked = (after: number): Lookup[] => sent(feed({ type: 'timer' }, after), 'lookup')
    const [lookup] = asked(300)
    expect(lookup?.paths).toEqual([step('a')])
    hear(found(lookup?.request))
    feed({ type: 'reentered' })
    feed({ type: 'timer' }, 1000)
    const [again] = asked(0)
    expect(again?.paths).toEqual([''])
    // It still has the task, so this member yields.
    hear(found(again?.request, [{ path: step('a'), holder: 'other' }]))
    expect(feed({ type: 'idle', slot: 0, seen: 1 }).some(({ type }) => type === 'run')).toBe(false)
  })

  it('asks replicas for a new job if another part of the pool may have begun it', () => {
    feed({ type: 'joined', member: other })
    feed({ type: 'gone', id: 'other' }, 60_000)
    feed({ type: 'joined', member: other }, 60_000)
    feed({ type: 'job', spec })
    expect(sent(feed({ type: 'timer' }, 300), 'lookup')).toMatchObject([{ job }])
    feed({ type: 'job', spec: { ...spec, id: later } }, 10_000)
    expect(sent(feed({ type: 'timer' }, 300), 'lookup').filter((lookup) => lookup.job === later)).toEqual([])
  })
})
