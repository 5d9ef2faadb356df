import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n')
const isThere = (name: string): boolean => files.some((file) => file === name || file.endsWith(`/${name}`))

const documents = files.filter((file) => file.endsWith('.md') && !file.endsWith('CHANGELOG.md'))

it('documents name files that exist', () => {
  const missing = documents.flatMap((document) =>
    [...readFileSync(join(root, document), 'utf8').matchAll(/`(?:\.\/)*([\w./-]+\.ts)`/gu)]
      .map(([, name]) => name as string)
      .filter((name) => !isThere(name))
      .map((name) => `${document}: ${name}`),
  )
  expect(documents.length).toBeGreaterThan(50)
  expect(missing).toEqual([])
})

it('no line begins with a placeholder such as <pool>, which Markdown takes for a tag', () => {
  const placeholders = documents.flatMap((document) =>
    readFileSync(join(root, document), 'utf8')
      .replaceAll(/^```.*?^```$/gmsu, '')
      .split('\n')
      .filter((line) => /^<[a-z][\w -]*>`/u.test(line))
      .map((line) => `${document}: ${line}`),
  )
  expect(placeholders).toEqual([])
})
