import { expect, it } from 'vitest'
import type { Group } from '../src/group/group.ts'
import { processProgram } from '../src/process/index.ts'

it('a process that writes faster than its starter reads loses no output, and no output is too long', async () => {
  const { signal } = new AbortController()
  const group = { id: 'g', epoch: 0, rank: 0, size: 1, members: ['m'], sites: [''], signal } as unknown as Group
  const source = `export default () => { for (let at = 0; at < 20; at++) process.stdout.write('x'.repeat(30_000)) }`
  const lengths: number[] = []
  const output = async (_stream: string, text: string): Promise<void> => {
    lengths.push(text.length)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  await processProgram()(group, { name: 'write.mjs', source }, { output, starter: 'm', starterGone: signal })
  expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(600_000)
  expect(Math.max(...lengths)).toBeLessThanOrEqual(65_536)
})
