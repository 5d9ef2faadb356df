import { expect, it } from 'vitest'
import { testPool } from './test-pool.ts'

const test = testPool()

/** Its root runs children that take a moment, so that each member with workers could have some. */
const program = new TextEncoder().encode(`
export const tick = { kind: 'task', run: (i) => new Promise((resolve) => setTimeout(resolve, 20, i)), result: undefined }
export const spread = {
  kind: 'task',
  result: undefined,
  run: async (count, { run }) => (await Promise.all(Array.from({ length: count }, (_, i) => run(tick, i)))).length,
}
`)

/** States constants as `Monitor.constant` does. */
async function state(member: number, constants: object): Promise<void> {
  await test.pools[member]?.setConstant('jel.monitor', new TextEncoder().encode(JSON.stringify(constants)))
}

it('a job runs only at members whose constants meet its requirements', async () => {
  const submitter = await test.member({ workers: 0 })
  await test.member({ workers: 1 })
  await test.member({ workers: 1 })
  await state(1, { cpus: 2, arch: 'x64' })
  await state(2, { cpus: 8, arch: 'x64' })
  await expect.poll(() => (test.pools[0]?.members() ?? []).filter(({ constants }) => constants.has('jel.monitor')).length).toBe(2)
  const job = await submitter.submit(program, 'spread', 40, { requirements: 'cpus >= 4 && arch == "x64"' })
  expect(await job.result).toBe(40)
  const { members } = await job.explain()
  expect(members.map(({ member }) => member)).toEqual([test.pools[2]?.self.id])
})

it('a job whose requirements nobody meets waits, and says how many members meet each condition', async () => {
  const submitter = await test.member({ workers: 0 })
  await test.member({ workers: 1 })
  await test.member({ workers: 1 })
  await state(1, { cpus: 2, arch: 'x64' })
  await state(2, { cpus: 8, arch: 'arm64' })
  await expect.poll(() => (test.pools[0]?.members() ?? []).filter(({ constants }) => constants.has('jel.monitor')).length).toBe(2)
  const job = await submitter.submit(program, 'spread', 1, { requirements: 'cpus >= 4 && arch == "x64"' })
  for await (const { reason } of job.progress(100)) {
    if (reason === '' || !reason.includes('requirements')) continue
    expect(reason).toBe(
      'no member that accepts it meets its requirements (cpus >= 4: 1 of 2; arch == "x64": 1 of 2); members with workers: 2',
    )
    break
  }
  await job.cancel()
})

it('a member that states its constants later takes part in a job that waits for them', async () => {
  const submitter = await test.member({ workers: 0 })
  await test.member({ workers: 1 })
  const job = await submitter.submit(program, 'spread', 3, { requirements: 'cpus >= 4' })
  await new Promise((resolve) => setTimeout(resolve, 1500))
  expect(job.state).toBe('pending')
  await state(1, { cpus: 4 })
  expect(await job.result).toBe(3)
})

it('a member that computes gives the same reason, and names what nobody states', async () => {
  const worker = await test.member({ workers: 1 })
  await test.member({ workers: 1 })
  await state(0, { cpus: 2 })
  await expect.poll(() => (test.pools[1]?.members() ?? []).filter(({ constants }) => constants.has('jel.monitor')).length).toBe(1)
  const job = await worker.submit(program, 'spread', 1, { requirements: 'cpus >= 1 && load < 3 && location != ""' })
  for await (const { reason } of job.progress(100)) {
    if (!reason.includes('requirements')) continue
    expect(reason).toContain('(cpus >= 1: 1 of 2; load < 3: 0 of 2, and none states load; location != "": 2 of 2)')
    break
  }
  await job.cancel()
})

it('requirements that are no condition are refused, and jobs that differ in them are two jobs', async () => {
  const grid = await test.member({ workers: 1 })
  await state(0, { cpus: 1 })
  await expect(grid.submit(program, 'spread', 1, { requirements: 'cpus >' })).rejects.toMatchObject({ code: 'REQUIREMENTS_IMPOSSIBLE' })
  await expect(grid.submit(program, 'spread', 1, { requirements: 'x'.repeat(257) })).rejects.toThrow('257 characters')
  const [one, two] = [await grid.submit(program, 'spread', 1), await grid.submit(program, 'spread', 1, { requirements: 'cpus == 1' })]
  expect(one.id).not.toBe(two.id)
  expect(await two.result).toBe(1)
})
