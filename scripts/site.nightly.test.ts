import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { root } from './workspace.ts'

const dist = join(root, 'site/.vitepress/dist')

// The build itself fails on dead links between documents, and on links to missing files of the
// repository.
beforeAll(() => void execFileSync('npx', ['--offline', '-y', 'pnpm@12', 'docs:build'], { cwd: root, stdio: 'pipe' }), 300_000)

const pages = (): string[] => readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.html'))

it('has a page for each document, and the reference of the interface', () => {
  const documents = readdirSync(join(root, 'docs')).filter((file) => file.endsWith('.md'))
  expect(documents.length).toBeGreaterThan(10)
  const wanted = [
    'overview.html',
    'SECURITY.html',
    'apps/node/index.html',
    'api/index.html',
    ...documents.map((file) => (file === 'home.md' ? 'index.html' : `docs/${file.replace('.md', '.html')}`)),
  ]
  expect(wanted.filter((page) => !pages().includes(page))).toEqual([])
  expect(readFileSync(join(dist, 'api/index.html'), 'utf8')).toContain('jel')
  expect(pages().some((page) => page.startsWith('api/functions/') && page.includes('joinPool'))).toBe(true)
})

/** Returns all links of a page that stay on the site, each with its target file and anchor. */
function linksOf(page: string): { to: string; anchor: string }[] {
  return [...read(page).matchAll(/<a\b[^>]*? href="(?<href>[^"]*)"/gu)]
    .map(({ groups }) => groups?.['href'] ?? '')
    .filter((href) => href !== '' && !/^[a-z]+:/u.test(href))
    .map((href) => {
      const [path = '', anchor = ''] = href.split('#')
      const file = path === '' ? page : path.startsWith('/') ? path.slice(1) : join(dirname(page), path)
      return { to: file === '' || file.endsWith('/') ? `${file}index.html` : file, anchor: decodeURIComponent(anchor) }
    })
}

const contents = new Map<string, string>()
function read(page: string): string {
  const text = contents.get(page) ?? readFileSync(join(dist, page), 'utf8')
  contents.set(page, text)
  return text
}

it('has no broken link within the site', () => {
  const dead = pages().flatMap((page) => linksOf(page).flatMap(({ to }) => (existsSync(join(dist, to)) ? [] : [`${page}: ${to}`])))
  expect(dead).toEqual([])
})

it('has no link between documents to a missing heading', () => {
  const documents = pages().filter((page) => !page.startsWith('api/'))
  const links = documents.flatMap((page) => linksOf(page).map((link) => ({ page, ...link })))
  expect(links.filter(({ anchor }) => anchor !== '').length).toBeGreaterThan(100)
  const dead = links.filter(({ to, anchor }) => anchor !== '' && documents.includes(to) && !read(to).includes(` id="${anchor}"`))
  expect(dead.map(({ page, to, anchor }) => `${page}: ${to}#${anchor}`)).toEqual([])
})
