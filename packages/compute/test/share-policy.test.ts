import { join } from 'node:path'
import { generateIdentity, readOwner, type Pool, type RecordOwner } from '@jel/jel'
import { expect, it } from 'vitest'
import { publishShares, sharesOf } from '../src/index.ts'
import { testPool } from './test-pool.ts'

const various = join(import.meta.dirname, 'programs/various.ts')
const test = testPool()

async function keyOf(name: string): Promise<RecordOwner> {
  const file = join(test.folder, name)
  await generateIdentity(file)
  return readOwner(file)
}

it('a worker divides its time as an accepted administrator says, and ignores another one', { timeout: 60_000 }, async () => {
  const [admin, stranger, ann, bob] = (await Promise.all(['admin', 'stranger', 'ann', 'bob'].map(keyOf))) as [
    RecordOwner,
    RecordOwner,
    RecordOwner,
    RecordOwner,
  ]
  const worker = await test.member({ workers: 1, admins: [admin.id] })
  const [one, other] = [await test.member({ owner: ann }), await test.member({ owner: bob })]
  const pool = test.pools[0] as Pool
  await publishShares(test.pools[1] as Pool, { shares: { [ann.id]: 1, [bob.id]: 9 } }, admin)
  await publishShares(test.pools[1] as Pool, { shares: { [ann.id]: 9, [bob.id]: 1 } }, stranger)
  await expect.poll(() => sharesOf(pool).length).toBe(2)
  // Without shares the first job comes first.
  const jobs = [await one.submit(various, 'flat', { tasks: 400, ms: 20 }), await other.submit(various, 'flat', { tasks: 400, ms: 20 })]
  const finished = async (): Promise<[number, number]> => {
    const each = jobs.map(
      async ({ id }) => (await worker.job(id).explain()).members.find(({ member }) => member === pool.self.id)?.finished,
    )
    const [first = 0, second = 0] = await Promise.all(each)
    return [first, second]
  }
  // The first job may run alone for a while: the second one comes later on a busy machine.
  await expect.poll(async () => (await finished())[1], { timeout: 20_000 }).toBeGreaterThan(0)
  const [first, second] = await finished()
  await expect.poll(async () => (await finished())[1], { timeout: 20_000 }).toBeGreaterThan(second + 80)
  const [laterFirst, laterSecond] = await finished()
  // Nine of ten tasks are of the second job, if both jobs always have one at hand. Without one of
  // the second, the worker takes one of the first: on a busy machine a steal takes as long as two
  // tasks. With the stranger's shares, or none, it would be one of ten or fewer.
  expect((laterSecond - second) / (laterFirst - first + laterSecond - second)).toBeGreaterThan(0.5)
})
