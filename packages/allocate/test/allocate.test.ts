import { joinPool, type Pool } from '@jel/jel'
import { monitor, type Monitor } from '@jel/monitor'
import { afterEach, describe, expect, it } from 'vitest'
import { allocator, type Allocator } from '../src/index.ts'

interface Node {
  readonly pool: Pool
  readonly monitor: Monitor
  readonly allocator: Allocator
}

const pools: Pool[] = []
afterEach(async () => void (await Promise.all(pools.splice(0).map(async (pool) => await pool.leave()))))

let count = 0
async function nodes(number: number): Promise<[Node, Node, ...Node[]]> {
  const name = `allocated-${process.pid}-${count++}`
  const made: Node[] = []
  for (let at = 0; at < number; at++) {
    const bootstrap = made.slice(0, 1).flatMap(({ pool }) => pool.self.addresses)
    const pool = await joinPool(name, { listen: ['/ip4/127.0.0.1/tcp/0'], mdns: false, bootstrap, location: `n${at}@site${at % 2}` })
    pools.push(pool)
    const watched = await monitor(pool)
    made.push({ pool, monitor: watched, allocator: await allocator(pool, watched) })
  }
  for (const { pool } of made) await expect.poll(() => pool.members().length).toBe(number)
  return made as [Node, Node, ...Node[]]
}

describe('a lease', () => {
  it('is granted, listed, changed, renewed and given back', async () => {
    const [a, b] = await nodes(2)
    b.allocator.offer('cpus', 4)
    const lease = await a.allocator.lease(b.pool.self, { cpus: 3 }, { for: 10_000 })
    expect(lease.token).toEqual({ member: b.pool.self.id, incarnation: 1, number: 1 })
    expect(lease.endsIn).toBeLessThanOrEqual(10_000)
    await expect(b.allocator.lease(b.pool.self, { cpus: 2 }, { for: 1000 })).rejects.toMatchObject({ code: 'CAPACITY' })
    await lease.change({ cpus: 2 })
    await using own = await b.allocator.lease(b.pool.self, { cpus: 2 }, { for: 1000 })
    expect(own.amounts).toEqual({ cpus: 2 })
    await expect(lease.change({ cpus: 3 })).rejects.toMatchObject({ code: 'CAPACITY' })
    expect(lease.amounts).toEqual({ cpus: 2 })
    await lease.renew(20_000)
    expect(lease.endsIn).toBeGreaterThan(15_000)
    expect(await a.allocator.leasesOf(b.pool.self)).toMatchObject({
      totals: { cpus: 4 },
      leases: [{ number: 1, holder: a.pool.self.id }, { number: 2 }],
    })
    expect(() => b.allocator.offer('cpus', 3)).toThrow('leases take more than 3')
    await lease.release()
    expect(lease.signal.reason).toMatchObject({ code: 'LEASE_ENDED' })
    expect((await a.allocator.leasesOf(b.pool.self)).leases.map(({ number }) => number)).toEqual([2])
  })

  it('ends at its holder no later than at its granter', async () => {
    const [a, b] = await nodes(2)
    b.allocator.offer('cpus', 1)
    for (let round = 0; round < 5; round++) {
      const lease = await a.allocator.lease(b.pool.self, { cpus: 1 }, { for: 200 })
      await new Promise<void>((resolve) => lease.signal.addEventListener('abort', () => resolve()))
      // The next holder asks until the granter has the capacity again.
      for (let ended = false; !ended;) {
        const next = await b.allocator.lease(b.pool.self, { cpus: 1 }, { for: 1000 }).catch(() => undefined)
        ended = next !== undefined
        expect(lease.signal.aborted).toBe(true)
        await next?.release()
      }
    }
  })

  it('of a member that dies is free at once, and one at a member that dies has ended', async () => {
    const [a, b, c] = (await nodes(3)) as [Node, Node, Node]
    b.allocator.offer('cpus', 1)
    const lease = await a.allocator.lease(b.pool.self, { cpus: 1 }, { for: 600_000 })
    c.allocator.offer('cpus', 1)
    const other = await b.allocator.lease(c.pool.self, { cpus: 1 }, { for: 600_000 })
    await a.pool.leave()
    expect(lease.signal.aborted).toBe(true)
    await expect
      .poll(
        async () =>
          await c.allocator.lease(b.pool.self, { cpus: 1 }, { for: 1000 }).then(
            () => true,
            () => false,
          ),
      )
      .toBe(true)
    await c.pool.leave()
    await expect.poll(() => other.signal.aborted).toBe(true)
    expect(other.signal.reason).toMatchObject({ message: expect.stringContaining('its granter left') })
  })

  it('with a key is the same after the stream broke', async () => {
    const [a, b] = await nodes(2)
    b.allocator.offer('cpus', 1)
    const lease = await a.allocator.lease(b.pool.self, { cpus: 1 }, { for: 10_000, key: 'mine' })
    for (const stream of a.pool.libp2p.getConnections().flatMap(({ streams }) => streams))
      if (stream.protocol === '/jel-lease/1.0.0') stream.abort(new Error('cut'))
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(lease.signal.aborted).toBe(false)
    await lease.renew(20_000)
    expect(lease.token.number).toBe(1)
    expect((await a.allocator.lease(b.pool.self, { cpus: 1 }, { for: 10_000, key: 'mine' })).token.number).toBe(1)
  })

  it('in the background hears of each change of its share', async () => {
    const [a, b] = await nodes(2)
    b.allocator.offer('cpus', 4)
    const low = await a.allocator.lease(b.pool.self, { cpus: 4 }, { for: 60_000, background: true })
    const shares: number[] = []
    low.onChange(({ cpus = 0 }) => shares.push(cpus))
    await expect.poll(() => low.amounts['cpus']).toBe(4)
    const high = await b.allocator.lease(b.pool.self, { cpus: 3 }, { for: 60_000 })
    expect(high.startsIn).toBeGreaterThan(300)
    await expect.poll(() => shares.at(-1)).toBe(1)
    await high.release()
    await expect.poll(() => shares.at(-1)).toBe(4)
  })

  it('in the background has nothing while its stream is broken, and then its share again', async () => {
    const [a, b] = await nodes(2)
    b.allocator.offer('cpus', 4)
    const low = await a.allocator.lease(b.pool.self, { cpus: 4 }, { for: 60_000, background: true })
    const shares: number[] = []
    low.onChange(({ cpus = 0 }) => shares.push(cpus))
    await expect.poll(() => low.amounts['cpus']).toBe(4)
    for (const stream of a.pool.libp2p.getConnections().flatMap(({ streams }) => streams))
      if (stream.protocol === '/jel-lease/1.0.0') stream.abort(new Error('cut'))
    await b.allocator.lease(b.pool.self, { cpus: 3 }, { for: 60_000 })
    await expect.poll(() => shares.at(-1)).toBe(1)
    expect(shares).toContain(0)
    expect(low.token.number).toBe(1)
  })

  it('that is released beside a renewal is gone', async () => {
    const [a, b] = await nodes(2)
    b.allocator.offer('cpus', 1)
    const lease = await a.allocator.lease(b.pool.self, { cpus: 1 }, { for: 10_000 })
    void lease.renew(20_000).catch(() => {})
    await lease.release()
    expect((await a.allocator.leasesOf(b.pool.self)).leases).toEqual([])
  })

  it('is refused by an allocator that is closed', async () => {
    const [a, b] = await nodes(2)
    b.allocator.offer('cpus', 1)
    const pending = a.allocator.lease(b.pool.self, { cpus: 1 }, { for: 10_000 })
    await a.allocator.close()
    await expect(pending).rejects.toThrow('closed')
    await expect.poll(async () => (await b.allocator.leasesOf(b.pool.self)).leases).toEqual([])
    await expect(a.allocator.lease(b.pool.self, { cpus: 1 }, { for: 1000 })).rejects.toThrow('closed')
    expect(() => a.allocator.offer('cpus', 1)).toThrow('this allocator is closed')
    expect(() => a.allocator.program('solve', () => 1)).toThrow('this allocator is closed')
    expect(() => a.allocator.limit('cpus', b.pool.self, { member: a.pool.self.id, incarnation: 1, number: 1 })).toThrow('is closed')
  })

  it('is refused to members that may have none, and for what is nonsense', async () => {
    const [a, b] = await nodes(2)
    b.allocator.offer('cpus', 4)
    b.allocator.allow(({ member }) => member === b.pool.self.id)
    await expect(a.allocator.lease(b.pool.self, { cpus: 1 }, { for: 1000 })).rejects.toMatchObject({ code: 'DENIED' })
    await expect(a.allocator.lease(b.pool.self, {}, { for: 1000 })).rejects.toThrow('must name a capacity')
    await expect(a.allocator.lease(b.pool.self, { cpus: -1 }, { for: 1000 })).rejects.toThrow('amounts.cpus: must not be below 0')
    await expect(a.allocator.lease(b.pool.self, { cpus: 1 }, { for: 1e12 })).rejects.toThrow('for: must be at most 31 days')
    await expect(a.allocator.lease(a.pool.self, { cpus: 1 }, { for: 1000 })).rejects.toMatchObject({ code: 'NO_CAPACITY' })
  })
})

describe('a selection', () => {
  it('has the members that match, the best first, by constants and by measured attributes', async () => {
    const all = await nodes(4)
    for (const [at, node] of all.entries()) {
      await node.monitor.constant({ cpus: 2 * (at + 1), arch: at === 3 ? 'arm64' : 'x64' })
      node.monitor.attribute('load', { read: () => (at * 7) % 5 })
    }
    const [{ allocator: by, monitor: seen }] = all
    await expect.poll(() => all.every(({ pool }) => seen.constantsOf(pool.self)['cpus'] !== undefined)).toBe(true)
    const ids = all.map(({ pool }) => pool.self.id)
    const selected = await by.select({ where: 'cpus >= 4 && arch == "x64"', rank: '-load' })
    expect(selected.map(({ id }) => ids.indexOf(id))).toEqual([1, 2])
    expect((await by.select({ rank: 'load', count: 2 })).map(({ id }) => ids.indexOf(id))).toEqual([2, 1])
    expect(new Set((await by.select({ location: 'site1' })).map(({ id }) => ids.indexOf(id)))).toEqual(new Set([1, 3]))
    // The level of this member alone, its site, and the pool: the search ends where enough match.
    const near = async (count: number, where: string) => {
      const { considered, selected } = await by.explain({ count, where, nearest: true })
      return [considered, ...selected.map(({ member }) => ids.indexOf(member.id))]
    }
    expect(await near(1, 'cpus >= 1')).toEqual([1, expect.any(Number)])
    expect((await near(2, 'cpus >= 1'))[0]).toBe(2)
    expect((await near(3, 'cpus >= 1'))[0]).toBe(ids.length)
    await expect(by.select({ count: 12, where: 'cpus >= 6 && gpu' })).rejects.toThrow(
      '12 wanted, 0 match (cpus >= 6: 2 of 4; gpu: 0 of 4, unknown of 4)',
    )
    await expect(by.select({ where: 'cpus >' })).rejects.toThrow('where: column')
    await expect(by.select({ rank: '-lod' })).rejects.toThrow(
      'rank: -lod is a number at none of the 4 members that match; known of none: lod',
    )
    expect((await by.select({ where: 'location.endsWith("site1")' })).length).toBe(2)
  })

  it('does not wait for a member that measures too long: its attribute is unknown', async () => {
    const [a, b] = await nodes(2)
    a.monitor.attribute('load', { read: () => 1 })
    b.monitor.attribute('load', { read: async () => await new Promise<number>(() => {}) })
    const selection = await a.allocator.explain({ where: 'load < 5' })
    expect(selection).toMatchObject({ considered: 2, matching: 1, conditions: [{ condition: 'load < 5', holds: 1, unknown: 1 }] })
  })
})
