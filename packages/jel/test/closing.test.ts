import { startOverlay } from '@jel/overlay'
import { describe, expect, it, vi } from 'vitest'
import {
  byJoin,
  generatePoolKey,
  joinPool,
  PoolClosedError,
  PoolSizeMismatchError,
  PoolTerminatedError,
  type Pool,
  type Termination,
  type WarningDetail,
} from '../src/index.ts'
import { join, poolName, pools } from './pools.ts'

describe('a pool of a fixed size', () => {
  it.each(['main', 'worker'] as const)(
    'closes when that many members have joined, those that left included, with a member in thread %s',
    async (thread) => {
      const name = poolName()
      const first = await join(name, [], { poolSize: 3 })
      const closed = vi.fn<(event: CustomEvent) => void>()
      first.addEventListener('poolClosed', closed)
      const second = await join(name, [first], { poolSize: 3 })
      await first.waitForMembers(2)
      await second.leave()
      // The third node learns of the size from the others.
      const third = await join(name, [first], { thread })
      expect(third.poolSize).toBe(3)
      const abort = new AbortController()
      const early = third.waitForPoolClosed({ signal: abort.signal })
      abort.abort(new Error('given up'))
      await expect(early).rejects.toThrow('given up')
      const fourth = await join(name, [first], { poolSize: 3 })
      await Promise.all([first, third, fourth].map((pool) => pool.waitForPoolClosed()))
      expect(closed).toHaveBeenCalledTimes(1)
      expect(closed.mock.calls[0]?.[0].detail).toEqual({ size: 3 })
      // prettier-ignore
      for (const poolSize of [3, undefined]) await expect(join(name, [third], poolSize === undefined ? {} : { poolSize })).rejects.toThrow(PoolClosedError)
      expect(first.records()).toEqual([])
      expect(first.records('jel.pool/').length).toBeGreaterThan(1)
      await expect(first.publish('jel.pool/closed', new Uint8Array(), { ttl: 1_000 })).rejects.toMatchObject({ code: 'INVALID_RECORD' })
    },
  )

  it('keeps the first ones when more come at once, and gives the others an error', async () => {
    const name = poolName()
    const first = await join(name, [], { poolSize: 3 })
    const outcomes = await Promise.all(
      Array.from({ length: 5 }, async () => {
        try {
          const pool = await join(name, [first], { poolSize: 3 })
          await pool.waitForPoolClosed()
          return pool
        } catch (error) {
          return error as Error & { code: string }
        }
      }),
    )
    const errors = outcomes.filter((outcome) => outcome instanceof Error)
    expect(errors).toHaveLength(3)
    for (const error of errors) expect(error.code === 'POOL_LEFT' ? (error.cause as { code: string }).code : error.code).toBe('POOL_CLOSED')
    await expect.poll(() => first.members().length).toBe(3)
    expect(first.members({ order: 'join' })[0]?.id).toBe(first.self.id)
  })

  it('that a hostile member announces ends no membership of nodes that did not ask for one', async () => {
    const name = poolName()
    const first = await join(name, [])
    const second = await join(name, [first])
    const hostile = await startOverlay({ pool: name, listen: ['127.0.0.1:0'], bootstrap: first.self.addresses, mdns: false })
    try {
      for (const record of ['size', 'closed']) await hostile.publish(`jel.pool/${record}`, Uint8Array.of(0x31), { ttl: 600_000 })
      await expect.poll(() => [first, second].map((pool) => pool.poolSize)).toEqual([1, 1])
      await Promise.all([first, second].map((pool) => pool.waitForPoolClosed()))
      // The records may come before the member that published them.
      await expect.poll(() => [first, second].map((pool) => pool.members().length)).toEqual([3, 3])
      expect(first.records('jel.pool/closed')).toHaveLength(1)
    } finally {
      await hostile.leave()
    }
  })

  it('refuses a node that was given another size', async () => {
    const name = poolName()
    const first = await join(name, [], { poolSize: 3 })
    await expect(join(name, [first], { poolSize: 4 })).rejects.toThrow(PoolSizeMismatchError)
    await expect.poll(() => first.members().length).toBe(1)
  })

  it('that two nodes founded with different sizes warns both when they meet', async () => {
    const name = poolName()
    const warnings: string[][] = [[], []]
    const both = await Promise.all([3, 4].map((poolSize) => join(name, [], { poolSize })))
    for (const [i, pool] of both.entries()) pool.addEventListener('warning', ({ detail }) => warnings[i]?.push(detail.code))
    await (both[0] as Pool).libp2p.dial((both[1] as Pool).libp2p.getMultiaddrs())
    // Neither node has the other as an introducer. A third node brings them together.
    await join(name, both)
    await expect.poll(() => warnings, { timeout: 10_000 }).toEqual([['POOL_SIZE_MISMATCH'], ['POOL_SIZE_MISMATCH']])
  })

  it('can not be waited for without a size', async () => {
    const [pool] = (await pools(1)) as [Pool]
    await expect(pool.waitForPoolClosed()).rejects.toMatchObject({ code: 'INVALID_OPTION' })
  })
})

describe('a pool that is terminated', () => {
  it.each(['main', 'worker'] as const)('is terminated for all, newcomers too, and makes no member leave (thread %s)', async (thread) => {
    const [one, two] = (await pools(2, (place) => (place === 1 ? { thread } : {}))) as [Pool, Pool]
    const received: Termination[] = []
    for (const pool of [one, two]) pool.addEventListener('terminated', ({ detail }) => received.push(detail))
    expect(one.terminated).toBeUndefined()
    const waiting = two.waitForTermination()
    await two.terminate()
    await one.waitForTermination()
    await waiting
    await expect.poll(() => received.length).toBe(2)
    expect(received[0]).toMatchObject({ by: two.self.id })
    await one.terminate()
    const late = await join(one.name, [one], { thread })
    expect(late.terminated).toEqual(one.terminated)
    await late.waitForTermination()
    await late.waitForMembers(3)
    await expect(joinPool(one.name, { listen: ['127.0.0.1:0'], bootstrap: [...one.self.addresses], requireRunning: true })).rejects.toThrow(
      PoolTerminatedError,
    )
    expect(received).toHaveLength(2)
  })
})

it('all members agree on the order of joining', async () => {
  const all = await pools(4)
  const orders = all.map((pool) => pool.members({ order: 'join' }).map(({ id }) => id))
  for (const order of orders) expect(order).toEqual(orders[0])
  expect(orders[0]?.[0]).toBe(all[0]?.self.id)
  expect(
    all
      .map(({ self }) => self)
      .toSorted(byJoin)
      .map(({ id }) => id),
  ).toEqual(orders[0])
})

describe('events', () => {
  it('wait while they are paused, and come in order afterwards', async () => {
    const [one] = (await pools(1)) as [Pool]
    const received: string[] = []
    one.addEventListener('event', ({ detail }) => received.push(detail.name))
    one.pauseEvents()
    const changes = one.changes()
    await one.broadcast('a')
    await one.broadcast('b')
    expect(received).toEqual([])
    expect((await changes.next()).value?.type).toBe('joined')
    one.resumeEvents()
    expect(received).toEqual(['a', 'b'])
    await one.broadcast('c')
    expect(received).toEqual(['a', 'b', 'c'])
  })
})

describe('a problem before the pool is entered', () => {
  it.each(['main', 'worker'] as const)('goes to onWarning, such as an introducer with another key (thread %s)', async (thread) => {
    const name = poolName()
    const closed = await join(name, [], { key: generatePoolKey() })
    const warnings: WarningDetail[] = []
    // The node goes on alone.
    const pool = await join(name, [closed], { key: generatePoolKey(), thread, onWarning: (warning) => warnings.push(warning) })
    expect(warnings[0]).toMatchObject({ code: 'INTRODUCER_UNREACHABLE', message: expect.stringContaining('key') })
    expect(pool.health().alone).toBe(true)
  })
})
