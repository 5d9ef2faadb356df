import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { VirtualNetwork, type VirtualMember } from '../test/virtual-network.ts'
import type { MemberEvent, WatchEvent, WatchOptions } from './index.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const TEN_MINUTES = 600_000

function follow(by: VirtualMember, options: WatchOptions): (WatchEvent | MemberEvent)[] {
  const events: (WatchEvent | MemberEvent)[] = []
  void (async () => {
    for await (const event of by.monitor.watch(options)) events.push(event)
  })()
  return events
}

it('an overview of a thousand members at 20 sites takes a stream and 60 bytes a round for each site', async () => {
  const [network, sites, size] = [new VirtualNetwork(), 20, 50]
  let runs = 0
  for (let at = 0; at < sites * size; at++) {
    const member = await network.join(`n${at}@site${at % sites}`)
    member.monitor.attribute('load', { ttl: 0, read: () => (runs++, at) })
  }
  const [consumer] = network.members as [VirtualMember]
  const events = follow(consumer, { attributes: ['load'], every: 10_000, by: 'site' })
  await vi.advanceTimersByTimeAsync(20_000)
  const before = { ...consumer.received, runs, events: events.length }
  await vi.advanceTimersByTimeAsync(30_000)
  // Its own site may be aggregated by itself, without a stream.
  expect(consumer.streams.size).toBeLessThanOrEqual(sites + 1)
  expect(consumer.received.messages - before.messages).toBeLessThanOrEqual(3 * (sites + 1))
  expect((consumer.received.bytes - before.bytes) / (3 * sites)).toBeLessThanOrEqual(60)
  expect(runs - before.runs).toBe(3 * sites * size)
  const news = events.slice(before.events)
  expect(news).toHaveLength(3 * sites)
  for (const event of news) {
    if (event.type !== 'sample') throw new Error(event.type)
    const site = Number(event.site?.slice('site'.length))
    // The members of site 3 have the values 3, 23, … 983.
    expect([event.count, event.value]).toEqual([size, site + (sites * (size - 1)) / 2])
  }
  // An aggregator has streams to the members of its site, and others have one.
  const streams = network.members
    .slice(1)
    .map((member) => member.streams.size)
    .filter((count) => count > 1)
  expect(streams.length).toBeLessThanOrEqual(sites)
  expect(Math.max(...streams)).toBeLessThanOrEqual(size + 1)
})

it('a member outside the site gets means of ten minutes alone, and members inside get all values', async () => {
  const network = new VirtualNetwork()
  const producer = await network.join('n0@here')
  const inside = await network.join('n1@here')
  const outside = await network.join('n2@elsewhere')
  let value = 0
  producer.monitor.attribute('load', { ttl: 0, read: () => ++value })
  const near = new Set([inside.self.id])
  producer.monitor.allow(({ member }) => (near.has(member) ? 'all' : 'summary'))
  const [attributes, from] = [['load'], { ids: [producer.self.id] }]
  const raw = follow(outside, { attributes, from })
  const short = follow(outside, { attributes, over: TEN_MINUTES - 1, from })
  const means = follow(outside, { attributes, over: TEN_MINUTES, every: 60_000, from })
  const all = follow(inside, { attributes, from })
  await vi.advanceTimersByTimeAsync(TEN_MINUTES - 1000)
  for (const refused of [raw, short]) expect(refused).toMatchObject([{ type: 'refused', code: 'DENIED' }])
  expect(means).toEqual([])
  expect((await outside.monitor.read(producer.self.id, ['load']))[0]?.problem?.code).toBe('DENIED')
  await vi.advanceTimersByTimeAsync(TEN_MINUTES + 2000)
  const samples = all.filter((event) => event.type === 'sample')
  expect(samples.length).toBeGreaterThan(1190)
  expect(means.length).toBeGreaterThan(9)
  for (const mean of means) {
    if (mean.type !== 'sample') throw new Error(mean.type)
    // The watch of means takes a sample each minute.
    const window = samples.filter(({ at }) => at > mean.at - TEN_MINUTES && at <= mean.at).filter(({ at }) => (mean.at - at) % 60_000 === 0)
    expect(mean.value).toBeCloseTo(window.reduce((sum, each) => sum + Number(each.value), 0) / window.length, 9)
  }
})

it('a consumer that is gone costs its producer no further measurement', async () => {
  const network = new VirtualNetwork()
  const producer = await network.join('n0@here')
  const consumer = await network.join('n1@here')
  let runs = 0
  producer.monitor.attribute('load', { ttl: 0, read: () => ++runs })
  follow(consumer, { attributes: ['load'], every: 100, from: { ids: [producer.self.id] } })
  await vi.advanceTimersByTimeAsync(1050)
  expect(runs).toBe(11)
  network.kill(consumer)
  await vi.advanceTimersByTimeAsync(TEN_MINUTES)
  expect(runs).toBe(11)
  expect(producer.streams.size).toBe(0)
})

it('a member serves 64 watches, of all others together, and refuses more in words', async () => {
  const network = new VirtualNetwork()
  const producer = await network.join('n@here')
  producer.monitor.attribute('load', { ttl: 0, read: () => 1 })
  const from = { ids: [producer.self.id] }
  const served: (WatchEvent | MemberEvent)[][] = []
  for (let at = 0; at < 9; at++) {
    const consumer = await network.join(`n${at}@here`)
    for (let count = 0; count < 8; count++) served.push(follow(consumer, { attributes: ['load'], from }))
  }
  await vi.advanceTimersByTimeAsync(2500)
  const counted = Map.groupBy(served, ([first]) => (first?.type === 'refused' ? first.code : first?.type))
  expect([...counted].map(([type, some]) => [type, some.length])).toEqual([
    ['sample', 64],
    ['TOO_MANY', 8],
  ])
  expect(producer.streams.size).toBe(64)
  // A place is free again after the end of a watch.
  network.kill(network.members[1] as VirtualMember)
  const late = follow(network.members[2] as VirtualMember, { attributes: ['load'], from })
  const other = follow(network.members.at(-1) as VirtualMember, { attributes: ['load'], from })
  await vi.advanceTimersByTimeAsync(1500)
  expect(late).toMatchObject([{ type: 'refused', code: 'TOO_MANY' }])
  expect(other[0]).toMatchObject({ type: 'sample' })
})
