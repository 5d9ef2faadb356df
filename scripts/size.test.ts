import { expect, it } from 'vitest'
import { circlesOf, exportsOf, sizeOf, sizeTable, textsAt } from './size.ts'

const node = `/**
 * A node. Guess.
 */
export class Node {
  #field = 1 // one
}

`
const texts = new Map([
  ['packages/protocol/package.json', '{}'],
  ['packages/protocol/src/index.ts', "export { Node, type Life as Lifetime } from './node.ts'\nexport * from './base/all.ts'\n"],
  [
    'packages/protocol/src/base/all.ts',
    "// export const no = 1\nexport const limit = 3\nexport interface All {}\nimport './more/more.ts'\n",
  ],
  ['packages/protocol/src/base/more/more.ts', "import '../all.ts'\n"],
  ['packages/protocol/src/node.ts', node],
  ['packages/protocol/src/node.test.ts', 'a\nb\n'],
  ['packages/protocol/src/wire/messages.js', 'generated\n'],
  ['README.md', 'A member joins.\n'],
  [
    'docs/glossary.md',
    '| term | meaning | file |\n| --- | --- | --- |\n| member | A node. | `a.ts` |\n| life, **lives** | A time. | `b.ts` |\n',
  ],
])

it('counts code, tests and words, without generated code', () => {
  expect(sizeOf(texts)).toMatchObject({
    'packages and apps': 1,
    'files of code': 4,
    lines: 14,
    'lines of code, without comments and empty lines': 9,
    'lines of tests': 2,
    'words of documents': 34,
    'words on the reading path': 3,
    mechanisms: 1,
    constants: 1,
    'lines that say "guess"': 1,
    'nouns of a user': 1,
    'circles of files': 1,
    'circles of folders': 1,
    'names exported by packages/protocol': 4,
  })
})

it('exported names are those of the index, with their names outside', () => {
  expect([...exportsOf(texts, 'packages/protocol/src/index.ts')].sort()).toEqual(['All', 'Lifetime', 'Node', 'limit'])
})

it('a circle is a group of nodes that reach each other', () => {
  const edges = { a: ['b'], b: ['c'], c: ['b', 'd'], d: [], e: ['f'], f: ['e'] }
  expect(circlesOf(new Map(Object.entries(edges)))).toEqual([
    ['b', 'c'],
    ['e', 'f'],
  ])
})

it('a table has a column for each revision', () => {
  const sizes = new Map([
    ['old', { lines: 1000 }],
    ['new', { lines: 2, files: 3 }],
  ])
  expect(sizeTable(sizes)).toBe('|  | old | new |\n| --- | --: | --: |\n| lines | 1,000 | 2 |\n| files | – | 3 |\n')
})

it('reads a revision without a work tree', () => {
  expect(textsAt('HEAD').get('package.json')).toContain('jel-workspace')
})
