import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { describeProgram } from '../src/executors/describe.ts'

afterEach(() => void vi.useRealTimers())

it('a program has a minute to load', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'jel-describe-'))
  const file = join(folder, 'program.mjs')
  writeFileSync(file, 'await new Promise(() => setInterval(() => {}, 1000))')
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  let failure: unknown
  const described = describeProgram(async () => await Promise.resolve(file)).catch((error: unknown) => (failure = error))
  await vi.advanceTimersByTimeAsync(59_000)
  expect(failure).toBeUndefined()
  vi.advanceTimersByTime(1000)
  // The program's process ends within a time of the real clock.
  vi.useRealTimers()
  await described
  expect(failure).toMatchObject({ code: 'PROGRAM_UNUSABLE', message: 'the program is not loaded after 60000 ms' })
  rmSync(folder, { recursive: true })
})
