import { joinPool, type Pool } from '@jel/jel'
import { monitor } from '@jel/monitor'
import { afterEach, expect, it } from 'vitest'
import { allocator, type Allocator } from '../src/index.ts'

const pools: Pool[] = []
afterEach(async () => void (await Promise.all(pools.splice(0).map(async (pool) => await pool.leave()))))

it('a member lists its ranks and starts, and why a group waits, to any member that asks', async () => {
  const all: Allocator[] = []
  for (let at = 0; at < 3; at++) {
    const bootstrap = pools.slice(0, 1).flatMap(({ self }) => self.addresses)
    const pool = await joinPool(`listed-${process.pid}`, { listen: ['/ip4/127.0.0.1/tcp/0'], mdns: false, bootstrap, location: `n${at}@x` })
    pools.push(pool)
    all.push(await allocator(pool, await monitor(pool)))
  }
  for (const pool of pools) await expect.poll(() => pool.members().length).toBe(3)
  const [a, b, c] = all as [Allocator, Allocator, Allocator]
  const [one, two, three] = pools.map(({ self }) => self.id) as [string, string, string]
  const gate = Promise.withResolvers<void>()
  for (const each of [a, b]) each.program('solve', async () => await gate.promise)
  const run = await a.group('solve', { count: 2 })
  const next = b.group('solve', { count: 1 })
  await expect.poll(async () => (await c.leasesOf(two)).starts?.[0]?.waits).toBe(2)
  const [ofA, ofB, ofC] = await Promise.all([one, two, three].map(async (id) => await c.leasesOf(id)))
  expect(ofA?.starts).toMatchObject([{ group: run.id, program: 'solve', state: 'running', count: 2, ended: 0 }])
  expect(ofB?.starts).toMatchObject([{ program: 'solve', state: 'holding', count: 1, held: 0 }])
  for (const [of, rank] of [
    [ofA, 0],
    [ofB, 1],
  ] as const)
    expect(of).toMatchObject({
      leases: [{ group: run.id, amounts: { ranks: 1 } }],
      ranks: [
        { group: run.id, starter: one, state: 'running', rank, of: 2, groups: [], leases: [] },
        { starter: two, state: 'waits', groups: [run.id], leases: [] },
      ],
    })
  expect(ofC).toEqual({ totals: {}, leases: [], ranks: [], starts: [] })
  gate.resolve()
  await (
    await next
  ).ended
  await expect.poll(async () => (await c.leasesOf(two)).ranks).toEqual([])
  expect(await c.leasesOf(two)).toEqual({ totals: { ranks: 1 }, leases: [], ranks: [], starts: [] })
})
