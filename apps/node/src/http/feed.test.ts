import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Agent } from '../agent/agent.ts'
import type { NodeEvent } from '../events/events.ts'
import { PoolModel } from '../model/pool.ts'
import { Feed } from './feed.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const health = { links: 2, members: 40, suspectedShare: 0, relayed: 0, alone: false, minority: false, introducers: [] }

/** A stream with `writableLength` unread bytes. `size`: of each line. */
class FakeStream extends EventEmitter {
  readonly size: number
  readonly lines: { event: string; of?: string }[] = []
  writableLength = 0
  isDestroyed = false

  constructor(size: number) {
    super()
    this.size = size
  }

  write(text: string): void {
    this.writableLength += this.size
    this.lines.push(JSON.parse(text.replace(/^data: /u, '')) as { event: string })
  }

  end(): void {
    this.emit('close')
  }

  destroy(): void {
    this.isDestroyed = true
    this.emit('close')
  }
}

function setUp(
  grid?: object,
  overview?: () => Promise<object[]>,
  more: object = {},
): {
  feed: Feed
  look: (size?: number) => FakeStream
  tell: (event: NodeEvent) => void
  asked: string[]
  polls: () => number
} {
  const asked: string[] = []
  const members = Array.from({ length: 40 }, (_, i) => ({
    id: `m${i}`,
    incarnation: 1,
    addresses: [],
    location: 'here',
    tag: new Uint8Array(),
  }))
  let polled = 0
  const listeners = new Set<(event: NodeEvent) => void>()
  const pool = Object.assign(new EventTarget(), {
    name: 'p',
    self: members[0],
    members: () => members,
    reigns: () => [],
    health: () => health,
    traffic: async () => ({ sent: 1, received: 2, connections: 3 }),
    linksOf: async (id: string) => {
      asked.push(id)
      return [{ id: 'm0', roundTrip: 3 }]
    },
    ...more,
  })
  const agent = {
    pool,
    version: '0',
    started: 0,
    stopping: false,
    grid,
    overview,
    runJobCommand: async (_: object, report: (event: object) => void) => {
      polled += 1
      await new Promise((resolve) => setTimeout(resolve, 2_500))
      report({ event: 'jobs', jobs: [{ job: 'a', state: 'done' }], more: 0 })
    },
    model: new PoolModel(),
    listen: (listener: (event: NodeEvent) => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  } as unknown as Agent
  const feed = new Feed(agent)
  const look = (size = 0): FakeStream => {
    const stream = new FakeStream(size)
    feed.add(stream)
    return stream
  }
  return { feed, look, tell: (event) => listeners.forEach((listener) => listener(event)), asked, polls: () => polled }
}

it('an open page has the ledger, and its last entry after each change', async () => {
  const ledger = { id: '1-ab', generation: 1, state: 'ready', term: 1, leader: undefined, voters: [], index: 3 }
  const { look } = setUp(undefined, undefined, { ledger })
  const stream = look()
  expect(stream.lines[0]).toMatchObject({ event: 'snapshot', ledger: { leader: null, index: 3 } })
  const indexes = (): unknown[] => stream.lines.filter(({ event }) => event === 'ledger').map((line) => (line as { index?: number }).index)
  await vi.advanceTimersByTimeAsync(10_000)
  ledger.index = 4
  await vi.advanceTimersByTimeAsync(10_000)
  expect(indexes()).toEqual([3, 4])
  expect(setUp().look().lines[0]).not.toHaveProperty('ledger')
})

it('members are asked for their links one at a time, only while a page is open', async () => {
  const { look, asked } = setUp()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(asked).toEqual([])
  expect(vi.getTimerCount()).toBe(0)
  const [one, other] = [look(), look()]
  await vi.advanceTimersByTimeAsync(8_000)
  expect(new Set(asked).size).toBe(40)
  expect(asked).toHaveLength(40)
  expect(one.lines.filter(({ event }) => event === 'neighbours')).toHaveLength(40)
  expect(other.lines[0]).toMatchObject({ event: 'snapshot', health })
  one.emit('close')
  await vi.advanceTimersByTimeAsync(10_000)
  expect(asked.length).toBeGreaterThan(60)
  other.emit('close')
  const before = asked.length
  await vi.advanceTimersByTimeAsync(60_000)
  expect(asked).toHaveLength(before)
  expect(vi.getTimerCount()).toBe(0)
})

it('jobs are asked for one time after the other while a page is open, and sent only if they changed', async () => {
  const { look, polls } = setUp({})
  await vi.advanceTimersByTimeAsync(10_000)
  expect(polls()).toBe(0)
  const one = look()
  await vi.advanceTimersByTimeAsync(9_100)
  expect(polls()).toBe(4)
  const told = one.lines.filter(({ event }) => event === 'jobs')
  expect(told).toMatchObject([{ event: 'jobs', jobs: [{ job: 'a', state: 'done' }] }])
  const later = look()
  expect(later.lines.map(({ event }) => event)).toEqual(['snapshot', 'jobs'])
  for (const stream of [one, later]) stream.emit('close')
  await vi.advanceTimersByTimeAsync(60_000)
  expect(polls()).toBeLessThanOrEqual(5)
  expect(vi.getTimerCount()).toBe(0)
})

it('a page does not make a node take part in jobs', async () => {
  const { look, polls } = setUp()
  look()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(polls()).toBe(0)
})

it('members are asked for leases and services only while a page is open, and told only if they changed', async () => {
  let [asked, amount] = [0, 1]
  const { look } = setUp(undefined, async () => {
    asked += 1
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    return [
      { event: 'leases', members: [{ member: 'm1', totals: { cpus: amount } }] },
      { event: 'services', services: [] },
    ]
  })
  await vi.advanceTimersByTimeAsync(60_000)
  expect(asked).toBe(0)
  const [one, other] = [look(), look()]
  // Forty members are asked a tenth of a second each, after the answers of the time before.
  await vi.advanceTimersByTimeAsync(11_500)
  expect(asked).toBe(3)
  const told = (stream: FakeStream): string[] => stream.lines.map(({ event }) => event).filter((event) => /leases|services/u.test(event))
  expect(told(one)).toEqual(['leases', 'services'])
  amount = 2
  await vi.advanceTimersByTimeAsync(5_000)
  expect(told(one)).toEqual(['leases', 'services', 'leases'])
  const later = look()
  expect(told(later)).toEqual(['leases', 'services'])
  for (const stream of [one, other, later]) stream.emit('close')
  const before = asked
  await vi.advanceTimersByTimeAsync(60_000)
  expect(asked).toBe(before)
  expect(vi.getTimerCount()).toBe(0)
  // The next page asks again. It goes before the answer, and another one comes.
  look().emit('close')
  expect(asked).toBe(before + 1)
  await vi.advanceTimersByTimeAsync(500)
  const last = look()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(told(last)).toEqual(['leases', 'services'])
  expect(asked).toBe(before + 1)
  await vi.advanceTimersByTimeAsync(3_700)
  expect(asked).toBe(before + 2)
  last.emit('close')
  await vi.advanceTimersByTimeAsync(60_000)
  expect(asked).toBe(before + 2)
  expect(vi.getTimerCount()).toBe(0)
})

it('a page that does not read is cut off, and the others still receive events', () => {
  const { look, tell } = setUp()
  const [slow, quick] = [look(), look()]
  slow.writableLength = 17 * 1024 * 1024
  tell({ event: 'stopped' })
  expect(slow.isDestroyed).toBe(true)
  expect(quick.isDestroyed).toBe(false)
  expect(quick.lines.at(-1)).toMatchObject({ event: 'stopped', pool: 'p', time: expect.any(Number) })
})

it('a page may read the snapshot as slowly as it likes, however large it is', () => {
  const { look, tell } = setUp()
  const stream = look(6 * 1024 * 1024)
  tell({ event: 'stopped' })
  expect(stream.isDestroyed).toBe(false)
  tell({ event: 'stopped' })
  expect(stream.isDestroyed).toBe(true)
})

it('the number of open pages is limited, and a closed feed sends nothing', () => {
  const { feed, look, tell } = setUp()
  const streams = Array.from({ length: 16 }, () => look())
  expect(feed.isFull).toBe(true)
  streams[0]!.emit('close')
  expect(feed.isFull).toBe(false)
  feed.close()
  const count = streams[1]!.lines.length
  tell({ event: 'stopped' })
  expect(streams[1]!.lines).toHaveLength(count)
  expect(vi.getTimerCount()).toBe(0)
})
