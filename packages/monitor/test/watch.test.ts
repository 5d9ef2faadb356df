import { joinPool, type Pool } from '@jel/jel'
import { afterEach, describe, expect, it } from 'vitest'
import { monitor, type MemberEvent, type Monitor, type WatchEvent, type WatchOptions } from '../src/index.ts'

interface Watched {
  readonly pool: Pool
  readonly monitor: Monitor
}

const pools: Pool[] = []
afterEach(async () => void (await Promise.all(pools.splice(0).map(async (pool) => await pool.leave()))))

let count = 0
async function member(name: string, of?: Watched, location?: string): Promise<Watched> {
  const pool = await joinPool(name, {
    listen: ['/ip4/127.0.0.1/tcp/0'],
    mdns: false,
    bootstrap: of?.pool.self.addresses ?? [],
    ...(location !== undefined && { location }),
  })
  pools.push(pool)
  return { pool, monitor: await monitor(pool) }
}

async function two(): Promise<[Watched, Watched]> {
  const name = `watched-${process.pid}-${count++}`
  const a = await member(name)
  const b = await member(name, a)
  await expect.poll(() => a.pool.members().length + b.pool.members().length).toBe(4)
  return [a, b]
}

/** Collects what a watch brings. */
function follow(
  { monitor: by }: Watched,
  options: WatchOptions,
): { events: (WatchEvent | MemberEvent)[]; values: () => unknown[]; stop: () => void } {
  const events: (WatchEvent | MemberEvent)[] = []
  const watch = by.watch(options)
  void (async () => {
    for await (const event of watch) events.push(event)
  })()
  return { events, values: () => events.flatMap((event) => (event.type === 'sample' ? [event.value] : [])), stop: () => watch.close() }
}

describe('a watch', () => {
  it('brings samples of all members, this one and newcomers too, until it is stopped', async () => {
    const [a, b] = await two()
    let runs = 0
    for (const { monitor: each, pool } of [a, b]) each.attribute('who', { unit: 's', ttl: 0, read: () => pool.self.id })
    b.monitor.attribute('runs', { ttl: 0, read: () => ++runs })
    const { events, stop } = follow(a, { attributes: ['who'], every: 100 })
    const seen = (): Set<string> => new Set(events.flatMap((event) => (event.type === 'sample' ? [event.member] : [])))
    await expect.poll(seen).toEqual(new Set([a.pool.self.id, b.pool.self.id]))
    expect(events[0]).toMatchObject({ type: 'sample', name: 'who', unit: 's', replayed: false, seq: 1 })
    const c = await member(a.pool.name, a)
    c.monitor.attribute('who', { read: () => 'c' })
    await expect.poll(() => seen().has(c.pool.self.id)).toBe(true)
    await c.pool.leave()
    await expect.poll(() => events.at(-1)?.type === 'ended' || events.some(({ type }) => type === 'ended')).toBe(true)
    expect(events.find(({ type }) => type === 'ended')).toEqual({ type: 'ended', member: c.pool.self.id, reason: 'left' })
    expect(runs).toBe(0)
    stop()
    const before = events.length
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(events.length - before).toBeLessThanOrEqual(1)
  })

  it('runs a sensor once for ten watchers, and not at all after the last one', async () => {
    const [a, b] = await two()
    let runs = 0
    b.monitor.attribute('x', { ttl: 0, read: () => ++runs })
    const watches = Array.from({ length: 7 }, () => follow(a, { attributes: ['x'], every: 200, from: { ids: [b.pool.self.id] } }))
    await expect.poll(() => watches.every(({ values }) => values().length >= 5)).toBe(true)
    expect(runs).toBeLessThan(5 * 7)
    for (const { stop } of watches) stop()
    await new Promise((resolve) => setTimeout(resolve, 300))
    const after = runs
    await new Promise((resolve) => setTimeout(resolve, 600))
    expect(runs).toBe(after)
  })

  it('goes on over a new stream without losing or repeating a sample', async () => {
    const [a, b] = await two()
    let value = 0
    b.monitor.attribute('x', { ttl: 0, read: () => ++value })
    // Another watcher keeps the series alive.
    const keeper = follow(b, { attributes: ['x'], every: 100, from: { ids: [b.pool.self.id] } })
    const { events, values } = follow(a, { attributes: ['x'], every: 100, from: { ids: [b.pool.self.id] } })
    await expect.poll(() => values().length).toBeGreaterThan(3)
    for (const stream of b.pool.libp2p.getConnections().flatMap(({ streams }) => streams))
      if (stream.protocol === '/jel-watch/1.0.0') stream.abort(new Error('cut'))
    await expect.poll(() => events.some((event) => event.type === 'sample' && event.replayed)).toBe(true)
    await expect.poll(() => values().length).toBeGreaterThan(12)
    const samples = events.flatMap((event) => (event.type === 'sample' ? [event] : []))
    const seqs = samples.map(({ seq }) => seq)
    expect(seqs).toEqual([...new Set(seqs)].toSorted((one, other) => one - other))
    expect(samples.map(({ value }) => value)).toEqual(seqs)
    // On a busy machine a live watch may skip one of two samples that come close together.
    const [begin, end] = [samples.findIndex(({ replayed }) => replayed), samples.findLastIndex(({ replayed }) => replayed)]
    const replayed = seqs.slice(begin - 1, end + 1)
    expect(replayed).toEqual(replayed.map((_, at) => (replayed[0] as number) + at))
    expect(events.filter(({ type }) => type === 'gap')).toEqual([])
    keeper.stop()
  })

  it('chooses members by location and by a condition over their constants', async () => {
    const name = `watched-${process.pid}-${count++}`
    const a = await member(name, undefined, 'n1@delft')
    const b = await member(name, a, 'n2@delft')
    const c = await member(name, a, 'n3@leiden')
    for (const { monitor: each } of [a, b, c]) each.attribute('x', { read: () => 1 })
    await b.monitor.constant({ cpus: 8 })
    await c.monitor.constant({ cpus: 8 })
    await expect.poll(() => [b, c].every(({ pool }) => a.monitor.constantsOf(pool.self)['cpus'] === 8)).toBe(true)
    const { events } = follow(a, { attributes: ['x'], every: 100, from: { location: 'delft', where: 'cpus >= 8' } })
    await expect.poll(() => events.length).toBeGreaterThan(2)
    expect(new Set(events.map(({ member: id }) => id))).toEqual(new Set([b.pool.self.id]))
  })

  it('brings what a member has a problem with, or refuses, as news of that member', async () => {
    const [a, b] = await two()
    b.monitor.attribute('x', { read: () => 1 })
    const ids = [b.pool.self.id]
    const wrong = follow(a, { attributes: ['y'], every: 100, from: { ids } })
    await expect.poll(() => wrong.events[0]).toMatchObject({ type: 'problem', name: 'y', code: 'NO_ATTRIBUTE' })
    b.monitor.allow(({ member: by }) => (by === a.pool.self.id ? 'summary' : 'all'))
    const raw = follow(a, { attributes: ['x'], from: { ids } })
    await expect.poll(() => raw.events[0]).toMatchObject({ type: 'refused', code: 'DENIED' })
    const means = follow(a, { attributes: ['x'], over: 600_000, from: { ids } })
    await new Promise((resolve) => setTimeout(resolve, 500))
    // The first mean comes after ten minutes: a shorter one would be a single value.
    expect(means.events).toEqual([])
    const most = follow(a, { attributes: ['x'], over: 600_000, reduce: 'max', from: { ids } })
    await expect.poll(() => most.events[0]).toMatchObject({ type: 'refused', code: 'DENIED' })
    expect((await a.monitor.read(b.pool.self, ['x']))[0]?.problem?.code).toBe('DENIED')
    expect(() => a.monitor.watch({ attributes: ['x'], when: 'x >' })).toThrow('column')
  })

  it('can begin at the producer, if the consumer accepts it', async () => {
    const [a, b] = await two()
    b.monitor.attribute('alarm', { ttl: 0, read: () => 'fire' })
    const got: (WatchEvent | MemberEvent)[] = []
    const refuse = a.monitor.accept(['alarm'], (event) => got.push(event))
    const stop = await b.monitor.push(a.pool.self, { attributes: ['alarm'], every: 100 })
    await expect.poll(() => got.length).toBeGreaterThan(2)
    expect(got[0]).toMatchObject({ type: 'sample', member: b.pool.self.id, name: 'alarm', value: 'fire' })
    stop()
    refuse()
    await new Promise((resolve) => setTimeout(resolve, 300))
    const before = got.length
    await b.monitor.push(a.pool.self, { attributes: ['alarm'], every: 100 })
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(got).toHaveLength(before)
  })

  it('of more than eight of one member is too much', async () => {
    const [a, b] = await two()
    b.monitor.attribute('x', { ttl: 0, read: () => 1 })
    const watches = Array.from({ length: 10 }, () => follow(a, { attributes: ['x'], every: 100, from: { ids: [b.pool.self.id] } }))
    await expect.poll(() => watches.filter(({ values }) => values().length > 2).length).toBe(8)
    const [refused] = watches.map(({ events }) => events.find(({ type }) => type === 'refused')).filter((each) => each !== undefined)
    expect(refused).toMatchObject({ code: 'TOO_MANY' })
    for (const { stop } of watches) stop()
  })

  it('ends at its consumer when the producer closes its monitor', async () => {
    const [a, b] = await two()
    b.monitor.attribute('x', { ttl: 0, read: () => 1 })
    const { events, values } = follow(a, { attributes: ['x'], every: 100, from: { ids: [b.pool.self.id] } })
    await expect.poll(() => values().length).toBeGreaterThan(2)
    await b.monitor.close()
    await expect.poll(() => events.at(-1)).toMatchObject({ type: 'refused', code: 'OPEN_FAILED' })
  })

  it('comes back after a break, however much was measured meanwhile', async () => {
    const [a, b] = await two()
    const names = Array.from({ length: 60 }, (_, at) => `x${at}`)
    for (const name of names) b.monitor.attribute(name, { ttl: 0, read: () => 'v'.repeat(1000) })
    const keeper = follow(b, { attributes: names, every: 100, from: { ids: [b.pool.self.id] } })
    const { values } = follow(a, { attributes: names, every: 100, from: { ids: [b.pool.self.id] } })
    await expect.poll(() => values().length).toBeGreaterThan(100)
    for (const stream of b.pool.libp2p.getConnections().flatMap(({ streams }) => streams))
      if (stream.protocol === '/jel-watch/1.0.0') stream.abort(new Error('cut'))
    const before = values().length
    await expect.poll(() => values().length, { timeout: 10_000 }).toBeGreaterThan(before + 300)
    keeper.stop()
  })

  it('by site has one sample for each site, by one member there, and by the next one when it is gone', async () => {
    const name = `watched-${process.pid}-${count++}`
    const all: Watched[] = []
    for (let at = 0; at < 6; at++) all.push(await member(name, all[0], `n${at}@site${at % 2}`))
    for (const { pool } of all) await expect.poll(() => pool.members().length).toBe(6)
    const runs = all.map(() => 0)
    for (const [at, { monitor: each }] of all.entries())
      each.attribute('x', { ttl: 0, read: () => ((runs[at] = (runs[at] as number) + 1), at) })
    const one = follow(all[0] as Watched, { attributes: ['x'], every: 200, by: 'site', reduce: 'sum' })
    const two = follow(all[1] as Watched, { attributes: ['x'], every: 200, by: 'site', reduce: 'sum' })
    const latest = ({ events }: typeof one): Record<string, unknown> =>
      Object.fromEntries(
        events.flatMap((event): [string, unknown][] => (event.type === 'sample' ? [[event.site ?? '', [event.value, event.count]]] : [])),
      ) as Record<string, unknown>
    await expect.poll(() => latest(one)).toEqual({ site0: [6, 3], site1: [9, 3] })
    await expect.poll(() => latest(two)).toEqual({ site0: [6, 3], site1: [9, 3] })
    const aggregator = one.events.find((event) => event.type === 'sample' && event.site === 'site1')?.member
    const at = all.findIndex(({ pool }) => pool.self.id === aggregator)
    // The consumers stay.
    if (at > 1) {
      await all[at]?.pool.leave()
      await expect.poll(() => latest(one)['site1']).toEqual([9 - at, 2])
    }
    // Both consumers share the samples of each member.
    const before = [...runs]
    await new Promise((resolve) => setTimeout(resolve, 1000))
    expect((runs[0] as number) - (before[0] as number)).toBeLessThan(8)
    expect(() => (all[0] as Watched).monitor.watch({ attributes: ['x'], by: 'site', when: 'x > 1' })).toThrow('a watch by site takes')
  })
})
