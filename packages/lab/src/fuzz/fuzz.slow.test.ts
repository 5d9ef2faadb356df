import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { labMain } from '../base/paths.ts'
import { Fuzzer } from './fuzzer.ts'

it('every decoder throws only its documented error, on the corpus and on mutations of it for a second', { timeout: 180_000 }, async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--disable-warning=ExperimentalWarning',
    labMain,
    'fuzz',
    '--seconds',
    '1',
  ])
  const lines = stdout.trim().split('\n')
  expect(lines).toHaveLength(6)
  // This proves that the code is instrumented and that the corpus is read: without guidance a
  // fuzzer reaches almost nothing.
  for (const line of lines) expect(Number(/, (\d+) places reached/u.exec(line)?.[1])).toBeGreaterThan(5)
})

it('with coverage the fuzzer finds a fault that chance would not find', () => {
  const secret = Uint8Array.from([0x7b, 0x0a, 0x22, 0x80])
  const counters = new Uint8Array(secret.length)
  let seed = 1
  const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647
  const target = (input: Uint8Array): void => {
    for (let i = 0; i < secret.length && input[i] === secret[i]; i++) counters[i] = 1
    if (counters.every((count) => count > 0)) throw new Error('found')
  }
  const fuzzer = new Fuzzer(target, counters, random)
  fuzzer.corpus.push(new Uint8Array(4))
  const found = fuzzer.run(() => fuzzer.runs > 500_000)
  expect(found?.input.subarray(0, 4)).toEqual(secret)
})
