import { join } from 'node:path'
import type { Pool } from '@jel/jel'
import { describe, expect, it } from 'vitest'
import { JobConfirmations } from '../src/shell/job-confirmations.ts'
import { testPool } from './test-pool.ts'

const various = join(import.meta.dirname, 'programs/various.ts')
const test = testPool()

/** A requester at this member. */
const asker = (pool: Pool): JobConfirmations =>
  new JobConfirmations(pool, { keeps: async () => await Promise.resolve(false), desiredOf: () => 'forget' })

describe('a member', () => {
  it('answers others whether it keeps a job, however much one peer asks', async () => {
    const [replica, liar, honest] = [await test.join(), await test.join(), await test.join()] as const
    await expect.poll(() => honest.members().length).toBe(3)
    const never = new Promise<boolean>(() => {})
    const confirmations = new JobConfirmations(replica, {
      keeps: async (job) => (job === 'known' ? await Promise.resolve(true) : await never),
      desiredOf: () => 'run',
    })
    await confirmations.start()
    let open = 0
    const asked = Array.from({ length: 80 }, async () => {
      open++
      await asker(liar).ask(replica.self.id, 'unknown')
      open--
    })
    // At most two requests may wait.
    await expect.poll(() => open, { timeout: 5000 }).toBe(2)
    expect(await asker(honest).ask(replica.self.id, 'known')).toBe(true)
    await confirmations.close()
    await liar.leave()
    await Promise.all(asked)
  })

  it('soon denies that it keeps an unknown job, and keeps the jobs of which it is a replica', async () => {
    const submitter = await test.member()
    for (let member = 0; member < 4; member++) await test.member()
    await expect.poll(() => submitter.source.replicas('x').length, { timeout: 5000 }).toBe(3)
    await expect.poll(() => test.pools.map((pool) => pool.members().length)).toEqual([5, 5, 5, 5, 5])
    const [pool, other] = test.pools as [Pool, Pool]
    const begin = performance.now()
    expect(await asker(pool).ask(other.self.id, 'unknown')).toBe(false)
    expect(performance.now() - begin).toBeLessThan(5000)
    const job = await submitter.submit(various, 'queens', 6)
    await expect.poll(() => test.grids.map((grid) => grid.jobs().length)).toEqual([1, 1, 1, 1, 1])
    const others = test.pools.slice(1).map(({ self }) => self.id)
    const kept = await Promise.all(others.map(async (member) => await asker(pool).ask(member, job.id)))
    expect(others.filter((_, at) => kept[at])).toEqual(others.filter((member) => job.replicas.includes(member)))
  })
})
