import { createRandom, hash52 } from '@jel/protocol'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Effect, Input } from './io.ts'
import type { Claim, Message } from './messages.ts'
import { Scheduler } from './scheduler.ts'

// A job whose first replica is another member.
const job = Array.from({ length: 100 }, (_, number) => `job${number}`).find(
  (id) => hash52(`${id} other`) > hash52(`${id} self`) && hash52(`${id} other`) > hash52(`${id} third`),
) as string
const input = Uint8Array.of(1)
const root: Claim = { path: '', fn: 'root', input, age: 0, progress: 0, leaf: false, second: false }
const child: Claim = { ...root, path: 'a'.repeat(10), fn: 'child', leaf: true }

let now: number
let scheduler: Scheduler

function feed(next: Input, after = 0): Effect[] {
  now += after
  return scheduler.handle(next, now)
}

function sent<Type extends Message['type']>(effects: readonly Effect[], type: Type): Extract<Message, { type: Type }>[] {
  return effects.flatMap((effect) =>
    effect.type === 'send' && effect.message.type === type ? [effect.message as Extract<Message, { type: Type }>] : [],
  )
}

function hear(message: Message, from: string): Effect[] {
  return feed({ type: 'message', from, message })
}

/** A member reports these claims. Its tasks took a second in the mean. */
function report(from: string, ...claims: Claim[]): Effect[] {
  const work = { begun: 10, finished: 10, ran: 10_000 }
  return hear({ type: 'report', job, number: 1, entries: [], claims, dropped: [], work }, from)
}

/** Returns the paths of the tasks that this member gives to an idle member. */
function given(to: string): readonly string[] {
  return sent(hear({ type: 'idle', request: 1, jobs: [job] }, to), 'work').flatMap(({ tasks }) => tasks.map(({ path }) => path))
}

beforeEach(() => {
  now = 0
  scheduler = new Scheduler({ self: { id: 'self', location: 'self@here' }, workers: 1, random: createRandom(1) })
  for (const id of ['other', 'third', 'fourth']) feed({ type: 'joined', member: { id, location: `${id}@here` } })
})

/** This member asks for a task, and gets this grant. */
function takes(task: Claim, from: string): void {
  const ask = (): readonly Effect[] => feed({ type: 'timer' }, 100)
  let request: { to: string; number: number } | undefined
  for (let tries = 0; tries < 100 && request?.to !== from; tries++) {
    for (const effect of ask()) {
      if (effect.type !== 'send' || effect.message.type !== 'steal') continue
      request = { to: effect.to, number: effect.message.request }
      if (effect.to !== from) hear({ type: 'work', request: request.number, tasks: [], left: 0, ended: [] }, effect.to)
    }
  }
  const grant = { path: task.path, fn: task.fn, input, job, replay: false, tries: 0 }
  hear({ type: 'work', request: request?.number ?? -1, tasks: [grant], left: 0, ended: [] }, from)
}

const spec = {
  id: job,
  owner: 'owner',
  fn: 'root',
  input,
  submitted: 0,
  desired: 'run',
  trusted: false,
  accepted: true,
  fresh: true,
} as const

describe('a replica that is asked for overdue tasks', () => {
  beforeEach(() => {
    feed({ type: 'job', spec })
  })

  it('gives a task once, and again when the new holder is overdue, too', () => {
    report('other', child)
    expect(given('third')).toEqual([])
    now += 15_000
    expect(given('third')).toEqual([child.path])
    now += 3000
    expect(given('fourth')).toEqual([])
    now += 4000
    expect(given('fourth')).toEqual([child.path])
  })

  describe('of a holder at which tasks wait', () => {
    const answer = (): unknown =>
      sent(hear({ type: 'idle', request: 1, jobs: [job] }, 'fourth'), 'work').map(({ tasks, hint }) => [tasks.length, hint])
    /** The holder states its work, and that tasks wait. */
    const waits = (ran: number, waiting: number): void => {
      const work = { begun: 10, finished: 10, ran, waiting }
      hear({ type: 'report', job, number: 2, entries: [], claims: [], dropped: [], work }, 'other')
    }

    beforeEach(() => {
      report('other', child)
      report('third')
      now += 15_000
    })

    it('names the holder: the task may be one of them, and is done once if it is stolen', () => {
      waits(10_000, 3)
      expect(answer()).toEqual([[0, 'other']])
      waits(10_000, 0)
      expect(answer()).toEqual([[1, undefined]])
    })

    it('gives the task after a minute, though its holder gives others', () => {
      waits(10_000, 3)
      expect(answer()).toEqual([[0, 'other']])
      now += 60_000
      expect(answer()).toEqual([[0, 'other']])
      now += 1000
      expect(answer()).toEqual([[1, undefined]])
    })

    it('gives the task if the holder is much slower than others', () => {
      waits(100_000, 3)
      for (const id of ['fifth', 'sixth', 'seventh']) {
        feed({ type: 'joined', member: { id, location: `${id}@here` } })
        report(id)
      }
      expect(answer()).toEqual([[1, undefined]])
    })
  })

  it('counts a copy that another replica gave', () => {
    report('other', child)
    now += 15_000
    report('third', { ...child, second: true })
    expect(given('fourth')).toEqual([])
  })

  it('does not wait for ever for a member that reports its beginning again and again', () => {
    report('other', child)
    for (let second = 0; second < 60; second++) {
      now += 1000
      const work = { begun: 0, finished: 0, ran: 0 }
      hear({ type: 'report', job, number: 1, entries: [], claims: [{ ...child, second: true }], dropped: [child.path], work }, 'third')
    }
    expect(given('fourth')).toEqual([child.path])
  })

  it('gives away no parent while it runs a part of it', () => {
    report('other', root)
    takes(child, 'other')
    now += 10_000
    expect(given('third')).toEqual([])
    now += 30_000
    expect(given('third')).toEqual([''])
  })

  it('gives away no task that it runs itself', () => {
    takes(child, 'other')
    report('third', { ...child, second: true })
    now += 60_000
    expect(given('fourth')).toEqual([])
  })
})

describe('a member without work', () => {
  /** All victims refuse this member. A replica names this holder. Returns the victims in turn. */
  const victims = (effects: readonly Effect[], hint: string): string[] =>
    effects.flatMap((effect) => {
      if (effect.type !== 'send' || (effect.message.type !== 'steal' && effect.message.type !== 'idle')) return []
      const { to, message } = effect
      const { type, request } = message
      const answer = { type: 'work', request, tasks: [], left: 0, ended: [], ...(type === 'idle' && { hint }) } as const
      return [type === 'idle' ? 'replica' : to, ...victims(hear(answer, to), hint)]
    })

  it.each(['far7', 'self', 'stranger'])('steals from the holder that a replica names: %s', (hint) => {
    for (let number = 0; number < 50; number++) feed({ type: 'joined', member: { id: `far${number}`, location: `far${number}@there` } })
    victims(feed({ type: 'job', spec }), hint)
    let asked: string[] = []
    while (!asked.includes('replica') && now < 10_000) asked = victims(feed({ type: 'timer' }, 10), hint)
    // Nobody steals from itself, or from a stranger.
    expect(asked.slice(asked.indexOf('replica') + 1)[0] === 'far7').toBe(hint === 'far7')
    expect(asked).not.toContain('self')
    expect(asked).not.toContain('stranger')
  })
})

it('a member that yields a second copy of a task does not wait for its result', () => {
  feed({ type: 'job', spec })
  let request: number | undefined
  for (let tries = 0; tries < 50 && request === undefined; tries++) request = sent(feed({ type: 'timer' }, 100), 'idle')[0]?.request
  const grant = { path: '', fn: 'root', input, job, replay: false, tries: 0 }
  const begun = hear({ type: 'work', request: request ?? -1, tasks: [grant], left: 0, ended: [] }, 'other')
  expect(begun.some(({ type }) => type === 'run')).toBe(true)
  const left = hear({ type: 'yield', job, path: '', to: 'third' }, 'other')
  expect(left.some(({ type }) => type === 'forget')).toBe(true)
  expect(sent(left, 'awaiting')).toEqual([])
})
