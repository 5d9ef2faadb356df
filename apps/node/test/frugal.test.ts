import type { EventLoopUtilization } from 'node:perf_hooks'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'

/** The file is plain JavaScript without types. */
const FILE: string = '../bin/frugal.js'
const { beFrugal } = (await import(FILE)) as {
  beFrugal: (setFlag: (flag: string) => void, measure: () => EventLoopUtilization) => void
}

const { poolSize } = Buffer

beforeEach(() => vi.useFakeTimers())
afterEach(() => {
  Buffer.poolSize = poolSize
  vi.useRealTimers()
})

/**
 * Runs a minute in which `share` gives the load of the event loop at each time. Returns the flags
 * that were set, in order.
 */
function flagsOf(share: (ms: number) => number): string[] {
  const flags: string[] = []
  const start = Date.now()
  const measure = (): EventLoopUtilization => ({ idle: 0, active: 0, utilization: share(Date.now() - start) })
  beFrugal((flag) => flags.push(flag), measure)
  vi.advanceTimersByTime(60_000)
  return flags
}

const compilers = ['--sparkplug', '--maglev', '--opt']

it('the compilers stay off in a node that is busy only while it starts', () => {
  const flags = flagsOf((ms) => (ms < 12_000 ? 1 : 0.02))
  expect(flags).toContain('--no-opt')
  expect(flags).not.toContain('--opt')
})

it('the compilers are turned on once in a node with a busy event loop, however little processor it gets', () => {
  const flags = flagsOf((ms) => (ms > 30_000 ? 0.9 : 0.02))
  expect(flags.filter((flag) => compilers.includes(flag))).toEqual(compilers)
})

it('small buffers are cut from small blocks, so that a kept one keeps little else in memory', () => {
  flagsOf(() => 0)
  // The current block is older than the change. A hundred buffers fill it.
  const blocks = Array.from({ length: 100 }, () => Buffer.allocUnsafe(1024).buffer.byteLength)
  expect(blocks.at(-1)).toBe(8192)
})
