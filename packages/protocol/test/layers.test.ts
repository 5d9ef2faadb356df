import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'

const src = join(import.meta.dirname, '../src')

/** Each folder, and which it may import from; docs/architecture.md says what is in them. */
const below: Readonly<Record<string, readonly string[]>> = {
  wire: [],
  base: [],
  facts: ['base', 'wire'],
  frames: ['base', 'wire', 'facts'],
  context: ['base', 'facts', 'frames'],
  topology: ['base', 'facts', 'context'],
  dissemination: ['base', 'wire', 'facts', 'context'],
  life: ['base', 'facts', 'context'],
  mortality: ['base', 'facts', 'frames', 'context', 'topology'],
  election: ['base', 'facts', 'context'],
}

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
  (file) => dirname(file) !== '.' && file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.endsWith('.d.ts'),
)

describe('the folders of the protocol', () => {
  it('are those that have a place', () => {
    expect([...new Set(files.map(dirname))].filter((folder) => !(folder in below))).toEqual([])
    expect(files.length).toBeGreaterThan(40)
  })

  it('import downwards only', () => {
    const upwards = files.flatMap((file) => {
      const targets = readFileSync(join(src, file), 'utf8').matchAll(/from '(\.\.?\/[^']+)'/gu)
      const folders = [...targets].map(([, target]) => dirname(relative(src, join(src, dirname(file), target as string))))
      return folders.filter((to) => to !== dirname(file) && below[dirname(file)]?.includes(to) !== true).map((to) => `${file} -> ${to}`)
    })
    expect(upwards).toEqual([])
  })
})
