import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'
import { linksOf, manifestOf, packageFolders, publishedFolders, repositoryAddress, root } from './workspace.ts'

const address = repositoryAddress()

/** Returns the names of all modules that the sources of a package import. */
function importsOf(folder: string): ReadonlySet<string> {
  const src = join(root, folder, 'src')
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  return new Set(
    files.flatMap((file) => [...readFileSync(join(src, file), 'utf8').matchAll(/ from '([^']+)'/gu)].map(([, name]) => name ?? '')),
  )
}

it('there are packages to publish, and one place names their repository', () => {
  expect(publishedFolders()).toContain('apps/node')
  expect(address).toMatch(/^https:\/\/[^/]+\/[^/]+\/[^/]+$/u)
})

it('CONTRIBUTING.md has all packages and apps in its layout', () => {
  const [, layout = ''] = /^## Layout\n(.*?)^## /msu.exec(readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')) ?? []
  const [, packages = '', apps = ''] = /^packages\/\n(.*?)^apps\/\n(.*?)^packaging\//msu.exec(layout) ?? []
  const named = [
    ...[...packages.matchAll(/^ {2}(\w+)\//gmu)].map(([, name]) => `packages/${name}`),
    ...[...apps.matchAll(/^ {2}(\w+)\//gmu)].map(([, name]) => `apps/${name}`),
  ]
  expect(named.toSorted()).toEqual([...packageFolders(), 'apps/python'].toSorted())
})

/** The command line, and packages that jel's own packages use and applications do not. */
const inner = ['apps/node', 'packages/ledger', 'packages/machine']

it('the reference of the interface has all packages for applications', () => {
  const { entryPoints } = JSON.parse(readFileSync(join(root, 'site/typedoc.json'), 'utf8')) as { entryPoints: string[] }
  const libraries = publishedFolders().filter((folder) => !inner.includes(folder))
  expect(libraries.filter((folder) => !entryPoints.includes(`../${folder}/src/index.ts`))).toEqual([])
})

describe.each(publishedFolders())('%s', (folder) => {
  const manifest = manifestOf(folder)

  it('names its repository, as package.json of the root does', () => {
    expect(manifest).toMatchObject({
      homepage: `${address}/tree/main/${folder}#readme`,
      bugs: `${address}/issues`,
      repository: { type: 'git', url: `git+${address}.git`, directory: folder },
      license: manifestOf('.').license,
      description: expect.stringMatching(/./u),
    })
  })

  it('has the version of all others, is public and is published with its provenance', () => {
    expect(manifest.version).toBe(manifestOf('apps/node').version)
    expect(manifest.engines).toEqual(manifestOf('apps/node').engines)
    expect(manifest.publishConfig).toMatchObject({ access: 'public', provenance: true })
  })

  // So nobody installs a test world. The program does not count: its bundle contains the sources.
  it('publishes its internals only for another library of ours', () => {
    const isPublished = './internals' in (manifest.publishConfig?.exports ?? {})
    const libraries = publishedFolders().filter((other) => other !== folder && other.startsWith('packages/'))
    const isImported = libraries.some((other) => importsOf(other).has(`${manifest.name}/internals`))
    expect({ isPublished, isImported }).toEqual({ isPublished, isImported: isPublished || isImported })
  })

  it('has a README whose links also work on npm', () => {
    const links = linksOf(readFileSync(join(root, folder, 'README.md'), 'utf8'))
    const leaving = links.filter((link) => !/^(?:https:|#)/u.test(link) && normalize(link).startsWith('..'))
    expect(leaving, `not in the package: write ${address}/blob/main/… instead`).toEqual([])
  })

  it('links only to files that exist in the repository', () => {
    const links = linksOf(readFileSync(join(root, folder, 'README.md'), 'utf8'))
    const files = links.flatMap((link) => (link.startsWith(`${address}/`) ? [link.slice(address.length).replace(/#.*$/u, '')] : []))
    const paths = files.map((path) => /^\/(?:blob|tree)\/main\/(?<path>.+)$/u.exec(path)?.groups?.['path'] ?? `no path: ${path}`)
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })
})

it('links between the documents lead to files that exist', () => {
  const docs = ['docs', 'docs/decisions'].flatMap((folder) => readdirSync(join(root, folder)).map((file) => `${folder}/${file}`))
  const documents = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', ...docs.filter((file) => file.endsWith('.md'))]
  const dead = documents.flatMap((document) =>
    linksOf(readFileSync(join(root, document), 'utf8'))
      .filter((link) => !/^(?:https?:|#)/u.test(link))
      .map((link) => join(dirname(document), link.replace(/#.*$/u, '')))
      .filter((path) => !existsSync(join(root, path))),
  )
  expect(dead).toEqual([])
})
