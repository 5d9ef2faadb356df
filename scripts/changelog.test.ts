import { execFileSync } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { changelogWith } from './changelog.ts'
import { root } from './workspace.ts'

const head = (...lines: string[]): string => `---\n${lines.map((line) => `'@jel/${line}\n`).join('')}---\n\n`

it('a version has its changes by kind, each with its packages, above older versions', () => {
  const changelog = changelogWith('# Changes\n\nText.\n\n## 0.1.0\n\nThe first.\n', '0.2.0', [
    `${head("jel': patch", "node': patch")}A mend of $&.\n`,
    `${head("jel': patch", "node': minor")}A feature.\nIts second line.\n\nMore.\n`,
  ])
  expect(changelog).toBe(`# Changes

Text.

## 0.2.0

**New**

- A feature.
  Its second line.

  More. (jel, node)

**Mended**

- A mend of $&. (jel, node)

## 0.1.0

The first.
`)
})

it('each file of .changeset has a text and packages', () => {
  const folder = join(root, '.changeset')
  const files = readdirSync(folder).filter((name) => name.endsWith('.md'))
  for (const name of files) {
    const file = readFileSync(join(folder, name), 'utf8')
    expect(`${name}: ${changelogWith('## 0', '1', [file])}`).toMatch(/\n- [^\s(].*\([a-z, ]+\)\n\n## 0$/su)
  }
})

it('there is one changelog', () => {
  expect(execFileSync('git', ['ls-files', '*CHANGELOG.md'], { cwd: root, encoding: 'utf8' })).toBe('CHANGELOG.md\n')
})
