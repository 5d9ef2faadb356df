import { joinPool, type Pool } from '@jel/jel'
import { afterEach, expect, it } from 'vitest'
import { monitor, type Monitor } from '../src/index.ts'

const pools: Pool[] = []
afterEach(async () => void (await Promise.all(pools.splice(0).map(async (pool) => await pool.leave()))))

it('the aggregator of a site has its numbers as long as somebody watches by site, and others have none', async () => {
  const all: Monitor[] = []
  for (const [at, value] of [1, 2, 6].entries()) {
    const bootstrap = pools.slice(0, 1).flatMap(({ self }) => self.addresses)
    const location = `n${at}@delft`
    const pool = await joinPool(`sites-${process.pid}`, { listen: ['/ip4/127.0.0.1/tcp/0'], mdns: false, bootstrap, location })
    pools.push(pool)
    const made = await monitor(pool)
    made.attribute('x', { ttl: 0, read: () => value })
    all.push(made)
  }
  for (const pool of pools) await expect.poll(() => pool.members().length).toBe(3)
  const sums = (): unknown[] => all.flatMap(({ siteAggregates }) => siteAggregates)
  expect(sums()).toEqual([])
  const watches = (['max', 'mean'] as const).map((reduce) => {
    const watch = (all[0] as Monitor).watch({ attributes: ['x'], every: 100, by: 'site', reduce })
    void (async () => {
      for await (const _ of watch);
    })()
    return watch
  })
  await expect.poll(sums).toEqual([
    { site: 'delft', name: 'x', reduce: 'max', every: 100, value: 6, count: 3 },
    { site: 'delft', name: 'x', reduce: 'mean', every: 100, value: 3, count: 3 },
  ])
  expect(all.filter(({ siteAggregates }) => siteAggregates.length > 0)).toHaveLength(1)
  for (const watch of watches) watch.close()
  await expect.poll(sums).toEqual([])
})
