import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { linksOf, packageFolders, readingPath, root, wordsOf } from './workspace.ts'

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' }).split('\n')
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

it('no document has the marks of a merge that was not finished', () => {
  const marked = documents.filter((document) => /^(?:<{7}|>{7}) /mu.test(readFileSync(join(root, document), 'utf8')))
  expect(marked).toEqual([])
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

it.each(packageFolders())('the README of %s lists the files to read, in an order', (folder) => {
  const readme = readFileSync(join(root, folder, 'README.md'), 'utf8')
  const [, list = ''] = /(?:in reading order|Read in this order|^Read (?=`.*` first))(.*)/msu.exec(readme) ?? []
  const named = [...list.matchAll(/`(?:src\/)?([\w/-]+\.ts)`/gu)].map(([, file]) => file as string)
  expect(named.length).toBeGreaterThan(2)
  expect(named.filter((file) => !files.some((each) => each.startsWith(`${folder}/`) && each.endsWith(`/${file}`)))).toEqual([])
})

it('README lists the documents of the reading path in their order', () => {
  const [, list = ''] = /in this order:\*\*\n(.*?)\n\*\*/su.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? []
  expect(['README.md', ...linksOf(list)]).toEqual(readingPath)
})

it('the reading path has at most 12,000 words', () => {
  const words = readingPath.map((path) => wordsOf(readFileSync(join(root, path), 'utf8')))
  expect(words.reduce((total, each) => total + each, 0)).toBeLessThanOrEqual(12_000)
})
