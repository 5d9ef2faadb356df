/** What the workspace publishes, and what each package says of itself. */
import { readFileSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

export const root = resolve(import.meta.dirname, '..')

/** Of a package.json, what is looked at here. */
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
  readonly publishConfig?: { readonly access?: string; readonly provenance?: boolean }
}

/** `folder` is relative to the root, `.` for the root itself. */
export function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest
}

/** Folders of the packages that are meant for npm, relative to the root. */
export function publishedFolders(): string[] {
  const folders = ['packages', 'apps'].flatMap((group) => readdirSync(join(root, group)).map((name) => `${group}/${name}`))
  return folders.filter((folder) => manifestOf(folder).private !== true)
}

/** The one place that names the repository is package.json of the root: its address as a browser takes it. */
export function repositoryAddress(): string {
  return (manifestOf('.').repository?.url ?? '').replace(/^git\+|\.git$/gu, '')
}

/** Links of a Markdown text, without those of code blocks. */
export function linksOf(markdown: string): string[] {
  const prose = markdown.replaceAll(/^```.*?^```/gmsu, '').replaceAll(/`[^`\n]*`/gu, '')
  return [...prose.matchAll(/\]\(([^)\s]+)\)/gu)].map(([, target]) => target as string)
}
