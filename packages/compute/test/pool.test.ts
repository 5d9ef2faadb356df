import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Pool } from '@jel/jel'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { EndedShift } from '../src/index.ts'
import { encodeValue } from '../src/program/values.ts'
import { BlobExchange } from '../src/shell/blob-exchange.ts'
import { encodeJob, type PublishedJob } from '../src/shell/job-record.ts'
import { testPool } from './test-pool.ts'

const various = join(import.meta.dirname, 'programs/various.ts')
const hostile = join(import.meta.dirname, 'programs/hostile.ts')
const spaces = join(import.meta.dirname, 'programs/spaces.ts')

const test = testPool()
const { member } = test

afterEach(() => vi.restoreAllMocks())

describe('a pool that computes', () => {
  it('runs a job of one member at the workers of others, and all members can read its result', async () => {
    const submitter = await member()
    await member({ workers: 1 })
    await member({ workers: 1 })
    const job = await submitter.submit(various, 'queens', 7, { name: 'queens' })
    expect(await job.result).toBe(40)
    expect(job.state).toBe('done')
    for (const grid of test.grids) expect(await grid.job('queens').result).toBe(40)
    const latecomer = await member()
    await expect.poll(() => latecomer.jobs().length).toBe(1)
    expect(await latecomer.job(job.id).result).toBe(40)
  })

  it('keeps a result for its time after the end of the job, however long the job took', async () => {
    const submitter = await member()
    const worker = await member({ workers: 1 })
    const job = await submitter.submit(various, 'flat', { tasks: 16, ms: 100 }, { keep: 1500 })
    expect(await job.result).toBe(120)
    expect(await worker.job(job.id).result).toBe(120)
    await expect.poll(() => [submitter, worker].flatMap((grid) => grid.jobs()), { timeout: 5000 }).toEqual([])
  })

  it('sends a latecomer the results of ended jobs, but no inputs or programs', async () => {
    const submitter = await member()
    const workers = [await member({ workers: 1 }), await member({ workers: 1 })]
    // The latecomer becomes a replica of most of these jobs: it is one of four members.
    const inputs = Array.from({ length: 4 }, (_, number) => new Uint8Array(500_000).fill(number))
    const jobs = await Promise.all(inputs.map((input) => submitter.submit(various, 'echo', input)))
    // A replica that has not learned of an end yet would say that the job goes on.
    for (const each of [submitter, ...workers]) await Promise.all(jobs.map(({ id }) => each.job(id).result))
    // Time seems to have passed, so the jobs count as submitted long ago.
    const now = Date.now
    vi.spyOn(Date, 'now').mockImplementation(() => now() + 15_000)
    const latecomer = await member({ workers: 1 })
    await expect.poll(() => latecomer.jobs().length).toBe(4)
    for (const { id } of jobs) expect(await latecomer.job(id).result).toHaveLength(500_000)
    expect(readdirSync(join(test.folder, '3')).filter((name) => name.endsWith('.mjs'))).toEqual([])
  })

  it('sends no further blobs of a job to a replica that refused one', async () => {
    const submitter = await member()
    await member()
    await member()
    await expect.poll(() => submitter.source.replicas('any').length).toBe(3)
    const asked: number[] = []
    vi.spyOn(BlobExchange.prototype, 'push').mockImplementation(async (_, members) => {
      asked.push(members.length)
      return members.slice(1)
    })
    await submitter.submit(various, 'echo', new Uint8Array(500_000))
    expect(asked).toEqual([2, 1])
  })

  it('goes on after the submitter has left', async () => {
    const submitter = await member()
    const worker = await member({ workers: 1 })
    await member({ workers: 1 })
    await submitter.submit(various, 'flat', { tasks: 150, ms: 10 }, { name: 'long' })
    await expect.poll(() => worker.jobs().length).toBe(1)
    await submitter.close()
    await (test.pools[0] as Pool).leave()
    expect(await worker.job('long').result).toBe(11_175)
  })

  it('reports a job as kept only once another member has all of it', async () => {
    const submitter = await member()
    const alone = await submitter.submit(various, 'echo', new Uint8Array(500_000).fill(3), { name: 'left alone' })
    await expect(alone.kept(200)).rejects.toMatchObject({ code: 'JOB_NOT_KEPT', message: expect.stringContaining('nobody else computes') })
    const kept = alone.kept()
    const keeper = await member()
    expect(await kept).toBe((test.pools[1] as Pool).self.id)
    // The member stops as if it were killed, so it hands nothing on.
    await (test.pools[0] as Pool).libp2p.stop()
    const worker = await member({ workers: 1 })
    expect(keeper.jobs()).toHaveLength(1)
    await expect.poll(() => worker.jobs().length).toBe(1)
    expect(await worker.job('left alone').result).toHaveLength(500_000)
  })

  it('names a member that keeps an ended job, and the member itself only if it keeps the job', async () => {
    const [submitter, worker] = [await member(), await member({ workers: 1 })]
    await expect.poll(() => submitter.source.replicas('x').length).toBe(2)
    const job = await submitter.submit(various, 'queens', 6)
    expect(await job.result).toBe(4)
    expect(await job.kept()).toBe((test.pools[1] as Pool).self.id)
    await worker.close()
    await (test.pools[1] as Pool).leave()
    await expect.poll(() => submitter.source.replicas('x').length).toBe(1)
    expect(await job.kept()).toBe((test.pools[0] as Pool).self.id)
    await submitter.close()
    await expect(job.kept()).rejects.toMatchObject({ code: 'JOB_NOT_KEPT' })
  })

  it('runs a job of a client that came first, sends it the result, and keeps only the job of it', async () => {
    const client = await member({ visits: true })
    const job = await client.submit(various, 'queens', 6, { name: 'of a client' })
    const result = job.result
    const worker = await member({ workers: 1 })
    expect(await result).toBe(4)
    const pool = test.pools[1] as Pool
    expect(await job.kept()).toBe(pool.self.id)
    expect(worker.job('of a client').replicas).toEqual([pool.self.id])
    expect(pool.records().map(({ name }) => name)).toEqual(['jel.compute/job/of a client'])
    expect(
      pool
        .members()
        .filter(({ constants }) => constants.has('jel.compute'))
        .map(({ id }) => id),
    ).toEqual([pool.self.id])
    await expect(member({ visits: true, workers: 1 })).rejects.toMatchObject({ code: 'INVALID_OPTION' })
  })

  it('keeps the programs of unfinished jobs, whatever other blobs arrive', async () => {
    const submitter = await member()
    const worker = await member({ workers: 1, limits: { disk: 2 } })
    await expect.poll(() => submitter.source.replicas('x').length).toBe(2)
    const long = await submitter.submit(various, 'flat', { tasks: 60, ms: 20 })
    await expect.poll(() => worker.jobs()[0]?.state).toBe('active')
    // Each of these blobs would evict an unpinned file.
    for (let junk = 0; junk < 4; junk++) await worker.blob(new Uint8Array(2 ** 20).fill(junk))
    // The worker's process of the first program ends, and another program starts.
    expect(await (await submitter.submit(spaces, 'area')).result).toBe(3000)
    expect(await long.result).toBe(1770)
  })

  it('keeps the program of a client until a member that came later has it, whatever other blobs arrive', async () => {
    const client = await member({ visits: true, limits: { disk: 2 } })
    const job = await client.submit(spaces, 'area')
    for (let junk = 0; junk < 4; junk++) await client.blob(new Uint8Array(2 ** 20).fill(junk))
    await member({ workers: 1 })
    expect(await job.result).toBe(3000)
  })

  it('fetches a program again that was evicted before it began', async () => {
    const submitter = await member()
    const worker = await member({ workers: 1 })
    const warned: string[] = []
    worker.addEventListener('warning', ({ detail }) => warned.push(detail.code))
    const first = await submitter.submit(various, 'never')
    await expect.poll(() => worker.jobs()[0]?.state).toBe('active')
    const job = await submitter.submit(spaces, 'area')
    await expect.poll(() => worker.source.status(job.id)).toBeDefined()
    await job.kept()
    rmSync(join(test.folder, '1', `${submitter.source.published(job.id)?.program}.mjs`))
    await first.cancel()
    expect(await job.result).toBe(3000)
    expect(warned).toEqual([])
  })

  it('reports the progress of a job', async () => {
    const submitter = await member()
    await member({ workers: 1 })
    const job = await submitter.submit(various, 'flat', { tasks: 40, ms: 10 })
    const states: string[] = []
    let last = 0
    for await (const { state, covered, finished } of job.progress(100)) {
      states.push(state)
      expect(covered).toBeGreaterThanOrEqual(last)
      last = covered
      expect(finished).toBeLessThanOrEqual(41)
    }
    expect(states.at(-1)).toBe('done')
    expect(last).toBe(1)
  })

  it('lists the holders of tasks, also at a member that computes nothing', async () => {
    const submitter = await member()
    const worker = await member({ workers: 1, limits: { time: 60_000 } })
    const job = await submitter.submit(various, 'never', undefined, { name: 'endless' })
    await expect
      .poll(async () => (await job.waits()).map(({ fn, path, leaf }) => ({ fn, path, leaf })), { timeout: 10_000 })
      .toEqual([{ fn: 'never', path: '', leaf: true }])
    expect((await worker.job('endless').waits()).length).toBe(1)
    await job.cancel()
    expect(await job.waits()).toEqual([])
  })

  it('refuses zero tickets', async () => {
    await expect(member({ tickets: { own: 0 } })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringContaining('tickets: own'),
    })
  })

  it('treats a repeated submission as one job, and another one under its name as an error', async () => {
    const submitter = await member({ workers: 1 })
    const one = await submitter.submit(various, 'queens', 6, { name: 'mine' })
    const two = await submitter.submit(various, 'queens', 6, { name: 'mine' })
    expect(two.id).toBe(one.id)
    await expect(submitter.submit(various, 'queens', 7, { name: 'mine' })).rejects.toMatchObject({ code: 'JOB_NAME_TAKEN' })
    expect(await two.result).toBe(4)
  })

  it('treats a job that its owner publishes under the name of another as a new job', async () => {
    const submitter = await member()
    const worker = await member({ workers: 1 })
    const job = await submitter.submit(various, 'queens', 6, { name: 'mine' })
    expect(await job.result).toBe(4)
    const published = submitter.source.published(job.id) as PublishedJob
    // Publishes a job as if its submitter did not know of the first job.
    const value = encodeJob({ ...published, input: encodeValue(7) })
    await (test.pools[0] as Pool).publish('jel.compute/job/mine', value, { ttl: 60_000 })
    await expect.poll(() => worker.jobs().map(({ id }) => id === job.id)).toEqual([false])
    expect(await worker.job('mine').result).toBe(40)
    await expect(job.result).rejects.toMatchObject({ code: 'UNKNOWN_JOB' })
  })

  it('runs several jobs at once, and a failing one leaves the others alone', async () => {
    const submitter = await member()
    await member({ workers: 2 })
    const jobs = await Promise.all([
      submitter.submit(various, 'queens', 6),
      submitter.submit(various, 'throws'),
      submitter.submit(spaces, 'search', 3),
      submitter.submit(spaces, 'find'),
    ])
    const results = await Promise.allSettled(jobs.map((job) => job.result))
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
    expect(results[0]).toMatchObject({ value: 4 })
    expect(results[3]).toMatchObject({ value: 12_648_430 })
  })

  it('runs a job with an input of half a megabyte', async () => {
    const submitter = await member()
    await member({ workers: 1 })
    const input = new Uint8Array(500_000).fill(7)
    const job = await submitter.submit(various, 'echo', input)
    expect(await job.result).toEqual(input)
  })

  it('lets only the owner of a job cancel it', async () => {
    const submitter = await member()
    const worker = await member({ workers: 1 })
    const job = await submitter.submit(various, 'never', undefined, { name: 'endless' })
    await expect.poll(() => worker.jobs()[0]?.state).toBe('active')
    await expect(worker.job('endless').cancel()).rejects.toMatchObject({ code: 'NOT_OWNER' })
    await job.cancel()
    await expect(job.result).rejects.toMatchObject({ code: 'JOB_CANCELLED' })
    await expect.poll(() => worker.job('endless').state).toBe('cancelled')
    // The worker is free again.
    expect(await (await submitter.submit(various, 'queens', 6)).result).toBe(4)
  })

  it('has notified other members when a cancellation is confirmed', async () => {
    const submitter = await member()
    const workers = [await member({ workers: 1 }), await member({ workers: 1 })]
    const job = await submitter.submit(various, 'never')
    await expect.poll(() => workers.map((worker) => worker.jobs()[0]?.state)).toContain('active')
    await job.cancel()
    // As by a crash.
    await test.pools[0]?.libp2p.stop()
    for (const worker of workers) await expect.poll(() => worker.job(job.id).state, { timeout: 10_000 }).toBe('cancelled')
  })

  it.each([
    ['suspend', [true]],
    ['resume', [false]],
    ['forget', []],
  ] as const)('has notified other members when %s returns', async (call, isSuspended) => {
    const submitter = await member()
    const workers = [await member({ workers: 1 }), await member({ workers: 1 })]
    const job = await submitter.submit(various, 'never')
    await expect.poll(() => workers.map((worker) => worker.jobs()[0]?.state)).toContain('active')
    if (call === 'resume') await job.suspend()
    await job[call]()
    // As by a crash.
    await test.pools[0]?.libp2p.stop()
    for (const worker of workers) await expect.poll(() => worker.jobs().map(({ state }) => state === 'suspended')).toEqual(isSuspended)
  })

  it('frees the name of a job that is cancelled or forgotten', async () => {
    const submitter = await member({ workers: 1 })
    const other = await member()
    const options = { name: 'one name' }
    const long = await submitter.submit(various, 'flat', { tasks: 5000, ms: 10 }, options)
    await expect(submitter.submit(various, 'queens', 6, options)).rejects.toMatchObject({ code: 'JOB_NAME_TAKEN' })
    await long.cancel()
    const next = await submitter.submit(various, 'queens', 6, options)
    expect(await next.result).toBe(4)
    await expect.poll(() => other.jobs().map(({ id }) => id)).toEqual([next.id])
    await expect(other.job(next.id).forget()).rejects.toMatchObject({ code: 'NOT_OWNER' })
    await next.forget()
    await expect.poll(() => other.jobs()).toEqual([])
    await expect(next.result).rejects.toMatchObject({ code: 'UNKNOWN_JOB' })
    const last = await submitter.submit(various, 'queens', 5, options)
    expect(await last.result).toBe(10)
  })

  it('runs any program in a sandbox, and one that needs more only for a trusted owner', async () => {
    const submitter = await member({ accept: ['own'] })
    const stranger = await member({ workers: 1, accept: ['own', 'sandbox'] })
    const warnings: string[] = []
    submitter.addEventListener('warning', ({ detail }) => warnings.push(`${detail.code} ${detail.message}`))
    expect(await (await submitter.submit(hostile, 'answers', 21)).result).toBe(42)
    const seen = (await (await submitter.submit(hostile, 'sees')).result) as Record<string, string>
    expect(seen).toMatchObject({ process: 'nothing', fetch: 'nothing' })
    expect(warnings).toEqual([])
    const needing = await submitter.submit(various, 'queens', 6)
    expect(warnings).toEqual([expect.stringMatching(/^PROGRAM_NEEDS_TRUST process, /u)])
    await expect.poll(() => stranger.jobs().length).toBe(3)
    expect(needing.state).toBe('pending')
    await member({ workers: 1, accept: [submitter.owner] })
    expect(await needing.result).toBe(4)
  })

  it('computes each task at as many members as its job asks for', async () => {
    const submitter = await member()
    const workers = [await member({ workers: 1 }), await member({ workers: 1 })]
    // A replica does not hear of the work of the last second. So each worker counts its own.
    const ended: EndedShift[] = []
    for (const worker of workers) worker.addEventListener('worked', ({ detail }) => ended.push(detail))
    const job = await submitter.submit(various, 'queens', 6, { votes: 2 })
    expect(await job.result).toBe(4)
    await expect.poll(() => ended.length).toBe(2)
    // The tree has 63 tasks.
    expect(ended.reduce((sum, { tasks }) => sum + tasks, 0)).toBeGreaterThanOrEqual(2 * 63)
    await expect(submitter.submit(various, 'queens', 6, { votes: 9 })).rejects.toMatchObject({ code: 'VOTES_IMPOSSIBLE' })
  })

  it('says why a begun job does not go on', async () => {
    const submitter = await member()
    await member({ workers: 1 })
    const job = await submitter.submit(various, 'echo', 7, { votes: 2 })
    const reasons = new Set<string>()
    for await (const { state, reason } of job.progress(100)) {
      if (state === 'active') reasons.add(reason)
      if (reasons.size > 0) break
    }
    expect([...reasons]).toEqual(['each of its tasks must run at 2 members; members that accept it: 1'])
    await member({ workers: 1 })
    expect(await job.result).toBe(7)
    for await (const { state, reason } of job.progress(100)) expect({ state, reason }).toEqual({ state: 'done', reason: '' })
  })

  it('sends the result of a vote to a member that joins after all voters have left', async () => {
    const submitter = await member()
    const voters = [await member({ workers: 1 }), await member({ workers: 1 })]
    const job = await submitter.submit(various, 'queens', 6, { votes: 2 })
    expect(await job.result).toBe(4)
    // Keys have no records of their own. Such a record could expire before a result that is kept
    // for longer.
    expect((test.pools[0] as Pool).records().map(({ name }) => name)).toEqual([expect.stringContaining('job/')])
    for (const [index, voter] of voters.entries()) {
      await voter.close()
      await (test.pools[index + 1] as Pool).leave()
    }
    const latecomer = await member()
    await expect.poll(() => latecomer.jobs().length).toBe(1)
    expect(await latecomer.job(job.id).result).toBe(4)
  })

  it('begins a job again after the loss of all workers once a member joins with its files, ended or not', async () => {
    const watcher = await test.join()
    const worker = await member({ workers: 1 })
    const [ended, running] = await Promise.all([
      worker.submit(various, 'queens', 6),
      worker.submit(various, 'flat', { tasks: 12, ms: 100 }),
    ])
    expect(await ended.result).toBe(4)
    await worker.close()
    await (test.pools[1] as Pool).leave()
    expect(watcher.records('jel.compute/job/')).toHaveLength(2)
    const watching = await member()
    await expect.poll(() => watching.jobs().map(({ state }) => state)).toEqual(['pending', 'pending'])
    const next = await member({ workers: 1, cache: join(test.folder, '1') })
    await expect.poll(() => next.jobs()).toHaveLength(2)
    for (const grid of [next, watching]) {
      expect(await grid.job(ended.id).result).toBe(4)
      expect(await grid.job(running.id).result).toBe(66)
    }
  })

  it('votes on tasks with shared values, which see earlier elected values and their own offers', async () => {
    const submitter = await member()
    await member({ workers: 1 })
    await member({ workers: 1 })
    const [alone, voted, union] = await Promise.all([
      submitter.submit(spaces, 'search', 3, { name: 'alone' }),
      submitter.submit(spaces, 'search', 3, { votes: 2 }),
      submitter.submit(spaces, 'collects', 6, { votes: 2 }),
    ])
    expect(await voted.result).toEqual(await alone.result)
    expect(((await union.result) as number[]).toSorted((a, b) => a - b)).toEqual([1, 2, 3])
  })

  it('holds a job while nobody accepts its program, and reports that', async () => {
    const submitter = await member()
    await member({ workers: 1, accept: ['own'] })
    const job = await submitter.submit(various, 'queens', 6)
    for await (const progress of job.progress(200)) {
      expect(progress).toMatchObject({
        state: 'pending',
        reason: `the program needs more than a sandbox, and no member trusts ${submitter.owner}; members with workers: 1`,
      })
      break
    }
    await member({ workers: 1, accept: [submitter.owner] })
    expect(await job.result).toBe(4)
  })

  it.runIf(process.platform === 'linux')('runs no command of a stranger, and reports that', async () => {
    const submitter = await member()
    const worker = await member({ workers: 1, accept: ['own', 'sandbox'] })
    const begun: string[] = []
    worker.addEventListener('working', ({ detail }) => void begun.push(detail.job))
    const sweep = await submitter.mapCommand('echo 7', [1])
    for await (const { state, reason } of sweep.progress(200)) {
      expect(state).toBe('pending')
      if (reason.startsWith('the program needs')) {
        expect(reason).toBe(`the program needs more than a sandbox, and no member trusts ${submitter.owner}; members with workers: 1`)
        break
      }
    }
    // A program of the same stranger runs there.
    const other = await submitter.submit(spaces, 'area')
    expect(await other.result).toBe(3000)
    expect([worker.job(sweep.id).state, begun]).toEqual(['pending', [other.id]])
    await member({ workers: 1, accept: [submitter.owner] })
    expect(await sweep.result).toEqual([7])
  })

  it('refuses a program with a name that no runtime defines, and says where', async () => {
    const grid = await member()
    const file = join(test.folder, 'typing.ts')
    writeFileSync(
      file,
      "import { task } from '@jel/compute/program'\n\nexport const sum = task((list: number[]) => list.lenght + lenght)\n",
    )
    await expect(grid.submit(file, 'sum', [])).rejects.toMatchObject({
      code: 'PROGRAM_UNUSABLE',
      message: expect.stringMatching(/^lenght is not defined anywhere: .*typing\.ts:3:\d+$/u),
    })
  })

  it('refuses an unknown job', async () => {
    const grid = await member()
    expect(() => grid.job('nobody')).toThrow(expect.objectContaining({ code: 'UNKNOWN_JOB' }))
  })
})
