import { randomUUID } from 'node:crypto'
import { onTestFinished } from 'vitest'
import { joinPool, type Pool, type PoolOptions } from '../src/index.ts'

/** Joins a pool on loopback, and leaves it at the end of the test. */
export async function join(name: string, others: readonly Pool[] = [], options: PoolOptions = {}): Promise<Pool> {
  const bootstrap = others.flatMap(({ self }) => self.addresses.slice(0, 1))
  const pool = await joinPool(name, { listen: ['127.0.0.1:0'], ...(bootstrap.length > 0 && { bootstrap }), ...options })
  onTestFinished(async () => await pool.leave())
  return pool
}

/** Returns a founder and other members. All see each other. */
export async function pools(count: number, optionsOf: (place: number) => PoolOptions = () => ({})): Promise<Pool[]> {
  const name = poolName()
  const first = await join(name, [], optionsOf(0))
  const others = await Promise.all(Array.from({ length: count - 1 }, (_, i) => join(name, [first], optionsOf(i + 1))))
  const all = [first, ...others]
  await Promise.all(all.map((pool) => pool.waitForMembers(count)))
  return all
}

export function poolName(): string {
  return `test-${randomUUID()}`
}
