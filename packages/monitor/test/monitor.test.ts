import { joinPool, type Pool } from '@jel/jel'
import { afterEach, describe, expect, it } from 'vitest'
import { monitor, type Monitor } from '../src/index.ts'

const pools: Pool[] = []
afterEach(async () => void (await Promise.all(pools.splice(0).map(async (pool) => await pool.leave()))))

let count = 0
/** Members of a new pool, each with a monitor. */
async function members(number: number): Promise<{ pool: Pool; monitor: Monitor }[]> {
  const name = `monitored-${process.pid}-${count++}`
  const made: { pool: Pool; monitor: Monitor }[] = []
  for (let at = 0; at < number; at++) {
    const bootstrap = made.slice(0, 1).flatMap(({ pool }) => pool.self.addresses)
    const pool = await joinPool(name, { listen: ['/ip4/127.0.0.1/tcp/0'], mdns: false, bootstrap })
    pools.push(pool)
    made.push({ pool, monitor: await monitor(pool) })
  }
  for (const { pool } of made) await expect.poll(() => pool.members().length).toBe(number)
  return made
}

describe('monitors of two members', () => {
  it('read what the other one measures, in the order of the names', async () => {
    const [a, b] = (await members(2)) as [{ pool: Pool; monitor: Monitor }, { pool: Pool; monitor: Monitor }]
    let runs = 0
    b.monitor.attribute('jobs.waiting', { unit: '{job}', ttl: 60_000, read: () => ++runs })
    b.monitor.attribute('name', { read: () => 'b' })
    const readings = await a.monitor.read(b.pool.self, ['name', 'missing', 'jobs.waiting'])
    expect(readings.map(({ value }) => value)).toEqual(['b', undefined, 1])
    expect(readings[1]?.problem?.code).toBe('NO_ATTRIBUTE')
    expect((await a.monitor.read(b.pool.self.id, ['jobs.waiting']))[0]).toMatchObject({ value: 1, unit: '{job}' })
    expect((await a.monitor.read(b.pool.self.id, ['jobs.waiting'], { response: 'immediate' }))[0]?.value).toBe(2)
    expect(await b.monitor.read(b.pool.self, undefined, { response: 'last' })).toMatchObject([{ value: 2 }, { value: 'b' }])
  })

  it('read attributes by their schemas, without knowing a name', async () => {
    const [a, b] = (await members(2)) as [{ pool: Pool; monitor: Monitor }, { pool: Pool; monitor: Monitor }]
    b.monitor.addBuiltIn()
    b.monitor.attribute('x', { unit: 's', about: 'an example', ttl: 5, halfLife: 7, delay: 9, read: () => 3 })
    const schemas = await a.monitor.schema(b.pool.self)
    expect(schemas.at(-1)).toEqual({ name: 'x', unit: 's', about: 'an example', ttl: 5, halfLife: 7, delay: 9 })
    const readings = await a.monitor.read(
      b.pool.self,
      schemas.map(({ name }) => name),
    )
    expect(readings.filter(({ problem }) => problem !== undefined)).toEqual([])
    const [used, limit] = ['usage', 'limit'].map((last) => readings.find(({ name }) => name === `system.memory.${last}`)?.value as number)
    expect(used).toBeGreaterThan(1e6)
    expect(used).toBeLessThan(limit as number)
  })

  it('have the constants of all members, also of newcomers, without a question', async () => {
    const [a, b] = (await members(2)) as [{ pool: Pool; monitor: Monitor }, { pool: Pool; monitor: Monitor }]
    await b.monitor.constant({ cpus: 8, arch: 'x64', gpu: false })
    await b.monitor.constant({ gpu: undefined })
    await expect.poll(() => a.monitor.constantsOf(b.pool.self)).toEqual({ cpus: 8, arch: 'x64' })
    await expect(b.monitor.constant({ big: 'x'.repeat(600) })).rejects.toThrow('512')
    expect(a.monitor.constantsOf(b.pool.self)).toEqual({ cpus: 8, arch: 'x64' })
    await b.monitor.close()
    await expect.poll(() => a.monitor.constantsOf(b.pool.self)).toEqual({})
  })

  it('change no statement and no record while a thousand values a second flow', async () => {
    const [a, b] = (await members(2)) as [{ pool: Pool; monitor: Monitor }, { pool: Pool; monitor: Monitor }]
    const names = Array.from({ length: 100 }, (_, at) => `v${at}`)
    let value = 0
    for (const name of names) b.monitor.attribute(name, { ttl: 0, read: () => value++ })
    await b.monitor.constant({ cpus: 8 })
    await expect.poll(() => a.monitor.constantsOf(b.pool.self)).toEqual({ cpus: 8 })
    const stated = (): unknown => [a, b].map(({ pool }) => [pool.members(), pool.records()])
    const before = structuredClone(stated())
    const updates: unknown[] = []
    for (const { pool } of [a, b]) pool.addEventListener('updated', ({ detail }) => updates.push(detail))
    let samples = 0
    const watches = [names.slice(0, 50), names.slice(50)].map((attributes) =>
      a.monitor.watch({ attributes, every: 100, from: { ids: [b.pool.self.id] } }),
    )
    const follow = async (watch: (typeof watches)[number]): Promise<void> => {
      for await (const event of watch) if (event.type === 'sample') samples++
    }
    const began = performance.now()
    for (const watch of watches) void follow(watch)
    await expect.poll(() => samples).toBeGreaterThan(3000)
    // Three times 1,000 values, and time for a statement on its way.
    expect(performance.now() - began).toBeLessThan(10_000)
    for (const watch of watches) watch.close()
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(updates).toEqual([])
    expect(stated()).toEqual(before)
  })

  it('say that a member serves no attributes, or is unknown, and refuse options that are none', async () => {
    const [a, b] = (await members(2)) as [{ pool: Pool; monitor: Monitor }, { pool: Pool; monitor: Monitor }]
    await b.monitor.close()
    await expect(a.monitor.read(b.pool.self, ['x'])).rejects.toMatchObject({ code: 'OPEN_FAILED' })
    await expect(a.monitor.read('nobody', ['x'])).rejects.toThrow('nobody')
    await expect(a.monitor.read(a.pool.self, [], { quality: 101 })).rejects.toThrow('quality: must be from 0 to 100')
    await expect(b.monitor.read(b.pool.self)).rejects.toMatchObject({ code: 'MONITOR_CLOSED' })
  })
})
