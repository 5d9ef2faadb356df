import { expect, it } from 'vitest'
import { startWriters } from './writers.ts'

it('a writer that stood still while the next one began writes nothing more', async () => {
  const writes = await startWriters(4)
  const stopped = writes.at(-1)
  stopped?.writer.child.kill('SIGSTOP')
  await expect.poll(() => writes.at(-1)?.writer, { timeout: 60_000 }).not.toBe(stopped?.writer)
  const next = writes.at(-1)
  stopped?.writer.child.kill('SIGCONT')
  // It wakes up in the middle of its loop, and believes that it reigns.
  await expect.poll(() => stopped?.writer.refused, { timeout: 60_000 }).toEqual([stopped?.epoch])
  await expect.poll(() => writes.at(-1)?.value, { timeout: 60_000 }).toBeGreaterThan((next?.value ?? 0) + 20)
  // A lost write would show a value twice.
  expect(new Set(writes.map(({ value }) => value)).size).toBe(writes.length)
  expect(writes.filter(({ writer, value }) => writer === stopped?.writer && value > (next?.value ?? 0))).toEqual([])
})
