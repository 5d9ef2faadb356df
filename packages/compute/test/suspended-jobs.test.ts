import { expect, it } from 'vitest'
import { children } from './children.ts'
import { testPool } from './test-pool.ts'

const test = testPool()

/** Its root waits for one child after the other. */
const program = new TextEncoder().encode(`
export const tick = { kind: 'task', run: (i) => new Promise((resolve) => setTimeout(resolve, 20, i)), result: undefined }
export const hold = {
  kind: 'task',
  result: undefined,
  run: async (first, { run }) => {
    let sum = 0
    for (let i = first; i < first + 30; i++) sum += await run(tick, i)
    return sum
  },
}
`)

it.runIf(process.platform === 'linux')(
  'suspended jobs keep no processes, and end with the right results once they are resumed',
  async () => {
    const before = children()
    const grid = await test.member({ workers: 1 })
    const jobs = []
    for (let number = 0; number < 3; number++) {
      const job = await grid.submit(program, 'hold', number)
      for await (const { finished } of job.progress(100)) if (finished > 3) break
      await job.suspend()
      expect(job.state).toBe('suspended')
      jobs.push(job)
    }
    // Programs without a task end after 5 s.
    await expect.poll(() => children() - before, { timeout: 10_000 }).toBe(0)
    for (const job of jobs) await job.resume()
    expect(await Promise.all(jobs.map(async ({ result }) => await result))).toEqual([435, 465, 495])
  },
)
