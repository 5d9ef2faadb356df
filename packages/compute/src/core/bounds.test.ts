import { createRandom, hash52 } from '@jel/protocol'
import { describe, expect, it } from 'vitest'
import type { Entry } from './entry.ts'
import type { Effect } from './io.ts'
import type { HeldBy, Message } from './messages.ts'
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
      trusted: false,
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

/** A member reports claims of tasks with inputs of this size. */
function claims(member: Member, from: string, paths: readonly string[], bytes = 0): void {
  const claim = { fn: 'f', input: new Uint8Array(bytes), age: 0, progress: 0, leaf: true, second: false }
  const work = { begun: 0, finished: 0, ran: 0 }
  const all = paths.map((path) => ({ ...claim, path }))
  member.hear(from, { type: 'report', job, number: 1, entries: [], claims: all, dropped: [], work })
}

/** The hostile replica answers a look-up with these claims. */
function finds(member: Member, found: readonly HeldBy[]): void {
  let request: Page | undefined
  while (request === undefined && member.now < 60_000) {
    member.now += 100
    request = asked(member.handle({ type: 'timer' }), 'hostile')
  }
  member.hear('hostile', { type: 'found', job, request: request?.request ?? -1, entries: [], claims: found, last: true })
}

/** Returns the claims that this member tells another one. */
function claimsAt(member: Member, to = 'hostile'): readonly HeldBy[] {
  const effects = member.hear(to, { type: 'lookup', job, request: 1, paths: [ROOT], page: 0 })
  return effects.flatMap((effect) => (effect.type === 'send' && effect.message.type === 'found' ? effect.message.claims : []))
}

/**
 * Returns how many pages are requested of a replica if each page has so many bytes, takes so long,
 * and announces another.
 */
function pagesOf(bytes: number, wait = 0): number {
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
    member.now += wait
    if (wait > 0) member.handle({ type: 'timer' })
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

  it('ends a lookup after 30 s, even if a replica goes on with pages', () => {
    expect(pagesOf(66_000, 2900)).toBe(11)
  })

  it('keeps at most 4,096 claims of a job', () => {
    const member = new Member()
    const paths = Array.from({ length: 5000 }, (_, number) => step(String(number)))
    claims(member, 'hostile', paths)
    expect(claimsAt(member, 'honest').length).toBe(4096)
  })

  it('keeps the claims of a member beside those that a replica invents for it', () => {
    const member = new Member()
    const paths = Array.from({ length: 5000 }, (_, number) => step(`invented ${number}`))
    finds(
      member,
      paths.map((path) => ({ path, holder: 'honest' })),
    )
    claims(member, 'honest', [step('own')])
    expect(claimsAt(member).some(({ path }) => path === step('own'))).toBe(true)
  })

  it('keeps no claims that a replica invents beyond its 128 MiB, even for tasks that are known', () => {
    const member = new Member()
    const holders = ['a', 'b', 'c', 'd']
    for (const id of holders) member.handle({ type: 'joined', member: { id, location: 'there', isClient: true } })
    const paths = Array.from({ length: 2000 }, (_, number) => step(String(number)))
    claims(member, 'honest', paths)
    const large = Array.from({ length: 127 }, (_, number) => step(`large ${number}`))
    claims(member, 'hostile', large, 2 ** 20)
    finds(
      member,
      holders.flatMap((holder) => paths.map((path) => ({ path, holder }))),
    )
    const kept = claimsAt(member).filter(({ holder }) => holders.includes(holder)).length
    expect(kept).toBeGreaterThan(1000)
    // One MiB has room for them.
    expect(kept).toBeLessThan(4000)
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
