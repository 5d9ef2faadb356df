import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { root } from './workspace.ts'

const dist = join(root, 'site/.vitepress/dist')

// Dead links between documents, and links to files of the repository that are not there, fail the build itself.
beforeAll(() => void execFileSync('npx', ['--offline', '-y', 'pnpm@12', 'docs:build'], { cwd: root, stdio: 'pipe' }), 300_000)

const pages = (): string[] => readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.html'))

it('has a page for each document, and the reference of the interface', () => {
  const documents = readdirSync(join(root, 'docs')).filter((file) => file.endsWith('.md'))
  expect(documents.length).toBeGreaterThan(10)
  const wanted = [
    'index.html',
    'SECURITY.html',
    'apps/node/index.html',
    'api/index.html',
    ...documents.map((file) => `docs/${file.replace('.md', '.html')}`),
  ]
  expect(wanted.filter((page) => !pages().includes(page))).toEqual([])
  expect(readFileSync(join(dist, 'api/index.html'), 'utf8')).toContain('jel')
  expect(pages().some((page) => page.startsWith('api/functions/') && page.includes('joinPool'))).toBe(true)
})

it('has no link within the site that leads nowhere', () => {
  const dead = pages().flatMap((page) =>
    [...readFileSync(join(dist, page), 'utf8').matchAll(/<a\b[^>]*? href="(?<href>[^"]*)"/gu)]
      .map(({ groups }) => (groups?.['href'] ?? '').replace(/[#?].*$/u, ''))
      .filter((href) => href !== '' && !/^[a-z]+:/u.test(href))
      .map((href) => (href.startsWith('/') ? href.slice(1) : join(dirname(page), href)))
      .filter((path) => !existsSync(join(dist, path === '' || path.endsWith('/') ? `${path}index.html` : path)))
      .map((path) => `${page}: ${path}`),
  )
  expect(dead).toEqual([])
})
