import { Timers } from '@jel/machine'
import { createRandom, hash52 } from '@jel/protocol'
import { beforeEach, describe, expect, it } from 'vitest'
import { defaultSchedulerConfig } from './config.ts'
import type { Context } from './context.ts'
import { Job } from './job.ts'
import { Members } from './members.ts'
import type { Message } from './messages.ts'
import { newReplica } from './replica-progress.ts'
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
  const spec = { owner: 'o', fn: 'f', input: undefined, submitted: 0, desired: 'run', trusted: false, accepted: true, fresh: true } as const
  job = new Job({ ...spec, id }, 0)
  const state: Partial<Context> = {
    self,
    now: 0,
    config: defaultSchedulerConfig,
    members: view,
    attended: new Set([job]),
    unreported: new Set(),
    timers: new Timers(timerNames),
    replicas: () => view.replicas(id),
    send: (_, message) => sent.push(message as Report),
  }
  context = state as Context
  reports = new Reports(context)
}

function ends(path: string): void {
  job.tree.put(job.tree.ensure(path), { path, outcome: { value: Uint8Array.of(1) }, shared: NOTHING_SHARED })
  job.reports.add({ type: 'entry', path })
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
    const progress = job.reports.progress.get(replica)
    const { number = 0, sentAt = -Infinity } = progress ?? {}
    more = sentAt !== -Infinity
    if (more) reports.noted(replica, job, number)
    context.now += 1000
    reports.due()
  }
}

const newsBytes = (): number => job.reports.news.reduce((sum, { path }) => sum + path.length, 0)

describe('the news of a job', () => {
  it('has the outcome of a task above, though another member computed it', () => {
    member('replica')
    ends(leafOf(1, 1))
    for (const _ of ['due', 'sent']) reports.due()
    acknowledges('replica')
    sent = []
    ends(leafOf(2, 1))
    const path = partOf(2)
    job.tree.put(job.tree.ensure(path), { path, outcome: { value: Uint8Array.of(2) }, shared: NOTHING_SHARED })
    reports.due()
    context.now += 1000
    reports.due()
    expect(sent.flatMap(({ entries }) => entries.map((entry) => entry.path))).toEqual([path])
  })

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

/** Seeds in which members choose different sources. Other rules left a replica incomplete. */
const DISPUTED = [1457, 1612, 1976]

describe('new replicas receive everything', () => {
  const sites = ['a', 'b', 'c', 'd']
  const all = Array.from({ length: 18 }, (_, number) => `m${number}`)
  const viewOf = (self: string): Members => {
    const view = new Members({ id: self, location: `x@${sites[all.indexOf(self) % sites.length]}` }, defaultSchedulerConfig)
    for (const [number, each] of all.entries()) view.joined({ id: each, location: `x@${sites[number % sites.length]}` })
    return view
  }

  /**
   * Replicas die one after the other, and members see each death up to 0.4 s later, in different
   * orders. Returns the replicas at last, and those of them that have everything.
   */
  function history(seed: number): { readonly replicas: readonly string[]; readonly complete: ReadonlySet<string> } {
    const random = createRandom(seed)
    const nodes = all.map((self) => {
      const view = viewOf(self)
      memberOf(view, 'job', self)
      reports.updateRecipients(job)
      for (const progress of job.reports.progress.values()) progress.noted = 0
      return { self, view, job, reports, context }
    })
    const complete = new Set(viewOf('m0').replicas('job'))
    /** For each replica the members that sent it everything that they have. */
    const senders = new Map<string, Set<string>>()
    const truth = viewOf('m0')
    let now = random() * 60_000
    let events: { readonly at: number; readonly death: string; readonly by?: string }[] = []
    for (let deaths = 0; deaths < 8; deaths++) {
      const replicas = truth.replicas('job').filter((id) => id !== 'm0')
      const death = replicas[Math.floor(random() * replicas.length)] as string
      truth.gone(death)
      events.push({ at: now, death }, ...all.map((by) => ({ at: now + random() * 400, death, by })))
      now += [50, 500, 1000, 15_000, 30_000, 40_000][Math.floor(random() * 6)] as number
    }
    events = events.sort((a, b) => a.at - b.at)
    const dead = new Set<string>()
    for (const { at, death, by } of events) {
      if (by === undefined) dead.add(death)
      const node = nodes.find(({ self }) => self === by)
      if (node === undefined || dead.has(node.self)) continue
      Object.assign(node.context, { now: at })
      node.view.gone(death)
      node.reports.updateRecipients(node.job)
      for (const [replica, progress] of node.job.reports.progress) {
        if (progress.noted !== -1) continue
        progress.noted = 0
        if (complete.has(node.self)) complete.add(replica)
        senders.set(replica, (senders.get(replica) ?? new Set()).add(node.self))
      }
    }
    const living = all.filter((id) => !dead.has(id))
    for (const [replica, some] of senders) if (living.every((id) => id === replica || some.has(id))) complete.add(replica)
    return { replicas: truth.replicas('job'), complete }
  }

  it('from one replica, also in the first seconds of a job', () => {
    const members = all.map((self) => ({ self, view: viewOf(self) }))
    const [death = ''] = viewOf('m0').replicas('job')
    const senders = members.filter(({ self, view }) => {
      if (self === death) return false
      memberOf(view, 'job', self)
      reports.updateRecipients(job)
      for (const progress of job.reports.progress.values()) progress.noted = 0
      Object.assign(context, { now: 5000 })
      view.gone(death)
      reports.updateRecipients(job)
      return [...job.reports.progress.values()].some(({ noted }) => noted === -1)
    })
    // A new replica has nothing yet.
    const old = new Set(viewOf('m0').replicas('job'))
    expect(senders.filter(({ self }) => old.has(self)).length).toBeGreaterThan(0)
    expect(senders.length).toBeLessThanOrEqual(2)
  })

  it.each([...Array.from({ length: 60 }, (_, seed) => seed + 1), ...DISPUTED])('in whatever order members see deaths: seed %i', (seed) => {
    const { replicas, complete } = history(seed)
    expect(replicas.filter((id) => !complete.has(id))).toEqual([])
  })
})

describe('a hand-over that takes long', () => {
  const MINUTE = 60_000

  /** This member hands over to a replica. An earlier replica goes before this member. */
  function handsOver(earlier: { readonly backlog?: string[] }): void {
    const view = new Members({ id: 'self', location: 'here' }, defaultSchedulerConfig)
    for (const id of ['early', 'late', 'displaced']) view.joined({ id, location: 'there' })
    const rank = (id: string, of: string): number => hash52(`${id} ${of}`)
    const first = Array.from({ length: 99 }, (_, number) => `job${number}`).find((id) => rank('early', id) < rank('self', id)) ?? ''
    memberOf(view, first, 'self')
    Object.assign(context, { now: MINUTE, replicas: () => ['self', 'early', 'late'] })
    job.reports.recipients = ['self', 'early', 'late']
    for (const [id, since] of [
      ['self', 0],
      ['early', 10_000],
      ['late', MINUTE - 5000],
    ] as const)
      job.reports.recipientSince.set(id, since)
    job.reports.handOverSource = 'self'
    job.reports.progress.set('early', { ...newReplica(0, 3000), ...earlier })
    job.reports.progress.set('late', { ...newReplica(0, 3000), backlog: ['x'] })
    reports.updateRecipients(job)
  }

  it('goes on although this member now chooses another replica as the source', () => {
    handsOver({})
    expect(job.reports.handOverSource).toBe('early')
    expect(job.reports.progress.get('late')?.backlog).toEqual(['x'])
  })

  it('is repeated by the next source if another replica displaces the source', () => {
    handsOver({})
    Object.assign(job.reports, { handOverSource: 'displaced', recipients: ['self', 'late'] })
    job.reports.recipientSince.delete('early')
    Object.assign(job.reports.progress.get('late') ?? {}, { backlog: undefined, noted: 7 })
    reports.updateRecipients(job)
    expect(job.reports.handOverSource).toBe('self')
    expect(job.reports.progress.get('late')?.noted).toBe(-1)
  })

  it('leaves its replica incomplete', () => {
    handsOver({ backlog: ['y'] })
    expect(job.reports.handOverSource).toBe('self')
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
    for (let part = 0; part < PARTS && job.reports.progress.get('late')?.noted !== -1; part++) endPart(part)
    reports.noted('late', job, sent.at(-1)?.number ?? -1)
    expect(job.reports.progress.get('late')).toMatchObject({ noted: -1, isNew: true })
  })
})
