import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { VirtualNetwork, type VirtualMember } from '../test/virtual-network.ts'
import type { MemberEvent, WatchEvent, WatchOptions } from './index.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

type Sample = Extract<WatchEvent, { type: 'sample' }>

/** Collects what a watch of `value` brings of one member. */
function follow(by: VirtualMember, of: VirtualMember, options: Partial<WatchOptions> = {}) {
  const events: (WatchEvent | MemberEvent)[] = []
  const watch = by.monitor.watch({ attributes: ['value'], every: 1000, from: { ids: [of.self.id] }, ...options })
  void (async () => {
    for await (const event of watch) events.push(event)
  })()
  const samples = (): Sample[] => events.filter((event) => event.type === 'sample')
  const seqs = (): number[] => samples().map(({ seq }) => seq)
  return { events, samples, seqs, stop: () => watch.close() }
}

/** Two members on each side of a cut to come. Each has an attribute that counts. */
async function sides(): Promise<{ network: VirtualNetwork; here: VirtualMember[]; there: VirtualMember[] }> {
  const network = new VirtualNetwork()
  const members: VirtualMember[] = []
  for (let at = 0; at < 4; at++) {
    const member = await network.join(`n${at}@site`)
    let count = 0
    member.monitor.attribute('value', { ttl: 0, read: () => ++count })
    members.push(member)
  }
  return { network, here: members.slice(0, 2), there: members.slice(2) }
}

const counted = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, at) => from + at)

describe('a cut of a minute', () => {
  it('leaves the values within each half alone, and those of the other half come late: in order, marked, once', async () => {
    const { network, here, there } = await sides()
    const [consumer, near] = here as [VirtualMember, VirtualMember]
    const [producer, keeper] = there as [VirtualMember, VirtualMember]
    const inside = [follow(consumer, near), follow(keeper, producer)]
    const across = follow(consumer, producer)
    await vi.advanceTimersByTimeAsync(10_500)
    network.cut(here)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(across.samples()).toHaveLength(11)
    expect(across.events.at(-1)).toEqual({ type: 'ended', member: producer.self.id, reason: 'died' })
    for (const each of inside) expect(each.seqs()).toEqual(counted(1, 71))
    network.heal()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(across.seqs()).toEqual(counted(1, 81))
    expect(across.samples().map(({ value }) => value)).toEqual(across.seqs())
    const late = across.samples().filter(({ replayed }) => replayed)
    // The samples of the cut, and those until both sides know each other again.
    expect(late.map(({ seq }) => seq)).toEqual(counted(12, 72))
    expect(across.events.filter(({ type }) => type === 'gap')).toEqual([])
  })

  it('shows as a gap with its length where nobody in the half of the producer watched', async () => {
    const { network, here, there } = await sides()
    const across = follow(here[0] as VirtualMember, there[0] as VirtualMember)
    await vi.advanceTimersByTimeAsync(10_500)
    network.cut(here)
    await vi.advanceTimersByTimeAsync(60_000)
    network.heal()
    await vi.advanceTimersByTimeAsync(10_000)
    const at = across.events.findIndex(({ type }) => type === 'gap')
    const after = across.events[at + 1] as Sample
    const before = across.samples().findLast(({ seq }) => seq < after.seq) as Sample
    const time = after.at - before.at
    expect(across.events[at]).toEqual({ type: 'gap', member: there[0]?.self.id, name: 'value', time })
    expect(time).toBeGreaterThan(60_000)
    expect(Math.abs((after.seq - before.seq) * 1000 - time)).toBeLessThan(1000)
    expect(across.events.filter(({ type }) => type === 'gap')).toHaveLength(1)
    expect(across.seqs()).toEqual([...new Set(across.seqs())].sort((a, b) => a - b))
  })
})

describe('a cut of a quarter of an hour', () => {
  it('brings the ten minutes that the producer holds, and a gap with the length of the rest', async () => {
    const { network, here, there } = await sides()
    const [producer, keeper] = there as [VirtualMember, VirtualMember]
    follow(keeper, producer)
    const across = follow(here[0] as VirtualMember, producer)
    await vi.advanceTimersByTimeAsync(10_500)
    network.cut(here)
    await vi.advanceTimersByTimeAsync(900_000)
    network.heal()
    await vi.advanceTimersByTimeAsync(10_000)
    const at = across.events.findIndex(({ type }) => type === 'gap')
    const after = across.events[at + 1] as Sample
    const before = across.samples().findLast(({ seq }) => seq < after.seq) as Sample
    expect(before.seq).toBe(11)
    expect(across.events[at]).toMatchObject({ type: 'gap', time: after.at - before.at })
    const late = across.samples().filter(({ replayed }) => replayed)
    expect(late).toHaveLength(600)
    expect(across.seqs()).toEqual([...counted(1, 11), ...counted(after.seq, across.seqs().at(-1) as number)])
  })
})

describe('a consumer that stands still for half a minute', () => {
  it('gets the latest values and the exact number of the others, and the producer holds little meanwhile', async () => {
    const { network, here, there } = await sides()
    const [consumer] = here as [VirtualMember]
    const [producer, keeper] = there as [VirtualMember, VirtualMember]
    const names = Array.from({ length: 20 }, (_, at) => `long_${at}`)
    for (const name of names) producer.monitor.attribute(name, { ttl: 0, read: () => `${Date.now()} ${'x'.repeat(900)}` })
    const options = { attributes: names, every: 250 }
    follow(keeper, producer, options)
    const slow = follow(consumer, producer, options)
    await vi.advanceTimersByTimeAsync(2050)
    network.stop(consumer)
    const before = consumer.received.bytes
    await vi.advanceTimersByTimeAsync(30_000)
    // The window of the stream, the mark above which a consumer is slow, and one frame.
    expect(consumer.received.bytes - before).toBeLessThan(262_144 + 16_384 + 2 * 65_536)
    network.go(consumer)
    await vi.advanceTimersByTimeAsync(5000)
    const lost = slow.events.reduce((sum, event) => sum + (event.type === 'lost' ? event.count : 0), 0)
    const missing = names.map((name) => {
      const numbers = slow.samples().flatMap((sample) => (sample.name === name ? [sample.seq] : []))
      expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
      return (numbers.at(-1) as number) - (numbers[0] as number) + 1 - numbers.length
    })
    expect(lost).toBe(missing.reduce((sum, each) => sum + each, 0))
    expect(lost).toBeGreaterThan(80 * names.length)
    const at = slow.events.findIndex(({ type }) => type === 'lost')
    expect((slow.events[at + 1] as Sample).at).toBeGreaterThanOrEqual((slow.samples().at(-1) as Sample).at - 5100)
  })
})

describe('a consumer of a site that stands still for half a minute', () => {
  it('gets the number of the samples that it missed', async () => {
    const { network, here, there } = await sides()
    const names = Array.from({ length: 60 }, (_, at) => `value_${at}`)
    for (const member of network.members) for (const name of names) member.monitor.attribute(name, { ttl: 0, read: () => 1 })
    // One of them aggregates for both.
    const events = await Promise.all(
      [here[0] as VirtualMember, there[0] as VirtualMember].map(async (consumer) => {
        const slow = follow(consumer, consumer, { attributes: names, every: 100, by: 'site', from: {} })
        await vi.advanceTimersByTimeAsync(0)
        return { consumer, ...slow }
      }),
    )
    await vi.advanceTimersByTimeAsync(3000)
    const aggregator = events[0]?.samples()[0]?.member
    const { consumer, ...slow } = events.find((each) => each.consumer.self.id !== aggregator) as (typeof events)[number]
    network.stop(consumer)
    await vi.advanceTimersByTimeAsync(60_000)
    network.go(consumer)
    await vi.advanceTimersByTimeAsync(5000)
    const lost = slow.events.reduce((sum, event) => sum + (event.type === 'lost' ? event.count : 0), 0)
    const numbers = slow.samples().flatMap(({ name, seq }) => (name === names[0] ? [seq] : []))
    const missing = (numbers.at(-1) as number) - (numbers[0] as number) + 1 - numbers.length
    expect(missing).toBeGreaterThan(100)
    expect(lost).toBe(missing * names.length)
  })
})

it('a monitor that closes ends the streams over which it pushes', async () => {
  const { here } = await sides()
  const [consumer, producer] = here as [VirtualMember, VirtualMember]
  consumer.monitor.accept(['value'], () => {})
  const push = producer.monitor.push(consumer.self.id, { attributes: ['value'] })
  await vi.advanceTimersByTimeAsync(1000)
  await push
  expect(consumer.streams.size).toBe(1)
  void producer.monitor.close()
  await vi.advanceTimersByTimeAsync(1000)
  expect(consumer.streams.size).toBe(0)
})
