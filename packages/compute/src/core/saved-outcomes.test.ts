import { createRandom } from '@jel/protocol'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Entry } from './entry.ts'
import type { Effect, Input } from './io.ts'
import type { Message } from './messages.ts'
import { Scheduler } from './scheduler.ts'
import { NOTHING_SHARED } from './shared-value.ts'

const job = 'job'
const spec = {
  id: job,
  owner: 'owner',
  fn: 'root',
  input: Uint8Array.of(1),
  submitted: 0,
  desired: 'run',
  trusted: false,
  accepted: false,
  fresh: false,
} as const
const entry = (path: string, value: number): Entry => ({ path, outcome: { value: Uint8Array.of(value) }, shared: NOTHING_SHARED })
const path = (name: string): string => name.repeat(10)

let now: number
let scheduler: Scheduler

function feed(input: Input, after = 0): Effect[] {
  now += after
  return scheduler.handle(input, now)
}

function report(from: string, ...entries: readonly Entry[]): Effect[] {
  const work = { begun: 0, finished: 0, ran: 0 }
  return feed({ type: 'message', from, message: { type: 'report', job, number: 0, entries, claims: [], dropped: [], work } })
}

function start(saves: boolean): void {
  now = 0
  scheduler = new Scheduler({ self: { id: 'self', location: 'here' }, workers: 1, random: createRandom(1), saves })
  feed({ type: 'joined', member: { id: 'other', location: 'here' } })
  feed({ type: 'job', spec })
}

beforeEach(() => start(true))

describe('a scheduler whose outcomes are saved', () => {
  it('names each outcome once, and leaves out those below an ended task', () => {
    report('other', entry(path('a'), 1), entry(path('b') + path('c'), 2))
    expect(scheduler.takeUnsaved()).toEqual(new Map([[job, [entry(path('a'), 1), entry(path('b') + path('c'), 2)]]]))
    expect(scheduler.takeUnsaved()).toEqual(new Map())
    report('other', entry(path('d') + path('e'), 3), entry(path('d'), 4))
    expect(scheduler.takeUnsaved()).toEqual(new Map([[job, [entry(path('d'), 4)]]]))
    expect(scheduler.entries(job)).toHaveLength(3)
    report('other', entry('', 5))
    expect(scheduler.takeUnsaved()).toEqual(new Map([[job, [entry('', 5)]]]))
    expect(scheduler.entries(job)).toEqual([entry('', 5)])
  })

  it('names votes for an outcome, which it knows before it counts', () => {
    feed({ type: 'expired', job })
    feed({ type: 'job', spec: { ...spec, votes: 2 } })
    const vote = { by: 'other', leaf: true, signature: new Uint8Array() }
    report('other', { ...entry(path('a'), 1), votes: [vote] })
    expect(scheduler.takeUnsaved().get(job)).toMatchObject([{ path: path('a'), votes: [vote] }])
    expect(scheduler.hasResult(job, path('a'))).toBe(false)
  })

  it('leaves out what came from the disk', () => {
    report('self', entry(path('a'), 1))
    expect(scheduler.takeUnsaved()).toEqual(new Map())
    expect(scheduler.entries(job)).toEqual([entry(path('a'), 1)])
    report('other', entry(path('b'), 2))
    expect(scheduler.takeUnsaved()).toEqual(new Map([[job, [entry(path('b'), 2)]]]))
  })

  it('keeps the outcome of a job that ended in an earlier run, whatever others say', () => {
    report('self', entry('', 5))
    feed({ type: 'restored' })
    feed({ type: 'message', from: 'other', message: { type: 'result', job, entries: [entry('', 0)] } }, 5000)
    expect(scheduler.entries(job)).toEqual([entry('', 5)])
  })

  it('keeps no list if nothing is saved', () => {
    start(false)
    report('other', entry(path('a'), 1))
    expect(scheduler.takeUnsaved()).toEqual(new Map())
  })

  it('passes outcomes from its own disk on to replicas, also to those that have got a report', () => {
    const reported = (effects: readonly Effect[]): Message[] =>
      effects.flatMap((effect) => (effect.type === 'send' && effect.message.type === 'report' ? [effect.message] : []))
    report('self', entry(path('a'), 1))
    const [first] = reported([...feed({ type: 'timer' }), ...feed({ type: 'timer' }, 1500)])
    expect(first).toMatchObject({ entries: [entry(path('a'), 1)] })
    feed({ type: 'message', from: 'other', message: { type: 'noted', job, number: first?.type === 'report' ? first.number : 0 } })
    // A time after which the outcomes of others are not passed on.
    feed({ type: 'timer' }, 20_000)
    report('other', entry(path('b'), 2))
    report('self', entry(path('c'), 3))
    const later = [...feed({ type: 'timer' }, 1500), ...feed({ type: 'timer' }, 1500)]
    expect(reported(later)).toMatchObject([{ entries: [entry(path('c'), 3)] }])
  })
})
