import { createRandom, hash52 } from '@jel/protocol'
import { beforeEach, describe, expect, it } from 'vitest'
import { jobSpec } from '../../test/job-spec.ts'
import type { Entry } from './entry.ts'
import type { Effect, Input } from './io.ts'
import type { Grant, Message } from './messages.ts'
import { ROOT } from './path.ts'
import { Scheduler } from './scheduler.ts'
import { NOTHING_SHARED } from './shared-value.ts'

const OTHERS = ['liar', 'honest']
// A job whose first replica is this member.
const job = Array.from({ length: 1000 }, (_, number) => `job${number}`).find((id) =>
  OTHERS.every((other) => hash52(`${id} self`) > hash52(`${id} ${other}`)),
) as string
const spec = jobSpec(job)
const step = (name: string): string => hash52(name).toString(36).padStart(11, '0').slice(-10)

let scheduler: Scheduler
let now: number
/** Number of effects that the worker was given. */
let given: number
let isRootRunning: boolean
let lookups: { readonly to: string; readonly request: number }[]

function feed(input: Input, after = 1): Effect[] {
  now += after
  const effects = scheduler.handle(input, now)
  for (const effect of effects) {
    if (effect.type === 'run' || effect.type === 'deliver') given++
    if (effect.type === 'run' && effect.task.path === ROOT) isRootRunning = true
    if (effect.type === 'forget' && effect.path === ROOT) isRootRunning = false
    if (effect.type === 'send' && effect.message.type === 'lookup') lookups.push({ to: effect.to, request: effect.message.request })
  }
  return effects
}

function hear(from: string, message: Message): Effect[] {
  return feed({ type: 'message', from, message })
}

/** Replicas know nothing. So the root begins here again. */
function runRoot(): void {
  for (let round = 0; round < 50 && !isRootRunning; round++) {
    for (const { to, request } of lookups.splice(0)) hear(to, { type: 'found', job, request, entries: [], claims: [], last: true })
    feed({ type: 'idle', slot: 0, seen: given })
    feed({ type: 'timer' }, 100)
  }
  expect(isRootRunning).toBe(true)
}

function spawn(): void {
  const children = Array.from({ length: 2000 }, (_, number) => ({ step: step(String(number)), fn: 'child', input: Uint8Array.of(2) }))
  feed({ type: 'spawned', job, path: ROOT, children })
}

function steal(from: string, count: number): readonly Grant[] {
  return hear(from, { type: 'steal', request: 0, jobs: [job], count }).flatMap((effect) =>
    effect.type === 'send' && effect.message.type === 'work' ? effect.message.tasks : [],
  )
}

beforeEach(() => {
  scheduler = new Scheduler({ self: { id: 'self', location: 'self@here' }, workers: 1, random: createRandom(1) })
  now = 0
  given = 0
  isRootRunning = false
  lookups = []
  for (const id of OTHERS) feed({ type: 'joined', member: { id, location: `${id}@here` } })
  feed({ type: 'job', spec })
})

it('a replica that has the root left to another member, again and again, takes no work from that member', () => {
  for (let time = 0; time < 40; time++) {
    hear('liar', { type: 'yield', job, path: ROOT, to: 'honest' })
    hear('honest', { type: 'unknown', job, paths: [ROOT] })
    runRoot()
  }
  spawn()
  expect(steal('honest', 1)).toHaveLength(1)
  expect(steal('liar', 1)).toEqual([])
})

describe('a thief that names another holder for its tasks', () => {
  let paths: readonly string[]

  beforeEach(() => {
    spawn()
    paths = steal('liar', 64).map(({ path }) => path)
    expect(paths).toHaveLength(16)
    hear('liar', { type: 'moved', job, tasks: paths.map((path) => ({ path, holder: 'honest' })) })
  })

  it('takes no work from that member, and gets none itself, if that member does not have them', () => {
    hear('honest', { type: 'unknown', job, paths })
    expect(steal('honest', 1)).toHaveLength(1)
    expect(steal('liar', 1)).toEqual([])
  })

  it('gets work again once that member has them', () => {
    expect(steal('liar', 1)).toEqual([])
    hear('honest', { type: 'holding', job, progress: paths.map((path) => [path, 0]) })
    expect(steal('liar', 1)).toHaveLength(1)
    expect(steal('honest', 1)).toEqual([])
  })

  it('gets work again once that member gave their outcomes', () => {
    const entries = paths.map((path) => ({ path, outcome: { value: Uint8Array.of(1) }, shared: NOTHING_SHARED }))
    hear('honest', { type: 'result', job, entries })
    expect(steal('liar', 64)).toHaveLength(16)
    expect(steal('honest', 64)).toHaveLength(32)
  })

  it('has no more credit after it left and came back', () => {
    feed({ type: 'gone', id: 'liar' })
    feed({ type: 'joined', member: { id: 'liar', location: 'liar@here' } })
    hear('honest', { type: 'holding', job, progress: paths.map((path) => [path, 0]) })
    expect(steal('liar', 64)).toHaveLength(16)
  })
})

it('a member that was cut off with its tasks gets work when it is back', () => {
  spawn()
  expect(steal('honest', 64)).toHaveLength(16)
  feed({ type: 'gone', id: 'honest' }, 10_000)
  feed({ type: 'joined', member: { id: 'honest', location: 'honest@here' } }, 10_000)
  for (let second = 0; second < 60; second++) feed({ type: 'timer' }, 1000)
  expect(steal('honest', 64)).toHaveLength(16)
})

it('a member that gave its tasks back and left gets work when it is back', () => {
  spawn()
  const paths = steal('honest', 64).map(({ path }) => path)
  hear('honest', { type: 'unknown', job, paths })
  expect(steal('honest', 1)).toEqual([])
  feed({ type: 'gone', id: 'honest' }, 1000)
  feed({ type: 'joined', member: { id: 'honest', location: 'honest@here' } }, 10_000)
  expect(steal('honest', 1)).toHaveLength(1)
})

it('a member gets credit for outcomes with its valid vote only', () => {
  const verify = (_: unknown, { outcome }: Entry): boolean => 'value' in outcome && outcome.value[0] === 1
  const signer = { sign: () => new Uint8Array(), verify, isGenuine: () => true }
  scheduler = new Scheduler({ self: { id: 'self', location: 'self@here' }, workers: 1, random: createRandom(1), signer })
  for (const id of OTHERS) feed({ type: 'joined', member: { id, location: `${id}@here` } })
  feed({ type: 'job', spec: { ...spec, votes: 2 } })
  spawn()
  for (const [member, value] of [
    ['liar', 0],
    ['honest', 1],
  ] as const) {
    for (let task = 0; task < 40; task++) {
      const [grant] = steal(member, 1)
      if (grant === undefined) continue
      const votes = [{ by: member, leaf: true, signature: new Uint8Array() }]
      const entry = { path: grant.path, outcome: { value: Uint8Array.of(value) }, shared: NOTHING_SHARED, votes }
      hear(member, { type: 'result', job, entries: [entry] })
    }
  }
  const held = (member: string): number => Array.from({ length: 100 }, () => steal(member, 1).length).reduce((sum, each) => sum + each, 0)
  expect(held('liar')).toBe(0)
  expect(held('honest')).toBe(56)
})
