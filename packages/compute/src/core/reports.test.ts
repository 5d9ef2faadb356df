import { Timers } from '@jel/machine'
import { beforeEach, describe, expect, it } from 'vitest'
import { defaultSchedulerConfig } from './config.ts'
import type { Context } from './context.ts'
import { Job } from './job.ts'
import { Members } from './members.ts'
import type { Message } from './messages.ts'
import { Reports } from './reports.ts'
import { NOTHING_SHARED } from './shared-value.ts'
import { timerNames } from './timers.ts'

type Report = Extract<Message, { type: 'report' }>

const PARTS = 10
const partOf = (part: number): string => String(part).repeat(10)
/** 256 levels deep. So few items of news take many bytes. */
const leafOf = (part: number, leaf: number): string => partOf(part) + 'a'.repeat(2540) + String(leaf).padStart(10, '0')

let context: Context
let job: Job
let sent: Report[]
let members: Members
let reports: Reports

/** A member whose job has these other members as replicas. */
function member(...replicas: readonly string[]): void {
  members = new Members({ id: 'self', location: 'here', isClient: true }, defaultSchedulerConfig)
  for (const id of replicas) members.joined({ id, location: 'there' })
  memberOf(members, 'job', 'self')
}

function memberOf(view: Members, id: string, self: string): void {
  sent = []
  const spec = { owner: 'o', fn: 'f', input: undefined, submitted: 0, desired: 'run', accepted: true, fresh: true } as const
  job = new Job({ ...spec, id }, 0)
  const state: Partial<Context> = {
    self,
    now: 0,
    config: defaultSchedulerConfig,
    members: view,
    attended: new Set([job]),
    unreported: new Set(),
    timers: new Timers(timerNames),
    keepers: () => view.replicas(id),
    send: (_, message) => sent.push(message as Report),
  }
  context = state as Context
  reports = new Reports(context)
}

function ends(path: string): void {
  job.tree.put(job.tree.ensure(path), { path, outcome: { value: Uint8Array.of(1) }, shared: NOTHING_SHARED })
  job.news.push({ type: 'entry', path })
}

/** A part ends after its thousand leaves. */
function endPart(part: number): void {
  for (let leaf = 0; leaf < 1000; leaf++) ends(leafOf(part, leaf))
  ends(partOf(part))
  context.now += 1000
  reports.due()
}

function endParts(answering?: string): void {
  for (let part = 0; part < PARTS; part++) {
    endPart(part)
    if (answering !== undefined) acknowledges(answering)
  }
}

function acknowledges(replica: string): void {
  for (let more = true; more;) {
    const progress = job.replicas.get(replica)
    const { number = 0, sentAt = -Infinity } = progress ?? {}
    more = sentAt !== -Infinity
    if (more) reports.noted(replica, job, number)
    context.now += 1000
    reports.due()
  }
}

const newsBytes = (): number => job.news.reduce((sum, { path }) => sum + path.length, 0)

describe('the news of a job', () => {
  it('is dropped at once at a member that knows no replica', () => {
    member()
    endParts()
    expect(newsBytes()).toBe(0)
  })

  it('takes at most 8 MiB beside a replica that acknowledges nothing', () => {
    member('silent', 'honest')
    endParts('honest')
    expect(newsBytes()).toBeLessThan(8 * 2 ** 20)
  })
})

describe('the replica that hands everything over to a new one', () => {
  const sites = ['a', 'b', 'c', 'd']
  const all = Array.from({ length: 18 }, (_, number) => `m${number}`)
  /** Returns the replica that this member takes for the source, after these pairs of deaths. */
  const sourceAt = (self: string, id: string, deaths: readonly string[]): string | undefined => {
    const view = new Members({ id: self, location: `x@${sites[all.indexOf(self) % sites.length]}` }, defaultSchedulerConfig)
    for (const [number, each] of all.entries()) view.joined({ id: each, location: `x@${sites[number % sites.length]}` })
    memberOf(view, id, self)
    reports.follow(job)
    for (const [number, death] of deaths.entries()) {
      context.now += number % 2 === 0 ? 20_000 : 50
      view.gone(death)
      reports.follow(job)
    }
    return job.source
  }

  it.each(Array.from({ length: 20 }, (_, number) => `job${number}`))('is the same for all, in whatever order they see deaths: %s', (id) => {
    const view = new Members({ id: 'm0', location: 'x@a' }, defaultSchedulerConfig)
    for (const [number, each] of all.entries()) view.joined({ id: each, location: `x@${sites[number % sites.length]}` })
    // All of the first replicas die, two at a time. So at last their successors are the earliest.
    const deaths = view.replicas(id)
    deaths.push(...deaths.splice(0, 4).toReversed())
    const [a = '', b = '', c = '', d = '', e = '', f = ''] = [...deaths, ...all.filter((each) => !deaths.includes(each))]
    const orders = [
      [a, b, c, d, e, f],
      [b, a, d, c, f, e],
      [b, a, c, d, f, e],
    ]
    const living = all.filter((self) => ![a, b, c, d, e, f].includes(self))
    for (const count of [2, 4, 6]) {
      const sources = living.flatMap((self) => orders.map((order) => sourceAt(self, id, order.slice(0, count))))
      expect(new Set(sources).size).toBe(1)
      expect(sources[0]).toBeDefined()
    }
  })
})

describe('a replica that lacks more than 8 MiB of news', () => {
  beforeEach(() => {
    member('late')
    ends('x'.repeat(10))
    for (const _ of ['due', 'sent']) reports.due()
    expect(sent).toHaveLength(1)
  })

  it('receives all outcomes once it answers', () => {
    endParts()
    sent = []
    context.now += 3_600_000
    reports.due()
    acknowledges('late')
    const paths = sent.flatMap(({ entries }) => entries.map(({ path }) => path))
    expect(new Set(paths)).toEqual(new Set(['x'.repeat(10), ...Array.from({ length: PARTS }, (_, part) => partOf(part))]))
    expect(newsBytes()).toBe(0)
  })

  it('lacks them still after an acknowledgement of an earlier report', () => {
    for (let part = 0; part < PARTS && job.replicas.get('late')?.noted !== -1; part++) endPart(part)
    reports.noted('late', job, sent.at(-1)?.number ?? -1)
    expect(job.replicas.get('late')).toMatchObject({ noted: -1, isNew: true })
  })
})
