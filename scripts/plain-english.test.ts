import { expect, it } from 'vitest'
import { faultsIn, faultsOf } from './plain-english.ts'

it('comments and documents have short lines, no clause as the subject of a sentence, and no private words', () => {
  expect(faultsIn('.')).toEqual([])
})

it.each([
  ['a.ts', `/** ${'long '.repeat(20)}*/`],
  ['a.ts', `const a = 1 // ${'long '.repeat(20)}`],
  ['a.ts', '/**\n * Bounds bytes. What others say\n * is not kept.\n */'],
  ['a.ts', '// Whoever waits does it again.'],
  ['a.md', '# Title\n\nA node leaves. Who leaves says so.'],
  ['a.md', 'It signs at most once in a beat.'],
  ['a.ts', 'const rootKeeper = 1'],
  ['a.md', '| case | result |\n| --- | --- |\n| a | what becomes of it |'],
])('finds a fault in %s: %j', (path, text) => {
  expect(faultsOf(path, text)).toHaveLength(1)
})

it.each([
  ['a.ts', "const text = 'Who leaves says so.' + long('Who', 'Who', 'Who', 'Who', 'Who', 'Who', 'Who', 'Who', 'Who')"],
  ['a.ts', `// See https://example.org/${'long'.repeat(25)}`],
  ['a.md', '## What is promised\n\nAn overlay. Who leaves?\n\n```\nWho leaves says so.\n```'],
])('finds none in %s: %j', (path, text) => {
  expect(faultsOf(path, text)).toEqual([])
})
