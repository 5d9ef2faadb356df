import { describe, expect, it } from 'vitest'
import { service, serviceClient, type Service } from '../src/index.ts'
import { ServiceNode } from '../src/shell/service-node.ts'
import { join, leaveAfterEach, poolsOf } from './pools.ts'
import type { Pool } from '@jel/jel'

leaveAfterEach()

const counter = { replicas: 3, initial: 0, apply: (state: number, op: number): [number, number] => [state + op, state + op] }

async function counters(pools: readonly Pool[]): Promise<Service[]> {
  const all: Service[] = []
  for (const pool of pools) all.push(await service(pool, 'counter', counter))
  return all
}

/** The place of the primary, once it has its backups. */
async function primaryOf(all: readonly Service[], backups = 2): Promise<number> {
  await expect.poll(() => all.findIndex(({ status }) => status?.role === 'primary' && status.backups.length >= backups)).toBeGreaterThan(-1)
  return all.findIndex(({ status }) => status?.role === 'primary' && status.backups.length >= backups)
}

describe('a replicated service', () => {
  it('counts, keeps results by key, and goes on when the primary leaves', async () => {
    const pools = await poolsOf(4)
    const all = await counters(pools)
    const first = await primaryOf(all)
    const client = serviceClient(pools[3] as Pool)
    expect(await client.call('counter', 2, { key: 'one' })).toBe(2)
    expect(await client.call('counter', 2, { key: 'one' })).toBe(2)
    expect(await all[0]?.call(3, { key: 'one' })).toBe(5)
    await pools[first]?.leave()
    expect(await client.call('counter', 2, { key: 'one' })).toBe(2)
    expect(await client.call('counter', 1)).toBe(6)
    await expect.poll(() => client.services()[0]?.primary).not.toBe(pools[first]?.self.id)
    const rest = all.filter((_, at) => at !== first)
    await primaryOf(rest)
    for (const each of rest) await expect.poll(() => each.status?.operations).toBe(3)
  })

  it('answers a call that comes after the end of its pool', async () => {
    const [pool] = await poolsOf(1)
    await service(pool, 'counter', counter)
    await pool.leave()
    const call = { name: 'counter', from: pool.self.id, key: 'k', input: 1, signal: new AbortController().signal }
    expect(await ServiceNode.of(pool).take(call)).toEqual({ moved: true })
  })

  it('has one primary an epoch in a pool with uniform elections, and goes on when that one leaves', async () => {
    const name = `services-uniform-${process.pid}`
    const pools: Pool[] = []
    for (let at = 0; at < 4; at++)
      pools.push(await join(name, pools, { location: `n${at}@site`, elections: 'uniform', ledger: at === 0 ? { found: true } : {} }))
    const all = await counters(pools.slice(0, 3))
    const first = await primaryOf(all)
    const client = serviceClient(pools[3] as Pool)
    expect(await client.call('counter', 2)).toBe(2)
    const [reign] = pools[3]?.reigns() ?? []
    expect(reign?.winner.id).toBe(pools[first]?.self.id)
    await pools[first]?.leave()
    expect(await client.call('counter', 3)).toBe(5)
    const [next] = pools[3]?.reigns() ?? []
    expect(next?.epoch).toBeGreaterThan(reign?.epoch ?? Infinity)
  })

  it('has streams to the senior backup before the primary is gone, from each instance and from callers', async () => {
    const pools = await poolsOf(4)
    const all = await counters(pools.slice(0, 3))
    const client = serviceClient(pools[3] as Pool)
    const primary = pools[await primaryOf(all)]?.self.id
    const [senior] = pools
      .slice(0, 3)
      .map(({ self }) => self.id)
      .filter((id) => id !== primary)
      .toSorted()
    await expect.poll(() => client.services()[0]?.standing.length).toBe(3)
    expect(await client.call('counter', 1)).toBe(1)
    const hasStream = (pool: Pool, to: string | undefined, protocol: string): boolean =>
      pool.libp2p
        .getConnections()
        .some(
          ({ remotePeer, streams }) =>
            remotePeer.toString() === to && streams.some((each) => each.protocol === protocol && each.direction === 'outbound'),
        )
    for (const pool of pools.slice(0, 3)) {
      if (pool.self.id === senior) continue
      await expect.poll(() => hasStream(pool, senior, '/jel-replica/1.0.0')).toBe(true)
      const back = pools.find(({ self }) => self.id === senior) as Pool
      await expect.poll(() => hasStream(back, pool.self.id, '/jel-replica/1.0.0')).toBe(true)
    }
    await expect.poll(() => hasStream(pools[3] as Pool, senior, '/jel-service/1.0.0')).toBe(true)
  })

  it('without a backup refuses operations, unless it may be alone', async () => {
    const name = `alone-${process.pid}`
    const pool = await join(name)
    const only = await service(pool, 'counter', counter)
    await expect(only.call(1)).rejects.toMatchObject({ code: 'DEGRADED' })
    const free = await service(pool, 'free', { ...counter, alone: true })
    expect(await free.call(4)).toBe(4)
    const other = await join(name, [pool])
    const second = await service(other, 'counter', counter)
    expect(await second.call(7)).toBe(7)
    const copy = await service(other, 'free', { ...counter, alone: true })
    expect(await copy.call(1)).toBe(5)
    await expect.poll(() => copy.status).toMatchObject({ role: 'backup', operations: 2 })
  })

  it('is refused where its statement has no room, and each one that is not refused serves', async () => {
    const pool = await join(`many-${process.pid}`)
    const all: Service[] = []
    const add = async (): Promise<void> => void all.push(await service(pool, `counter${all.length}`, { ...counter, alone: true }))
    await expect(
      (async () => {
        for (let at = 0; at < 20; at++) await add()
      })(),
    ).rejects.toMatchObject({ code: 'INVALID_CONSTANT' })
    expect(all.length).toBeGreaterThan(3)
    await expect.poll(() => all.map(({ status }) => status?.role), { timeout: 15_000 }).toEqual(all.map(() => 'primary'))
    expect(await Promise.all(all.map(async (each) => await each.call(1)))).toEqual(all.map(() => 1))
  })
})
