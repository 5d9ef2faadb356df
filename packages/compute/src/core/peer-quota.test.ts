import { createRandom, hash52 } from '@jel/protocol'
import { describe, expect, it } from 'vitest'
import type { Entry } from './entry.ts'
import type { Effect, Input } from './io.ts'
import type { Message } from './messages.ts'
import type { Tried } from './tries.ts'
import { Scheduler } from './scheduler.ts'
import { NOTHING_SHARED } from './shared-value.ts'

const job = 'job'

/** A replica of a job with unsigned votes. */
function replica(votes: number): {
  feed: (input: Input) => Effect[]
  hear: (from: string, message: Message) => Effect[]
  knows: (path: string) => boolean
} {
  const scheduler = new Scheduler({ self: { id: 'self', location: 'here' }, workers: 0, random: createRandom(1) })
  let now = 0
  for (const id of ['hostile', 'honest']) scheduler.handle({ type: 'joined', member: { id, location: 'there' } }, now)
  const spec = {
    id: job,
    owner: 'o',
    favoured: false,
    fn: 'f',
    input: new Uint8Array(),
    submitted: 0,
    trusted: false,
    accepted: true,
  } as const
  scheduler.handle({ type: 'job', spec: { ...spec, desired: 'run', fresh: false, votes } }, now)
  const feed = (input: Input): Effect[] => scheduler.handle(input, (now += 10))
  const hear = (from: string, message: Message): Effect[] => feed({ type: 'message', from, message })
  const knows = (path: string): boolean => {
    const effects = hear('honest', { type: 'lookup', job, request: 1, paths: [path] })
    return effects.some(
      (effect) =>
        effect.type === 'send' && effect.message.type === 'found' && effect.message.entries.length + effect.message.claims.length > 0,
    )
  }
  return { feed, hear, knows }
}

const step = (name: string): string => hash52(name).toString(36).padStart(11, '0').slice(-10)
/** 256 levels deep. */
const deep = (name: string): string => Array.from({ length: 256 }, (_, level) => step(`${name} ${level}`)).join('')

function report({ entries = [], claims = [] }: Partial<Extract<Message, { type: 'report' }>>): Message {
  return { type: 'report', job, number: 1, entries, claims, dropped: [], work: { begun: 0, finished: 0, ran: 0 } }
}

const entry = (path: string, bytes = 1, by?: string): Entry => ({
  path,
  outcome: { value: new Uint8Array(bytes) },
  shared: NOTHING_SHARED,
  ...(by !== undefined && { votes: [{ by, leaf: true, signature: new Uint8Array() }] }),
})

describe('the reports of one member', () => {
  const large = new Uint8Array(2 ** 20)
  const says: readonly (readonly [string, number, (number: number) => Message])[] = [
    ['tasks deep in the tree', 1, (number) => report({ entries: [entry(deep(String(number)))] })],
    [
      'claims with large inputs',
      1,
      (number) =>
        report({
          claims: [{ path: step(String(number)), fn: 'f', input: large, age: 0, progress: 0, leaf: true, second: false }],
        }),
    ],
    ['votes with large values', 2, (number) => report({ entries: [entry(step(String(number)), 2 ** 20, 'hostile')] })],
  ]
  it.each(says)('are kept within a bound: %s', (_, votes, message) => {
    const { hear, knows } = replica(votes)
    let kept = 0
    for (let number = 0; number < 1150; number++) hear('hostile', message(number))
    for (let number = 0; number < 1150; number += 10) {
      const said = message(number) as Extract<Message, { type: 'report' }>
      if (knows(([...said.entries, ...said.claims][0] as { path: string }).path)) kept += 10
    }
    expect(kept).toBeGreaterThan(100)
    expect(kept).toBeLessThan(1100)
    hear('honest', votes > 1 ? report({ entries: [entry(step('honest'), 1, 'honest')] }) : report({ entries: [entry(step('honest'))] }))
    expect(knows(step('honest'))).toBe(true)
  })

  it('are kept within the same bound if it leaves and comes back', () => {
    const { feed, hear, knows } = replica(2)
    for (let number = 0; number < 200; number++) {
      hear('hostile', report({ entries: [entry(step(String(number)), 2 ** 20, 'hostile')] }))
      if (number % 100 !== 99) continue
      feed({ type: 'gone', id: 'hostile' })
      feed({ type: 'joined', member: { id: 'hostile', location: 'there' } })
    }
    const kept = Array.from({ length: 200 }, (_, number) => knows(step(String(number)))).filter(Boolean).length
    expect(kept).toBeGreaterThan(100)
    expect(kept).toBeLessThan(130)
  })

  it('no longer count against its quota once their tasks are done', () => {
    const { hear, knows } = replica(1)
    const below = step('above')
    const some = (from: number): Message =>
      report({ entries: Array.from({ length: 1000 }, (_, number) => entry(below + deep(String(from + number)).slice(10))) })
    hear('honest', some(0))
    hear('honest', some(1000))
    expect(knows(below + deep('1999').slice(10))).toBe(false)
    hear('honest', report({ entries: [entry(below)] }))
    for (let moment = 0; moment < 110; moment++) hear('honest', { type: 'noted', job, number: 99 })
    hear('honest', report({ entries: [entry(step('more') + deep('1').slice(10))] }))
    expect(knows(step('more') + deep('1').slice(10))).toBe(true)
  })
})

describe('a replica to which a liar sends more than its quota', () => {
  const mebibyte = 2 ** 20

  /**
   * An honest member reports the outcomes of four jobs of 50 MiB, one after the other. Meanwhile a
   * liar exceeds its quota all the time. Returns the number of outcomes that the replica keeps.
   */
  function kept(): number {
    const scheduler = new Scheduler({ self: { id: 'self', location: 'here' }, workers: 0, random: createRandom(1) })
    let [now, count, claims] = [0, 0, 0]
    const feed = (input: Input): void => void scheduler.handle(input, now)
    const submit = (id: string): void => {
      const spec = {
        id,
        owner: 'o',
        fn: 'f',
        input: new Uint8Array(),
        submitted: 0,
        desired: 'run',
        trusted: false,
        accepted: true,
        fresh: false,
      } as const
      feed({ type: 'job', spec })
    }
    const hear = (from: string, of: string, message: Message): void =>
      feed({ type: 'message', from, message: { ...message, job: of } as Message })
    const input = new Uint8Array(mebibyte)
    const lie = (): void => {
      const claim = { path: step(`claim ${claims++}`), fn: 'f', input, age: 0, progress: 0, leaf: true, second: false }
      hear('liar', 'hostile', report({ claims: [claim] }))
    }
    for (const id of ['liar', 'honest']) feed({ type: 'joined', member: { id, location: 'there' } })
    submit('hostile')
    for (let number = 0; number < 140; number++) lie()
    for (let number = 0; number < 4; number++) {
      submit(`job${number}`)
      for (let second = 0; second < 50; second++) {
        for (const end = now + 1001; now < end; now += 50) lie()
        hear('honest', `job${number}`, report({ entries: [entry(step(String(second)), mebibyte)] }))
        if (scheduler.hasResult(`job${number}`, step(String(second)))) count++
      }
      hear('honest', `job${number}`, report({ entries: [entry('', mebibyte)] }))
    }
    return count
  }

  it('keeps the outcomes of an honest member', () => {
    expect(kept()).toBe(200)
  })

  it('takes the outcome of a root from a member without room', () => {
    const { hear } = replica(1)
    const input = new Uint8Array(mebibyte)
    for (let number = 0; number < 140; number++) {
      const claim = { path: step(String(number)), fn: 'f', input, age: 0, progress: 0, leaf: true, second: false }
      expect(hear('hostile', report({ claims: [claim] })).some(({ type }) => type === 'ended')).toBe(false)
    }
    expect(hear('hostile', report({ entries: [entry('', mebibyte)] })).some(({ type }) => type === 'ended')).toBe(true)
  })
})

describe('the crashes and lost holders that one member reports', () => {
  type Tells = { readonly crashes: readonly string[]; readonly holders: readonly string[] }
  const others = ['hostile', 'honest']
  const former = ['a', 'b', 'c', 'd', 'e']

  /** A member that keeps these jobs, and that knew members that are gone. */
  function member(jobs: readonly string[], votes: number): (input: Input) => Effect[] {
    const scheduler = new Scheduler({ self: { id: 'self', location: 'here' }, workers: 1, random: createRandom(1) })
    let now = 0
    const feed = (input: Input): Effect[] => scheduler.handle(input, (now += 1000))
    for (const id of [...others, ...former]) feed({ type: 'joined', member: { id, location: 'there' } })
    for (const id of former) feed({ type: 'gone', id })
    const spec = {
      owner: 'o',
      fn: 'f',
      input: new Uint8Array(),
      submitted: 0,
      trusted: false,
      accepted: true,
      desired: 'run',
      fresh: true,
      votes,
    } as const
    for (const id of jobs) feed({ type: 'job', spec: { ...spec, id } })
    return feed
  }

  const tells = (of: string, paths: readonly string[], tries: Tells): Input => ({
    type: 'message',
    from: 'hostile',
    message: { ...(report({}) as Extract<Message, { type: 'report' }>), job: of, tried: paths.map((path) => ({ path, ...tries })) },
  })

  function triedAt(feed: (input: Input) => Effect[], of: string, path: string): readonly Tried[] {
    const effects = feed({ type: 'message', from: 'honest', message: { type: 'lookup', job: of, request: 1, paths: [path] } })
    return effects.flatMap((effect) => (effect.type === 'send' && effect.message.type === 'found' ? (effect.message.tried ?? []) : []))
  }

  // A job whose first replica is this member.
  const own = Array.from({ length: 1000 }, (_, number) => `job${number}`).find((id) =>
    others.every((other) => hash52(`${id} self`) > hash52(`${id} ${other}`)),
  ) as string

  it('set no task apart that is voted on', () => {
    const feed = member([own], 3)
    const path = step('child')
    for (let second = 0; second < 10; second++) feed({ type: 'timer' })
    feed(tells(own, [path], { crashes: ['honest', 'honest', 'self'], holders: former }))
    feed({ type: 'spawned', job: own, path: '', children: [{ step: path, fn: 'g', input: new Uint8Array() }] })
    const effects = feed({ type: 'idle', slot: 0, seen: 1 })
    expect(effects.find(({ type }) => type === 'run')).toMatchObject({ task: { path } })
    expect(triedAt(feed, own, path)).toEqual([])
  })

  it('name only members', () => {
    const feed = member([own], 1)
    const [path, other] = [step('one'), step('other')]
    feed(tells(own, [path], { crashes: ['stranger', 'honest'], holders: ['a', 'nobody'] }))
    feed(tells(own, [other], { crashes: ['stranger'], holders: ['nobody'] }))
    expect(triedAt(feed, own, path)).toEqual([{ path, crashes: ['honest'], holders: ['a'] }])
    expect(triedAt(feed, own, other)).toEqual([])
  })

  it('are kept within a bound', () => {
    const jobs = Array.from({ length: 16 }, (_, number) => `${own}-${number}`)
    const feed = member(jobs, 1)
    const crashes = Array.from({ length: 16 }, () => 'honest')
    const holders = [...others, ...former]
    const paths = Array.from({ length: 4096 }, (_, number) => step(String(number)))
    for (const id of jobs) feed(tells(id, paths, { crashes, holders }))
    expect(triedAt(feed, jobs[0] as string, paths.at(-1) as string)).toHaveLength(1)
    expect(triedAt(feed, jobs.at(-1) as string, paths.at(-1) as string)).toEqual([])
  })
})
