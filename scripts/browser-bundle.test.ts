import { expect, it } from 'vitest'
import { bundleForBrowser } from './browser-bundle.ts'
import { root } from './workspace.ts'

it('@jel/jel for a browser imports nothing of Node, needs no WebAssembly, and has at most 265 KB', { timeout: 30_000 }, async () => {
  const { nodeImports, nodeOnly, gzip, code } = await bundleForBrowser()
  expect([...nodeImports, ...nodeOnly]).toEqual([])
  expect(code.match(/\bWebAssembly\b|\bBuffer\.(?:from|alloc|concat)\b/gu) ?? []).toEqual([])
  expect(gzip).toBeLessThan(265_000)
  expect(gzip).toBeGreaterThan(150_000)
})

it.each([
  ['@jel/compute', 'index.ts', 330_000],
  ['its worker', 'platform/browser/worker-main.ts', 120_000],
])('%s for a browser imports nothing of Node', { timeout: 30_000 }, async (_, file, limit) => {
  const { nodeImports, nodeOnly, gzip } = await bundleForBrowser(`${root}/packages/compute/src/${file}`)
  expect([...nodeImports, ...nodeOnly]).toEqual([])
  expect(gzip).toBeLessThan(limit)
})
