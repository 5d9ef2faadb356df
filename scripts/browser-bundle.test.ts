import { expect, it } from 'vitest'
import { bundleForBrowser } from './browser-bundle.ts'
import { root } from './workspace.ts'

it(
  '@jel/jel for a browser imports nothing of Node, needs no WebAssembly, and loads at most 245 KB at first',
  { timeout: 30_000 },
  async () => {
    const { nodeImports, nodeOnly, gzip, chunks } = await bundleForBrowser()
    expect([...nodeImports, ...nodeOnly]).toEqual([])
    expect(chunks.flatMap((code) => code.match(/\bWebAssembly\b|\bBuffer\.(?:from|alloc|concat)\b/gu) ?? [])).toEqual([])
    // With the ledger it has 260 KB.
    expect(gzip).toBeLessThan(245_000)
    expect(gzip).toBeGreaterThan(150_000)
  },
)

it.each([
  ['@jel/compute', 'index.ts', 330_000],
  ['its worker', 'platform/browser/worker-main.ts', 120_000],
])('%s for a browser imports nothing of Node', { timeout: 30_000 }, async (_, file, limit) => {
  const { nodeImports, nodeOnly, gzip } = await bundleForBrowser(`${root}/packages/compute/src/${file}`)
  expect([...nodeImports, ...nodeOnly]).toEqual([])
  expect(gzip).toBeLessThan(limit)
})
