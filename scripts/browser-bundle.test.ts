import { expect, it } from 'vitest'
import { bundleForBrowser } from './browser-bundle.ts'

it('@jel/jel for a browser imports nothing of Node, needs no WebAssembly, and has at most 260 KB', { timeout: 30_000 }, async () => {
  const { nodeImports, gzip, code } = await bundleForBrowser()
  expect(nodeImports).toEqual([])
  expect(code).not.toMatch(/\bWebAssembly\b|\bBuffer\.(?:from|alloc|concat)\b/u)
  expect(gzip).toBeLessThan(260_000)
  expect(gzip).toBeGreaterThan(150_000)
})
