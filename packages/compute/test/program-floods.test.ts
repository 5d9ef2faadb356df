import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { testPool } from './test-pool.ts'

const test = testPool()

/** Improves a shared value as fast as it can, each time with a message of its own. */
const program = new TextEncoder().encode(`
const best = { join: { rule: 'max', key: (number) => number }, port: undefined }
export const sharedValues$ = () => [best]
export const flood = { kind: 'task', result: undefined, run: async (rounds) => {
  for (let n = 1; n <= 2000 * rounds; n++) {
    best.port.offer(n)
    for (let turn = 0; turn < 3; turn++) await undefined
    if (n % 2000 === 0) await new Promise((resolve) => setTimeout(resolve, 0))
  }
  return best.port.value()
} }
`)

it('a program that offers without end leaves most of the main thread of its member to others', async () => {
  const grid = await test.member({ workers: 1 })
  const job = await grid.submit(program, 'flood', 1000)
  // It may take 2 s at once.
  await sleep(4000)
  const before = performance.eventLoopUtilization()
  await sleep(4000)
  expect(performance.eventLoopUtilization(before).utilization).toBeLessThan(0.5)
  expect(grid.jobs()[0]?.state).toBe('active')
  await job.cancel()
})
