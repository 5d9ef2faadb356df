import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Input } from '../src/core/io.ts'
import type { Shared } from '../src/core/shared-value.ts'
import { Executor } from '../src/executors/executor.ts'
import { encodeValue } from '../src/program/values.ts'
import { children } from './children.ts'
import { collectGarbage } from './garbage.ts'

const MB = 1_000_000
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'jel-executor-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Returns the bytes of buffers in use. Unreferenced buffers count until garbage is collected. */
function buffersInUse(): number {
  // Twice: the second run frees the objects that the first one finds.
  collectGarbage()
  collectGarbage()
  return process.memoryUsage().arrayBuffers
}

const sharedBy = (key: number, length = MB): Shared =>
  new Map([['s', { rule: 'min', key: -key, values: [new Uint8Array(length).fill(key)] }]])

/** An executor with one slot, whose program is this file. */
function executorOf(file: string, told: Input[]): Executor {
  return new Executor({
    slots: 1,
    programOf: () => ({
      file: async () => await Promise.resolve(file),
      place: 'own',
      blob: () => {
        throw new Error('it has none')
      },
      store: async () => await Promise.reject(new Error('it keeps nothing')),
    }),
    onInputs: (inputs) => told.push(...inputs),
  })
}

const runOf = (fn: string, input?: unknown): Parameters<Executor['carryOut']>[0] => ({
  type: 'run',
  slot: 0,
  job: 'j',
  task: { path: '', fn, input: encodeValue(input) },
  shared: new Map(),
  split: false,
  frozen: false,
})

describe('an executor', () => {
  it('keeps only the latest shared values for a program that does not read them', async () => {
    const file = join(folder, 'spins.mjs')
    await writeFile(
      file,
      'export const spin = { kind: "task", run: (ms) => { for (const end = Date.now() + ms; Date.now() < end;); return 1 } }',
    )
    const told: Input[] = []
    const executor = executorOf(file, told)
    try {
      executor.carryOut(runOf('spin', 1500))
      await sleep(300)
      const before = buffersInUse()
      for (let n = 1; n <= 60; n++) {
        executor.shared({ type: 'shared', job: 'j', shared: sharedBy(n) })
        await sleep(5)
      }
      expect(buffersInUse() - before).toBeLessThan(20 * MB)
      await expect.poll(() => told.filter(({ type }) => type === 'returned').length, { timeout: 4000 }).toBe(1)
    } finally {
      await executor.close()
    }
  })

  it.runIf(process.platform === 'linux')('keeps the processes of two jobs without tasks, however many came and went', async () => {
    const file = join(folder, 'rests.mjs')
    await writeFile(file, 'export const rests = { kind: "task", run: () => 1 }')
    const told: Input[] = []
    const executor = executorOf(file, told)
    const before = children()
    try {
      for (let job = 1; job <= 6; job++) {
        executor.carryOut({ ...runOf('rests'), job: `j${job}` })
        await expect.poll(() => told.filter(({ type }) => type === 'returned').length).toBe(job)
      }
      await expect.poll(() => children() - before, { timeout: 4000 }).toBe(2)
    } finally {
      await executor.close()
    }
  })

  it('ends a program that has no task, even if it goes on working', async () => {
    const file = join(folder, 'chats.mjs')
    await writeFile(
      file,
      `const best = { join: { rule: 'max', key: (number) => number } }
      export const sharedValues$ = () => [best]
      let offers = 0
      export const chats = { kind: 'task', run: () => void setInterval(() => best.port.offer(++offers), 10) }`,
    )
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const told: Input[] = []
    const executor = executorOf(file, told)
    const count = (type: Input['type']): number => told.filter((input) => input.type === type).length
    try {
      executor.carryOut(runOf('chats'))
      await expect.poll(() => count('idle'), { timeout: 10_000 }).toBe(1)
      for (let second = 0; second < 3; second++) {
        const offers = count('offered')
        await expect.poll(() => count('offered')).toBeGreaterThan(offers)
        vi.advanceTimersByTime(2000)
      }
      await expect.poll(() => count('idle'), { timeout: 10_000 }).toBe(2)
      expect(told.at(-1)?.type).toBe('idle')
    } finally {
      vi.useRealTimers()
      await executor.close()
    }
  })
})
