import { createRandom, hash52 } from '@jel/protocol'
import { describe, expect, it } from 'vitest'
import type { Entry } from './entry.ts'
import type { Effect } from './io.ts'
import type { Message } from './messages.ts'
import { ROOT } from './path.ts'
import { Scheduler } from './scheduler.ts'
import { NOTHING_SHARED } from './shared-value.ts'

type Page = Extract<Message, { type: 'lookup' }>

const job = 'job'
const step = (name: string): string => hash52(name).toString(36).padStart(11, '0').slice(-10)
const entry = (bytes: number): Entry => ({ path: step('x'), outcome: { value: new Uint8Array(bytes) }, shared: NOTHING_SHARED })

/** A member with two others. All three are replicas of a job that was submitted long ago. */
class Member {
  readonly #scheduler: Scheduler
  /** Its effects at the start. */
  readonly first: readonly Effect[]
  now = 0

  constructor(workers = 0) {
    this.#scheduler = new Scheduler({ self: { id: 'self', location: 'here' }, workers, random: createRandom(1) })
    for (const id of ['hostile', 'honest']) this.handle({ type: 'joined', member: { id, location: 'there' } })
    const spec = {
      id: job,
      owner: 'o',
      fn: 'f',
      input: new Uint8Array(),
      submitted: 0,
      accepted: true,
      desired: 'run',
      fresh: false,
    } as const
    this.first = this.handle({ type: 'job', spec })
  }

  handle(input: Parameters<Scheduler['handle']>[0]): Effect[] {
    return this.#scheduler.handle(input, this.now)
  }

  hear(from: string, message: Message): Effect[] {
    return this.handle({ type: 'message', from, message })
  }
}

function asked(effects: readonly Effect[], of: string): Page | undefined {
  for (const effect of effects) if (effect.type === 'send' && effect.to === of && effect.message.type === 'lookup') return effect.message
  return undefined
}

/**
 * Returns how many pages are requested of a replica if each page has so many bytes and announces
 * another.
 */
function pagesOf(bytes: number): number {
  const member = new Member()
  let request: Page | undefined
  while (request === undefined && member.now < 60_000) {
    member.now += 100
    request = asked(member.handle({ type: 'timer' }), 'hostile')
  }
  let pages = 0
  for (; request !== undefined && pages < 1000; pages++) {
    const { request: number, page = 0 } = request
    const next = { at: 0, after: step('x') }
    const found = { type: 'found', job, request: number, entries: [entry(bytes)], claims: [], last: false, page, next } as const
    request = asked(member.hear('hostile', found), 'hostile')
  }
  return pages
}

describe('a member with a hostile peer', () => {
  it('requests no further page after a page with little content', () => {
    expect(pagesOf(60_000)).toBe(1)
  })

  it('requests at most 128 MiB of pages for one look-up', () => {
    expect(pagesOf(2 ** 20)).toBe(128)
  })

  it('keeps at most 4,096 claims of a job', () => {
    const member = new Member()
    const claim = { fn: 'f', input: new Uint8Array(), age: 0, progress: 0, leaf: true, second: false }
    const claims = Array.from({ length: 5000 }, (_, number) => ({ ...claim, path: step(String(number)) }))
    const work = { begun: 0, finished: 0, ran: 0 }
    member.hear('hostile', { type: 'report', job, number: 1, entries: [], claims, dropped: [], work })
    const [found] = member
      .hear('honest', { type: 'lookup', job, request: 1, paths: [ROOT], page: 0 })
      .flatMap((effect) => (effect.type === 'send' && effect.message.type === 'found' ? [effect.message] : []))
    expect(found?.claims.length).toBe(4096)
  })

  it('takes a task only from the peer that it asked', () => {
    const member = new Member(1)
    const steals = member.first.flatMap((effect) => (effect.type === 'send' && effect.message.type === 'steal' ? [effect] : []))
    const [{ to, message }] = steals as [(typeof steals)[0] & { message: Extract<Message, { type: 'steal' }> }]
    const task = { path: step('x'), fn: 'f', input: new Uint8Array(), job, replay: false, tries: 0 }
    const work = { type: 'work', request: message.request, tasks: [task], left: 0, ended: [] } as const
    const runs = (effects: readonly Effect[]): boolean => effects.some(({ type }) => type === 'run')
    expect(runs(member.hear(to === 'hostile' ? 'honest' : 'hostile', work))).toBe(false)
    expect(runs(member.hear(to, work))).toBe(true)
    expect(runs(member.hear(to, { ...work, tasks: [{ ...task, path: step('y') }] }))).toBe(false)
  })
})
