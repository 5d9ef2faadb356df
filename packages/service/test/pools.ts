import { joinPool, type Pool, type PoolOptions } from '@jel/jel'
import { afterEach, expect } from 'vitest'

const pools: Pool[] = []
let count = 0

/** Members leave after each test. Call this at the top of a test file. */
export function leaveAfterEach(): void {
  afterEach(async () => void (await Promise.all(pools.splice(0).map(async (pool) => await pool.leave()))))
}

/** Adds a member to a pool on loopback. */
export async function join(name: string, others: readonly Pool[] = [], options: PoolOptions = {}): Promise<Pool> {
  const bootstrap = others.slice(0, 1).flatMap(({ self }) => self.addresses)
  const pool = await joinPool(name, { listen: ['/ip4/127.0.0.1/tcp/0'], mdns: false, bootstrap, ...options })
  pools.push(pool)
  return pool
}

/** Makes a pool of this number of members, and waits until each of them sees all others. */
export async function poolsOf(number: number): Promise<[Pool, Pool, ...Pool[]]> {
  const name = `services-${process.pid}-${count++}`
  const made: Pool[] = []
  for (let at = 0; at < number; at++) made.push(await join(name, made, { location: `n${at}@site${at % 2}` }))
  for (const pool of made) await expect.poll(() => pool.members().length).toBe(number)
  return made as [Pool, Pool, ...Pool[]]
}
