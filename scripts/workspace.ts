/** Reads the manifests of the workspace and its published packages. */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

export const root = resolve(import.meta.dirname, '..')

/** The fields of a package.json that the scripts use. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly description?: string
  readonly license?: string
  readonly homepage?: string
  readonly bugs?: string
  readonly repository?: { readonly type?: string; readonly url: string; readonly directory?: string }
  readonly engines?: { readonly node?: string }
  readonly publishConfig?: { readonly access?: string; readonly provenance?: boolean; readonly exports?: Readonly<Record<string, unknown>> }
}

/** Reads the manifest of `folder`. The path is relative to the root; `.` is the root itself. */
export function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest
}

/** Returns the folders of all packages and apps, relative to the root. */
export function packageFolders(): string[] {
  const folders = ['packages', 'apps'].flatMap((group) => readdirSync(join(root, group)).map((name) => `${group}/${name}`))
  // The client for Python is no npm package.
  return folders.filter((folder) => existsSync(join(root, folder, 'package.json'))).sort()
}

/** Returns the folders of the packages that are published on npm, relative to the root. */
export function publishedFolders(): string[] {
  return packageFolders().filter((folder) => manifestOf(folder).private !== true)
}

/** Returns the web address of the repository. Reads the package.json of the root. */
export function repositoryAddress(): string {
  return (manifestOf('.').repository?.url ?? '').replace(/^git\+|\.git$/gu, '')
}

/** Returns the links of a Markdown text, without those in code. */
export function linksOf(markdown: string): string[] {
  const prose = markdown.replaceAll(/^```.*?^```/gmsu, '').replaceAll(/`[^`\n]*`/gu, '')
  return [...prose.matchAll(/\]\(([^)\s]+)\)/gu)].map(([, target]) => target as string)
}

/** The documents that a newcomer reads, in this order. README.md lists them. */
export const readingPath: readonly string[] = [
  'README.md',
  'docs/tutorial.md',
  'docs/operations.md',
  'docs/architecture.md',
  'docs/protocol.md',
  'docs/compute.md',
  'docs/simulator.md',
]

/** Counts the words of a text as `wc -w` does. */
export function wordsOf(text: string): number {
  return text.split(/\s+/u).filter((word) => word !== '').length
}

/** Returns the modules that a source imports, those that it loads later among them. */
export function importsOf(source: string): string[] {
  const code = source.replaceAll(/^\s*(?:\/\*[\s\S]*?\*\/|\/\/.*$)/gmu, '')
  return [...code.matchAll(/(?:from|import) '([^']+)'|\bimport\('([^']+)'\)/gu)].map(([, now, later]) => (now ?? later) as string)
}
