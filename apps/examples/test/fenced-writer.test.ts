import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { program, startWriters } from './writers.ts'

it('the guide shows the program', () => {
  const guide = readFileSync(join(import.meta.dirname, '../../../docs/consistency.md'), 'utf8')
  expect(/```ts\n(.*?)```/su.exec(guide)?.[1]).toBe(readFileSync(program, 'utf8'))
})

it('when the writer is killed, the next one counts on', async () => {
  const writes = await startWriters(4)
  const valuesOf = (): number[] => writes.map(({ value }) => value)
  const killed = writes.at(-1)?.writer
  killed?.child.kill('SIGKILL')
  await expect.poll(() => writes.filter(({ writer }) => writer !== killed).length, { timeout: 60_000 }).toBeGreaterThan(5)
  // A lost write would show a value twice. The last one of the killed process may not be reported.
  expect(new Set(valuesOf()).size).toBe(writes.length)
  expect(Math.max(...valuesOf())).toBeLessThanOrEqual(writes.length + 1)
  const epochs = writes.map(({ epoch }) => epoch)
  expect(epochs).toEqual(epochs.toSorted((one, other) => one - other))
  expect(new Set(epochs).size).toBe(2)
})
