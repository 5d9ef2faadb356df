import { createRandom, hash52 } from '@jel/protocol'
import { beforeEach, describe, expect, it } from 'vitest'
import { jobSpec } from '../../test/job-spec.ts'
import type { Effect, Input, JobSpec } from './io.ts'
import type { Message } from './messages.ts'
import { Scheduler } from './scheduler.ts'
import { NOTHING_SHARED, type Offer, type Shared } from './shared-value.ts'

// A job whose first replica is this member.
const job = Array.from({ length: 100 }, (_, number) => `job${number}`).find((id) =>
  ['other', 'third'].every((member) => hash52(`${id} self`) > hash52(`${id} ${member}`)),
) as string
const spec = jobSpec(job)
const step = (name: string): string => name.repeat(10)

let now: number
let scheduler: Scheduler

beforeEach(() => {
  now = 0
  scheduler = new Scheduler({ self: { id: 'self', location: 'self@here' }, workers: 1, random: createRandom(1) })
})

function feed(input: Input, after = 0): Effect[] {
  now += after
  return scheduler.handle(input, now)
}

function sent(effects: readonly Effect[], type: Message['type']): Message[] {
  return effects.flatMap((effect) => (effect.type === 'send' && effect.message.type === type ? [effect.message] : []))
}

function hear(message: Message, from = 'other'): Effect[] {
  return feed({ type: 'message', from, message })
}

/** The root runs, and has called for these children. */
function spawn(...names: readonly string[]): Effect[] {
  feed({ type: 'job', spec })
  const children = names.map((name) => ({ step: step(name), fn: 'child', input: Uint8Array.of(2) }))
  return feed({ type: 'spawned', job, path: '', children })
}

function steal(count = 1, request = 0): Extract<Message, { type: 'work' }> {
  return sent(hear({ type: 'steal', request, jobs: [job], count }), 'work')[0] as Extract<Message, { type: 'work' }>
}

describe('a scheduler', () => {
  it('begins the root of a new job at once where it is the only member', () => {
    expect(feed({ type: 'job', spec })).toContainEqual(expect.objectContaining({ type: 'run', slot: 0, split: false }))
  })

  it('delays a job that is not new until replicas had time to report on it', () => {
    expect(feed({ type: 'job', spec: { ...spec, fresh: false } }).some(({ type }) => type === 'run')).toBe(false)
    expect(feed({ type: 'timer' }, 300).some(({ type }) => type === 'run')).toBe(true)
  })

  it('sets its timer again when it fires a moment early', () => {
    const [timer] = feed({ type: 'job', spec: { ...spec, fresh: false } }).filter((effect) => effect.type === 'timer')
    now = (timer as { at: number }).at - 0.4
    expect(feed({ type: 'timer' })).toContainEqual({ type: 'timer', at: (timer as { at: number }).at })
  })

  it('begins the root five seconds later if the first replica does not', () => {
    feed({ type: 'joined', member: { id: 'other', location: 'other@here' } })
    const id = Array.from({ length: 100 }, (_, number) => `job${number}`).find(
      (each) => hash52(`${each} self`) < hash52(`${each} other`),
    ) as string
    const begins = (effects: readonly Effect[]): boolean => effects.some(({ type }) => type === 'run')
    feed({ type: 'job', spec: { ...spec, id } })
    // The first replica answers, and does nothing.
    const answer = (after: number): Effect[] => [
      ...feed({ type: 'timer' }, after),
      ...hear({ type: 'found', job: id, request: 1, entries: [], claims: [], last: true }),
    ]
    expect(begins(answer(4900))).toBe(false)
    expect(begins(answer(200))).toBe(true)
  })

  it('asks one replica after the other for overdue tasks', () => {
    for (const other of ['other', 'third']) feed({ type: 'joined', member: { id: other, location: `${other}@far` } })
    feed({ type: 'job', spec })
    feed({ type: 'spawned', job, path: '', children: [{ step: step('a'), fn: 'child', input: Uint8Array.of(2) }] })
    steal()
    feed({ type: 'idle', slot: 0, seen: 1 })
    const asked = new Set<string>()
    for (let second = 0; second < 12; second++) {
      for (const effect of feed({ type: 'timer' }, 1000)) if (effect.type === 'send' && effect.message.type === 'idle') asked.add(effect.to)
    }
    expect([...asked].sort()).toEqual(['other', 'third'])
  })

  it('gives a worker the newest task, and a thief the oldest', () => {
    feed({ type: 'joined', member: { id: 'other', location: 'other@here' } })
    spawn('a', 'b', 'c')
    const run = feed({ type: 'idle', slot: 0, seen: 1 }).find((effect) => effect.type === 'run')
    expect(run?.task.path).toBe(step('c'))
    expect(steal().tasks.map(({ path }) => path)).toEqual([step('a')])
  })

  it('delivers the result of a thief once', () => {
    feed({ type: 'joined', member: { id: 'other', location: 'other@here' } })
    spawn('a', 'b')
    steal()
    const entry = { path: step('a'), outcome: { value: Uint8Array.of(9) }, shared: NOTHING_SHARED }
    const deliveries = (effects: readonly Effect[]): number => effects.filter(({ type }) => type === 'deliver').length
    expect(deliveries(hear({ type: 'result', job, entries: [entry] }))).toBe(1)
    expect(deliveries(hear({ type: 'result', job, entries: [entry] }))).toBe(0)
  })

  it('looks up the tasks of a dead thief, then runs them again', () => {
    for (const id of ['other', 'third']) feed({ type: 'joined', member: { id, location: `${id}@here` } })
    spawn('a')
    expect(steal().tasks).toHaveLength(1)
    feed({ type: 'gone', id: 'other' }, 1000)
    const [lookup] = sent(feed({ type: 'timer' }, 400), 'lookup') as Extract<Message, { type: 'lookup' }>[]
    expect(lookup?.paths).toEqual([step('a')])
    feed({ type: 'idle', slot: 0, seen: 1 })
    const effects = hear({ type: 'found', job, request: lookup?.request ?? -1, entries: [], claims: [], last: true }, 'third')
    expect(effects).toContainEqual(expect.objectContaining({ type: 'run', task: expect.objectContaining({ path: step('a') }) }))
  })

  it('does not repeat a task whose outcome a replica knows', () => {
    for (const id of ['other', 'third']) feed({ type: 'joined', member: { id, location: `${id}@here` } })
    spawn('a')
    steal()
    feed({ type: 'gone', id: 'other' }, 1000)
    const [lookup] = sent(feed({ type: 'timer' }, 400), 'lookup') as Extract<Message, { type: 'lookup' }>[]
    const entry = { path: step('a'), outcome: { value: Uint8Array.of(9) }, shared: NOTHING_SHARED }
    const effects = hear({ type: 'found', job, request: lookup?.request ?? -1, entries: [entry], claims: [], last: true }, 'third')
    expect(effects.map(({ type }) => type)).toContain('deliver')
    expect(effects.map(({ type }) => type)).not.toContain('run')
  })

  it('does not begin a part that its holder ended before it died and before the part was called for', () => {
    for (const id of ['other', 'third']) feed({ type: 'joined', member: { id, location: `${id}@here` } })
    feed({ type: 'job', spec })
    const claim = { path: step('a'), fn: 'child', input: Uint8Array.of(2), age: 0, progress: 0, leaf: true, second: false }
    const work = { begun: 1, finished: 0, ran: 0 }
    hear({ type: 'report', job, number: 1, entries: [], claims: [claim], dropped: [], work })
    feed({ type: 'gone', id: 'other' }, 1000)
    const [lookup] = sent(feed({ type: 'timer' }, 400), 'lookup') as Extract<Message, { type: 'lookup' }>[]
    expect(lookup?.paths).toEqual([step('a')])
    const entry = { path: step('a'), outcome: { value: Uint8Array.of(9) }, shared: NOTHING_SHARED }
    hear({ type: 'found', job, request: lookup?.request ?? -1, entries: [entry], claims: [], last: true }, 'third')
    const effects = [...spawn('a'), ...feed({ type: 'idle', slot: 0, seen: 1 })]
    expect(effects.map(({ type }) => type)).toContain('deliver')
    expect(effects.map(({ type }) => type)).not.toContain('run')
  })

  it('looks nothing up if a dead member had claimed a task that a living member has', () => {
    for (const id of ['other', 'third']) feed({ type: 'joined', member: { id, location: `${id}@here` } })
    spawn('a')
    steal()
    const claim = { path: step('a') + step('b'), fn: 'child', input: Uint8Array.of(2), age: 0, progress: 0, leaf: true, second: false }
    const claims = [{ ...claim, path: step('a') }, claim]
    hear({ type: 'report', job, number: 1, entries: [], claims, dropped: [], work: { begun: 1, finished: 0, ran: 0 } }, 'third')
    const effects = [...feed({ type: 'gone', id: 'third' }, 1000), ...feed({ type: 'timer' }, 400)]
    expect(sent(effects, 'lookup')).toEqual([])
  })

  describe('with a stolen task that it yielded', () => {
    let id: string
    let [heir, giver] = ['', '']

    beforeEach(() => {
      for (const each of ['other', 'third']) feed({ type: 'joined', member: { id: each, location: `${each}@here` } })
      id = Array.from({ length: 100 }, (_, number) => `job${number}`).find(
        (each) => hash52(`${each} self`) < hash52(`${each} other`) && hash52(`${each} third`) < hash52(`${each} other`),
      ) as string
      const steals = [...feed({ type: 'job', spec: { ...spec, id } }), ...feed({ type: 'timer' }, 100)]
      const { to, message } = steals.find((effect) => effect.type === 'send' && effect.message.type === 'steal') as {
        to: string
        message: { request: number }
      }
      const task = { path: step('a'), job: id, fn: 'child', input: Uint8Array.of(2), replay: false, tries: 0 }
      const stolen = hear({ type: 'work', request: message.request, tasks: [task], left: 0, ended: [] }, to)
      expect(stolen.map(({ type }) => type)).toContain('run')
      giver = to
      heir = to === 'other' ? 'third' : 'other'
      hear({ type: 'yield', job: id, path: step('a'), to: heir }, giver)
    })

    it('leaves it to the members that wait for it, if its new holder dies', () => {
      const effects = [...feed({ type: 'gone', id: heir }, 1000), ...feed({ type: 'timer' }, 400)]
      expect(sent(effects, 'unknown')).toEqual([{ type: 'unknown', job: id, paths: [step('a')] }])
      expect(sent(effects, 'lookup')).toEqual([])
    })

    it('looks for it at once if its new holder names a member that waits here', () => {
      const effects = hear({ type: 'moved', job: id, tasks: [{ path: step('a'), holder: giver }] }, heir)
      expect(sent([...effects, ...feed({ type: 'timer' }, 400)], 'lookup').length).toBeGreaterThan(0)
    })
  })

  it('leaves a task that a dead member passed on to its living holder', () => {
    for (const id of ['other', 'third']) feed({ type: 'joined', member: { id, location: `${id}@here` } })
    spawn('a')
    steal()
    feed({ type: 'gone', id: 'other' }, 1000)
    const [lookup] = sent(feed({ type: 'timer' }, 400), 'lookup') as Extract<Message, { type: 'lookup' }>[]
    const claims = [{ path: step('a'), holder: 'third' }]
    const effects = hear({ type: 'found', job, request: lookup?.request ?? -1, entries: [], claims, last: true }, 'third')
    expect(sent(effects, 'awaiting')).toEqual([{ type: 'awaiting', job, paths: [step('a')] }])
  })

  it('asks a silent holder, and looks for tasks that the holder does not have', () => {
    feed({ type: 'joined', member: { id: 'other', location: 'other@here' } })
    spawn('a')
    steal()
    feed({ type: 'timer' }, 2000)
    expect(sent(feed({ type: 'timer' }, 2000), 'awaiting')).toHaveLength(1)
    // If the holder leaves, its thieves report once they know.
    expect(sent(hear({ type: 'unknown', job, paths: [step('a')] }), 'lookup')).toEqual([])
    expect(sent(feed({ type: 'timer' }, 400), 'lookup')).toHaveLength(1)
  })

  it('looks for a task that was passed round in a ring', () => {
    for (const id of ['other', 'third']) feed({ type: 'joined', member: { id, location: `${id}@here` } })
    spawn('a')
    steal()
    const moved = (holder: string, from: string): Effect[] => hear({ type: 'moved', job, tasks: [{ path: step('a'), holder }] }, from)
    expect(sent(moved('third', 'other'), 'lookup')).toEqual([])
    expect(sent(moved('self', 'third'), 'lookup').length + sent(feed({ type: 'timer' }, 300), 'lookup').length).toBe(2)
  })

  it('follows a task that its holder gives back to an earlier holder, but not for ever', () => {
    for (const id of ['other', 'third']) feed({ type: 'joined', member: { id, location: `${id}@here` } })
    spawn('a')
    steal()
    const follows = (holder: string, from: string): boolean => {
      hear({ type: 'holding', job, progress: [[step('a'), 0]] }, from)
      const effects = hear({ type: 'moved', job, tasks: [{ path: step('a'), holder }] }, from)
      return sent([...effects, ...feed({ type: 'timer' }, 400)], 'lookup').length === 0
    }
    expect([follows('third', 'other'), follows('other', 'third'), follows('third', 'other')]).toEqual([true, true, false])
  })

  it('keeps the same one of two values for a path in either order, and warns', () => {
    const values = [Uint8Array.of(9), Uint8Array.of(3)]
    const kept = [values, values.toReversed()].map(([first, second]) => {
      const each = new Scheduler({ self: { id: 'self', location: 'here' }, workers: 0, random: createRandom(1) })
      for (const id of ['one', 'two']) each.handle({ type: 'joined', member: { id, location: 'there' } }, 0)
      each.handle({ type: 'job', spec }, 0)
      const tell = (from: string, value: Uint8Array | undefined): Effect[] => {
        const entries = [{ path: step('a'), outcome: { value: value as Uint8Array }, shared: NOTHING_SHARED }]
        return each.handle({ type: 'message', from, message: { type: 'result', job, entries } }, 1)
      }
      tell('one', first)
      expect(tell('two', second)).toContainEqual(expect.objectContaining({ type: 'warning', code: 'TASK_UNREPEATABLE' }))
      const found = each.handle({ type: 'message', from: 'one', message: { type: 'lookup', job, request: 1, paths: [step('a')] } }, 2)
      return (sent(found, 'found')[0] as Extract<Message, { type: 'found' }>).entries[0]?.outcome
    })
    expect(kept).toEqual([{ value: Uint8Array.of(3) }, { value: Uint8Array.of(3) }])
  })

  it.each(['ab', 'ba'])('fails a job whose shared values exceed 2 MiB, without counting hints: %s', (order) => {
    feed({ type: 'joined', member: { id: 'other', location: 'other@here' } })
    spawn('a', 'b')
    steal(2)
    const sharedBy = (name: string): Shared => new Map([[name, { rule: 'min', key: 1, values: [new Uint8Array(1.5 * 2 ** 20)] }]])
    for (const name of 'cde')
      expect(hear({ type: 'shared', job, shared: sharedBy(name) }).filter(({ type }) => type === 'ended')).toEqual([])
    const effects = order.split('').flatMap((name) => {
      const entry = { path: step(name), outcome: { value: Uint8Array.of(1) }, shared: sharedBy(name) }
      return hear({ type: 'result', job, entries: [entry] })
    })
    const [ended] = effects.filter(({ type }) => type === 'ended')
    expect(ended).toMatchObject({ entry: { outcome: { failure: { code: 'SHARED_TOO_LARGE' } } } })
  })

  it('sets a task apart that has crashed three workers, and names its input', () => {
    scheduler = new Scheduler({
      self: { id: 'self', location: 'self@here' },
      workers: 1,
      random: createRandom(1),
      describe: (input) => `${input.length} bytes`,
    })
    feed({ type: 'job', spec })
    let effects: Effect[] = []
    for (let worker = 0; worker < 3; worker++) effects = feed({ type: 'crashed', slot: 0, job, path: '', reason: 'it is gone' })
    expect(effects).toContainEqual(
      expect.objectContaining({
        type: 'ended',
        entry: expect.objectContaining({
          outcome: { failure: expect.objectContaining({ code: 'TASK_POISONOUS', tries: 3, input: '1 bytes' }) },
        }),
      }),
    )
  })

  it('answers members that wait for a job once it is cancelled', () => {
    spawn('a')
    feed({ type: 'joined', member: { id: 'other', location: 'other@here' } })
    expect(sent(hear({ type: 'awaiting', job, paths: [''] }), 'holding')).toHaveLength(1)
    expect(sent(feed({ type: 'job', spec: { ...spec, desired: 'cancel' } }), 'unknown')).toEqual([{ type: 'unknown', job, paths: [''] }])
  })

  it('runs nothing of a job that is suspended, cancelled, or not accepted', () => {
    for (const change of [{ desired: 'suspend' }, { desired: 'cancel' }, { accepted: false }] as const) {
      const each = new Scheduler({ self: { id: 'self', location: 'here' }, workers: 1, random: createRandom(1) })
      expect(each.handle({ type: 'job', spec: { ...spec, ...change } }, 0).some(({ type }) => type === 'run')).toBe(false)
    }
  })

  it('forgets the waiting frames of a suspended job, also of tasks that begin to wait later, and begins them anew', () => {
    const forgotten = (effects: readonly Effect[]): unknown[] =>
      effects.flatMap((effect) => (effect.type === 'forget' ? [effect.path] : []))
    const run = (effects: readonly Effect[]): unknown[] => effects.flatMap((effect) => (effect.type === 'run' ? [effect.task.path] : []))
    spawn('a', 'b')
    expect(run(feed({ type: 'idle', slot: 0, seen: 1 }))).toEqual([step('b')])
    expect(forgotten(feed({ type: 'job', spec: { ...spec, desired: 'suspend' } }))).toEqual([''])
    const children = [{ step: step('c'), fn: 'child', input: Uint8Array.of(2) }]
    expect(forgotten(feed({ type: 'spawned', job, path: step('b'), children }))).toEqual([step('b')])
    expect(run(feed({ type: 'idle', slot: 0, seen: 2 }))).toEqual([])
    expect(run(feed({ type: 'job', spec }))).toEqual([step('b')])
    expect(forgotten(feed({ type: 'spawned', job, path: step('b'), children }))).toEqual([])
  })

  describe('with many jobs that all wait', () => {
    const ids = Array.from({ length: 400 }, (_, number) => `job${number}`)
      .filter((id) => hash52(`${id} self`) > hash52(`${id} other`))
      .slice(0, 12)
    let seen: number
    let events: string[]

    /** Follows the worker. Each root waits for these children, which the other member steals. */
    function follow(effects: readonly Effect[], names: readonly string[]): void {
      for (const effect of effects) {
        if (effect.type === 'deliver' || effect.type === 'run') seen++
        if (effect.type === 'deliver' || effect.type === 'forget' || effect.type === 'run')
          events.push(`${effect.type} ${ids.indexOf(effect.job)}`)
        if (effect.type !== 'run') continue
        const children = names.map((name) => ({ step: step(name), fn: 'child', input: Uint8Array.of(2) }))
        follow(feed({ type: 'spawned', job: effect.job, path: '', children }), names)
        for (const _ of names) hear({ type: 'steal', request: 0, jobs: [effect.job], count: 1 })
        follow(feed({ type: 'idle', slot: 0, seen }), names)
      }
    }

    function submit(...names: readonly string[]): void {
      seen = 0
      events = []
      feed({ type: 'joined', member: { id: 'other', location: 'other@here' } })
      for (const [number, id] of ids.entries()) follow(feed({ type: 'job', spec: { ...spec, id, submitted: number } }, 1), names)
    }

    function settle(number: number, name: string): Effect[] {
      const entry = { path: step(name), outcome: { value: Uint8Array.of(9) }, shared: NOTHING_SHARED }
      return hear({ type: 'result', job: ids[number] as string, entries: [entry] })
    }

    it('begins all, and parks the frames that have waited longest: eight jobs keep their processes', () => {
      submit('a')
      expect(events).toEqual([
        ...[0, 1, 2, 3, 4, 5, 6, 7].map((number) => `run ${number}`),
        ...[0, 1, 2, 3].flatMap((number) => [`forget ${number}`, `run ${number + 8}`]),
      ])
    })

    it('begins a parked frame again once its last child has an outcome, and gives it the outcome', () => {
      submit('a')
      events = []
      follow(settle(2, 'a'), ['a'])
      expect(events).toEqual(['forget 4', 'run 2', 'deliver 2'])
    })

    it('begins a parked frame again a second after the outcome of one of several children', () => {
      submit('a', 'b')
      events = []
      follow(settle(0, 'b'), ['a', 'b'])
      follow(feed({ type: 'timer' }, 999), ['a', 'b'])
      expect(events).toEqual([])
      follow(feed({ type: 'timer' }, 1), ['a', 'b'])
      expect(events).toEqual(['forget 4', 'run 0', 'deliver 0'])
    })
  })

  it('takes tasks only from a member that it asked, and no more than it asked for', () => {
    for (const id of ['other', 'third']) feed({ type: 'joined', member: { id, location: `${id}@here` } })
    const [request] = sent(feed({ type: 'job', spec: { ...spec, fresh: false } }), 'steal') as Extract<Message, { type: 'steal' }>[]
    const grants = ['a', 'b', 'c'].map((name) => ({ path: step(name), fn: 'child', input: Uint8Array.of(2), job, replay: false, tries: 0 }))
    const work: Message = { type: 'work', request: request?.request ?? -1, tasks: grants, left: 0, ended: [] }
    const runs = (effects: readonly Effect[]): number => effects.filter(({ type }) => type === 'run').length
    // One of the two was asked.
    expect(['other', 'third'].reduce((sum, from) => sum + runs(hear(work, from)), 0)).toBe(1)
    expect(runs(feed({ type: 'idle', slot: 0, seen: 1 }))).toBe(0)
    expect(runs(hear({ ...work, request: 99 }, 'other'))).toBe(0)
  })

  it('sends each entry once, however often one look-up names it', () => {
    feed({ type: 'joined', member: { id: 'other', location: 'other@here' } })
    spawn('a', 'b')
    hear({ type: 'result', job, entries: [{ path: step('a'), outcome: { value: Uint8Array.of(9) }, shared: NOTHING_SHARED }] })
    const paths = Array.from({ length: 1000 }, (_, number) => (number % 2 === 0 ? '' : step('a')))
    const found = sent(hear({ type: 'lookup', job, request: 1, paths }), 'found') as Extract<Message, { type: 'found' }>[]
    expect(found.flatMap(({ entries }) => entries)).toHaveLength(1)
  })

  it('yields tasks only at the request of a replica, and not for ever to a member that runs none of them', () => {
    for (const id of ['other', 'third']) feed({ type: 'joined', member: { id, location: `${id}@here` } })
    feed({ type: 'job', spec })
    let left = 0
    for (let round = 0; round < 40; round++) {
      if (sent(hear({ type: 'yield', job, path: '', to: 'third' }), 'awaiting').length > 0) left++
      // `third` does not have it, so the root is done here again.
      hear({ type: 'unknown', job, paths: [''] }, 'third')
      feed({ type: 'timer' }, 3500)
    }
    expect(left).toBeGreaterThan(0)
    expect(left).toBeLessThan(20)
    expect(hear({ type: 'yield', job, path: '', to: 'other' }, 'stranger')).toEqual([])
  })

  it('gives a thief sixteen tasks, and one more with each outcome', () => {
    feed({ type: 'joined', member: { id: 'other', location: 'other@here' } })
    spawn(...Array.from({ length: 24 }, (_, number) => String.fromCodePoint(97 + number)))
    const stolen = Array.from({ length: 20 }, (_, request) => steal(1, request).tasks.map(({ path }) => path)).flat()
    expect(stolen).toHaveLength(16)
    hear({ type: 'result', job, entries: [{ path: stolen[0] as string, outcome: { value: Uint8Array.of(9) }, shared: NOTHING_SHARED }] })
    expect(Array.from({ length: 3 }, (_, request) => steal(1, request).tasks.length)).toEqual([1, 1, 0])
  })

  it('notifies a thief of new tasks only for jobs that it asked for', () => {
    feed({ type: 'joined', member: { id: 'other', location: 'other@here' } })
    hear({ type: 'steal', request: 0, jobs: ['another'], count: 1 })
    expect(sent(spawn('a', 'b'), 'lifeline')).toHaveLength(0)
    hear({ type: 'steal', request: 1, jobs: [job], count: 2 })
    hear({ type: 'steal', request: 2, jobs: [job], count: 2 })
    hear({ type: 'steal', request: 3, jobs: [job], count: 2 })
    const children = [{ step: step('c'), fn: 'child', input: Uint8Array.of(2) }]
    expect(sent(feed({ type: 'spawned', job, path: '', children }), 'lifeline')).toHaveLength(1)
  })

  it('runs a held task again after a long time without outcome, if there is nothing else to do', () => {
    feed({ type: 'joined', member: { id: 'other', location: 'other@here' } })
    spawn('a')
    steal()
    feed({ type: 'idle', slot: 0, seen: 1 })
    const runs: number[] = []
    for (let second = 0; second < 90; second++) {
      for (const effect of feed({ type: 'timer' }, 1000)) {
        if (effect.type === 'run' && effect.task.path === step('a')) runs.push(second)
        if (effect.type !== 'send') continue
        const { message } = effect
        if (message.type === 'awaiting') hear({ type: 'holding', job, progress: [[step('a'), 0.5]] })
        if (message.type !== 'lookup') continue
        const found = hear({
          type: 'found',
          job,
          request: message.request,
          entries: [],
          claims: [{ path: step('a'), holder: 'other' }],
          last: true,
        })
        if (found.some(({ type }) => type === 'run')) runs.push(second)
      }
    }
    expect(runs).toHaveLength(1)
    // No task has ended yet, so the usual time is unknown.
    expect(runs[0]).toBeGreaterThan(58)
  })

  it('leaves a long task to its holder while it makes progress, however little there is to do', () => {
    feed({ type: 'joined', member: { id: 'other', location: 'other@here' } })
    spawn('a')
    steal()
    feed({ type: 'idle', slot: 0, seen: 1 })
    for (let second = 1; second <= 3600; second++) {
      const effects = feed({ type: 'timer' }, 1000)
      effects.push(...hear({ type: 'holding', job, progress: [[step('a'), second / 3600]] }))
      expect(sent(effects, 'lookup')).toEqual([])
    }
  })

  it('asks other members, too, if two without tasks hint at each other', () => {
    for (const id of ['other', 'third', 'fourth']) feed({ type: 'joined', member: { id, location: `${id}@here` } })
    // `other` keeps the root, so it is asked first.
    const id = Array.from({ length: 100 }, (_, number) => `job${number}`).find((each) =>
      ['self', 'third', 'fourth'].every((member) => hash52(`${each} other`) > hash52(`${each} ${member}`)),
    ) as string
    const asked: string[] = []
    let effects = feed({ type: 'job', spec: { ...spec, id } })
    for (let turn = 0; turn < 100 && !asked.includes('fourth'); turn++) {
      const steal = effects.find((effect) => effect.type === 'send' && effect.message.type === 'steal')
      if (steal?.type !== 'send' || steal.message.type !== 'steal') effects = feed({ type: 'timer' }, 100)
      else {
        asked.push(steal.to)
        const { request } = steal.message
        const hint = steal.to === 'other' ? 'third' : 'other'
        effects = hear({ type: 'work', request, tasks: [], left: 0, ended: [], hint }, steal.to)
      }
    }
    expect(asked).toContain('fourth')
  })

  describe('beside a thousand jobs', () => {
    const others = ['other', 'third', 'fourth', 'fifth', 'sixth', 'seventh']
    let looks: number

    beforeEach(() => {
      for (const id of others) feed({ type: 'joined', member: { id, location: `${id}@here` } })
    })

    /** Returns those of a thousand jobs that pass the test. Counts how often they are processed. */
    function begin(may: (id: string) => boolean): readonly string[] {
      const ids = Array.from({ length: 1000 }, (_, number) => `job${number}`).filter(may)
      expect(ids.length).toBeGreaterThan(200)
      for (const id of ids) {
        const watched: JobSpec = {
          ...spec,
          id,
          get desired() {
            looks++
            return 'run' as const
          },
        }
        feed({ type: 'job', spec: watched }, 10)
      }
      return ids
    }

    function looksAt(input: Input): number {
      looks = 0
      feed(input)
      return looks
    }

    const lifeline: Input = { type: 'message', from: 'other', message: { type: 'lifeline' } }
    const runs = (effects: readonly Effect[], seconds: number): boolean =>
      [...effects, ...Array.from({ length: seconds }, () => feed({ type: 'timer' }, 1000)).flat()].some(({ type }) => type === 'run')

    it('processes no job that others keep until it becomes a replica', () => {
      begin((id) => !scheduler.replicas(id).includes('self'))
      expect(looksAt(lifeline)).toBeLessThan(10)
      expect(
        runs(
          others.flatMap((id) => feed({ type: 'gone', id })),
          10,
        ),
      ).toBe(true)
    })

    it('processes no job that it keeps until the holder of its root is gone', () => {
      feed({ type: 'joined', member: { id: 'client', location: 'client@here', isClient: true } })
      const kept = begin((id) => scheduler.replicas(id).indexOf('self') > 0)
      const effects = kept.flatMap((id) => {
        const root = { path: '', fn: 'root', input: Uint8Array.of(1), age: 0, progress: 0, leaf: true, second: false }
        const work = { begun: 1, finished: 0, ran: 0 }
        return hear({ type: 'report', job: id, number: 1, entries: [], claims: [root], dropped: [], work }, 'client')
      })
      for (const effect of [...effects, ...feed({ type: 'timer' }, 1000)]) {
        if (effect.type !== 'send' || effect.message.type !== 'report') continue
        hear({ type: 'noted', job: effect.message.job, number: effect.message.number }, effect.to)
      }
      feed({ type: 'timer' }, 1000)
      expect(looksAt(lifeline)).toBeLessThan(10)
      feed({ type: 'gone', id: 'client' })
      expect(looksAt(lifeline)).toBeGreaterThan(kept.length)
      expect(runs([], 20)).toBe(true)
    })
  })

  it('ends a job whose shared values do not fit together while the root calls for its children', () => {
    feed({ type: 'joined', member: { id: 'other', location: 'other@here' } })
    feed({ type: 'job', spec })
    // A replica knows outcomes with more than 64 shared values.
    const offer: Offer = { rule: 'min', key: 1, values: [Uint8Array.of(1)] }
    const sharedOf = (name: string): Shared => new Map(Array.from({ length: 40 }, (_, number) => [`${name}${number}`, offer]))
    const entries = ['a', 'b'].map((name) => ({ path: step(name), outcome: { value: Uint8Array.of(9) }, shared: sharedOf(name) }))
    hear({ type: 'result', job, entries })
    const children = ['a', 'b', 'c'].map((name) => ({ step: step(name), fn: 'child', input: Uint8Array.of(2) }))
    const effects = feed({ type: 'spawned', job, path: '', children })
    expect(effects).toContainEqual(expect.objectContaining({ type: 'ended', job }))
  })

  it('goes on with a job that is submitted again before its cancellation is answered', () => {
    feed({ type: 'joined', member: { id: 'other', location: 'other@here' } })
    feed({ type: 'job', spec })
    feed({ type: 'job', spec: { ...spec, desired: 'cancel', fresh: false } }, 1000)
    expect(scheduler.ended(job)).toBeUndefined()
    const [lookup] = sent(feed({ type: 'job', spec: { ...spec, fresh: false } }, 1000), 'lookup') as Extract<Message, { type: 'lookup' }>[]
    feed({ type: 'idle', slot: 0, seen: 1 })
    const effects = hear({ type: 'found', job, request: lookup?.request ?? -1, entries: [], claims: [], last: true })
    expect(effects.some(({ type }) => type === 'run')).toBe(true)
    const later = Array.from({ length: 10 }, () => feed({ type: 'timer' }, 500)).flat()
    expect(later.some(({ type }) => type === 'ended')).toBe(false)
  })

  it('asks replicas for the progress of a job only as long as an application follows it', () => {
    for (const id of ['other', 'third']) feed({ type: 'joined', member: { id, location: `${id}@here` } })
    feed({ type: 'job', spec: { ...spec, desired: 'suspend' } })
    const asked = (input: Input, after: number): number => sent(feed(input, after), 'awaiting').length
    const askedIn = (seconds: number): number =>
      Array.from({ length: seconds }, () => asked({ type: 'timer' }, 1000)).reduce((sum, each) => sum + each, 0)
    expect(asked({ type: 'watch', job, within: 10_000 }, 0)).toBeGreaterThan(0)
    expect(asked({ type: 'watch', job, within: 20_000 }, 0)).toBeGreaterThan(0)
    expect(askedIn(15)).toBeGreaterThan(0)
    askedIn(10)
    expect(askedIn(60)).toBe(0)
    feed({ type: 'watch', job })
    feed({ type: 'watch', job, within: 10_000 })
    askedIn(60)
    expect(askedIn(60)).toBeGreaterThan(0)
  })

  it('accepts the holders of tasks only from a replica', () => {
    const config = { replicas: 2, replicasOfFew: 2 }
    scheduler = new Scheduler({ self: { id: 'self', location: 'self@here' }, workers: 1, random: createRandom(1), config })
    for (const id of ['other', 'third']) feed({ type: 'joined', member: { id, location: `${id}@here` } })
    feed({ type: 'job', spec })
    const [replica, none] = ['other', 'third'].sort((a) => (scheduler.replicas(job).includes(a) ? -1 : 1))
    const task = { path: '', fn: 'root', holder: 'other', age: 0, still: 0, progress: 0, leaf: true }
    const said: Message = { type: 'explained', job, tasks: [task] }
    expect(hear(said, replica)).toContainEqual({ type: 'explained', job, tasks: [task], functions: [], members: [] })
    expect(hear(said, none).some(({ type }) => type === 'explained')).toBe(false)
  })

  it.each([
    [256, false],
    [257, true],
  ])('a chain of %i calls fails its job: %s', (length, fails) => {
    feed({ type: 'job', spec })
    let path = ''
    let seen = 0
    const effects: Effect[] = []
    for (let depth = 1; depth <= length; depth++) {
      const name = String(depth).padStart(10, '0')
      effects.push(...feed({ type: 'spawned', job, path, children: [{ step: name, fn: 'child', input: Uint8Array.of(2) }] }))
      effects.push(...feed({ type: 'idle', slot: 0, seen: ++seen }))
      path += name
    }
    const failure = { code: 'JOB_TOO_WIDE', message: 'child spawns more than 256 levels deep' }
    const ended = effects.filter(({ type }) => type === 'ended')
    expect(ended).toMatchObject(fails ? [{ entry: { outcome: { failure } } }] : [])
  })

  it('does nothing for clients that come and go while it keeps finished jobs', () => {
    feed({ type: 'joined', member: { id: 'other', location: 'other@here' } })
    feed({ type: 'job', spec })
    hear({ type: 'result', job, entries: [{ path: '', outcome: { value: Uint8Array.of(9) }, shared: NOTHING_SHARED }] })
    for (const { number } of sent(feed({ type: 'timer' }, 1000), 'report') as Extract<Message, { type: 'report' }>[])
      hear({ type: 'noted', job, number })
    feed({ type: 'timer' }, 60_000)
    expect(feed({ type: 'joined', member: { id: 'client', location: 'client@here', isClient: true } })).toEqual([])
    expect(feed({ type: 'gone', id: 'client' })).toEqual([])
    // The kept job is processed: the newcomer may be a replica.
    expect(feed({ type: 'joined', member: { id: 'third', location: 'third@here' } })).not.toEqual([])
  })

  it('handles an input within moments, and a join within a second, while it keeps 4,000 ended jobs', () => {
    feed({ type: 'joined', member: { id: 'other', location: 'other@here' } })
    for (let number = 0; number < 4000; number++) {
      const id = `kept${number}`
      feed({ type: 'job', spec: { ...spec, id } })
      hear({ type: 'result', job: id, entries: [{ path: '', outcome: { value: Uint8Array.of(9) }, shared: NOTHING_SHARED }] })
      for (const { job: of, number: report } of sent(feed({ type: 'timer' }, 1000), 'report') as Extract<Message, { type: 'report' }>[])
        hear({ type: 'noted', job: of, number: report })
    }
    feed({ type: 'timer' }, 60_000)
    feed({ type: 'job', spec })
    // Each input takes 0.75 ms if it walks the kept jobs.
    let begun = performance.now()
    for (let request = 0; request < 2000; request++) hear({ type: 'steal', request, jobs: [job], count: 1 })
    expect(performance.now() - begun).toBeLessThan(750)
    begun = performance.now()
    feed({ type: 'joined', member: { id: 'third', location: 'third@here' } })
    expect(performance.now() - begun).toBeLessThan(1000)
  })

  it('counts what it ran and what failed, what waits, what it gave away, and what it keeps', () => {
    feed({ type: 'joined', member: { id: 'other', location: 'other@here' } })
    spawn('a', 'b', 'c')
    steal()
    expect(scheduler.figures()).toMatchObject({ workers: 1, busy: 1, waiting: 2, kept: 1, counts: { run: 0, given: 1, stolen: 0 } })
    feed({ type: 'idle', slot: 0, seen: 1 })
    const [ran] = feed({ type: 'timer' }).flatMap((effect) => (effect.type === 'run' ? [effect] : []))
    const path = ran?.task.path ?? step('c')
    feed({ type: 'returned', job, path, outcome: { value: Uint8Array.of(1) }, shared: NOTHING_SHARED, ran: 40 })
    const failure = { code: 'TASK_THREW', message: 'no', member: '', tries: 1 }
    feed({ type: 'returned', job, path: '', outcome: { failure }, shared: NOTHING_SHARED, ran: 2 })
    expect(scheduler.figures()).toMatchObject({ waiting: 0, kept: 1, counts: { run: 2, failed: 1, given: 1, ran: 42 } })
  })

  it('describes the work of all members, by function and by member, as they reported it', () => {
    feed({ type: 'joined', member: { id: 'other', location: 'other@here' } })
    spawn('a', 'b')
    const child = { fn: 'child', finished: 4, failed: 1, ran: 90 }
    const functions = [...[1, 2, 3, 4].map((ran) => ({ fn: `f${ran}`, finished: 1, failed: 0, ran })), child]
    const work = { begun: 6, finished: 4, ran: 90, functions, running: 4, waiting: 3 }
    hear({ type: 'report', job, number: 1, entries: [], claims: [], dropped: [], work })
    const failure = { code: 'TASK_THREW', message: 'no', member: '', tries: 1 }
    feed({ type: 'returned', job, path: step('b'), outcome: { failure }, shared: NOTHING_SHARED, ran: 10 })
    const report = sent([...feed({ type: 'timer' }, 1000), ...feed({ type: 'timer' }, 5000)], 'report').at(-1)
    expect(report).toMatchObject({ work: { functions: [{ fn: 'child', finished: 1, failed: 1, ran: 10 }], running: 2 } })
    const [said] = sent(hear({ type: 'explain', job }), 'explained') as Extract<Message, { type: 'explained' }>[]
    expect(said).toMatchObject({
      members: [
        { member: 'other', begun: 6, finished: 4, running: 4, waiting: 3, ran: 90 },
        { member: 'self', finished: 1, running: 2, ran: 10, functions: [{ fn: 'child', finished: 1, failed: 1, ran: 10 }] },
      ],
    })
    expect(said?.functions).toHaveLength(5)
    expect(said?.functions?.[0]).toEqual({ fn: 'child', finished: 5, failed: 2, ran: 100 })
    // Of a member there are the functions with the most time only.
    expect(said?.members?.[0]?.functions?.map(({ fn }) => fn)).toEqual(['child', 'f4', 'f3', 'f2'])
  })

  it('reports a task that has run for five seconds, also where nothing else happens', () => {
    scheduler = new Scheduler({
      self: { id: 'self', location: 'self@here' },
      workers: 2,
      random: createRandom(1),
      describe: (input) => `input ${input[0]}`,
    })
    feed({ type: 'joined', member: { id: 'other', location: 'other@here' } })
    spawn('a')
    feed({ type: 'idle', slot: 1, seen: 0 })
    const reported: unknown[] = []
    const note = (effects: Effect[]): void => {
      for (const { number, work } of sent(effects, 'report') as Extract<Message, { type: 'report' }>[]) {
        reported.push(...(work.oldest ?? []))
        note(hear({ type: 'noted', job, number }))
      }
    }
    while (now < 60_000) note(feed({ type: 'timer' }, 1000))
    const oldest = { path: step('a'), fn: 'child', input: 'input 2', age: 6000 }
    expect(reported).toEqual([oldest])
    // A replica adds the time since the report.
    const work = { begun: 1, finished: 0, ran: 0, running: 1, oldest: [oldest] }
    hear({ type: 'report', job, number: 1, entries: [], claims: [], dropped: [], work })
    now += 500
    const [explained] = sent(hear({ type: 'explain', job }), 'explained') as Extract<Message, { type: 'explained' }>[]
    expect(explained?.members).toMatchObject([
      { member: 'self', oldest: [{ age: 60_500 }] },
      { member: 'other', oldest: [{ ...oldest, age: 6500 }] },
    ])
    // Another member has ended the task meanwhile.
    hear({ type: 'result', job, entries: [{ path: step('a'), outcome: { value: Uint8Array.of(9) }, shared: NOTHING_SHARED }] })
    const [later] = sent(hear({ type: 'explain', job }), 'explained') as Extract<Message, { type: 'explained' }>[]
    expect(later?.members?.map((each) => each.oldest)).toEqual([undefined, undefined])
  })

  it('ignores strangers', () => {
    feed({ type: 'job', spec })
    expect(hear({ type: 'steal', request: 0, jobs: [job], count: 1 }, 'stranger')).toEqual([])
  })
})
