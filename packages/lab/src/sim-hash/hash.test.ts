import { describe, expect, it } from 'vitest'
import { accountOf, findNode } from './nodes.ts'
import { traceHashes } from './histories.ts'

describe('one seed gives one history', () => {
  const here = traceHashes()

  it('that differs between scenarios', () => {
    expect(new Set(Object.values(here)).size).toBe(Object.keys(here).length)
  })

  it.for([22, 24, 26])('in another process, on Node %i', { timeout: 60_000 }, async (major, { skip }) => {
    const node = findNode(major)
    if (node === undefined) return skip(`Node ${major} is not here: pnpm sim:hash fetches it`)
    const { version, hashes } = await accountOf(node)
    expect(version).toMatch(new RegExp(`^${major}\\.`, 'u'))
    expect(hashes).toEqual(here)
  })
})
