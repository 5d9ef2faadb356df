/**
 * Makes the next version of all packages from the files of .changeset: `node scripts/changelog.ts`.
 * changesets raises the versions and removes these files. Their texts go to CHANGELOG.md, since
 * changesets itself would write one changelog for each package.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { manifestOf, root } from './workspace.ts'

/** The kinds of changes, with the titles of their lists. */
const titles = { major: 'Breaking', minor: 'New', patch: 'Mended' } as const
type Kind = keyof typeof titles

/** One file of .changeset. */
interface Change {
  readonly kind: Kind
  /** Without the scope. */
  readonly packages: readonly string[]
  readonly text: string
}

function changeOf(file: string): Change {
  const [, head = '', text = ''] = /^---\n(.*?)---\n(.*)$/su.exec(file) ?? []
  const lines = [...head.matchAll(/^'@jel\/(\w+)': (major|minor|patch)$/gmu)]
  const kinds = lines.map(([, , kind]) => kind)
  const kind = (Object.keys(titles) as Kind[]).find((each) => kinds.includes(each))
  if (kind === undefined) throw new Error(`a file of .changeset without a package: ${file}`)
  return { kind, packages: lines.map(([, name]) => name as string), text: text.trim() }
}

/** Returns the changelog with a section for a version, of the files of .changeset, as its first. */
export function changelogWith(changelog: string, version: string, files: readonly string[]): string {
  const changes = files.map(changeOf)
  const lists = Object.entries(titles).flatMap(([kind, title]) => {
    const items = changes.filter((change) => change.kind === kind)
    const list = items.map(({ packages, text }) => `- ${text.replaceAll(/\n(?=.)/gu, '\n  ')} (${packages.join(', ')})\n`)
    return list.length === 0 ? [] : [`\n**${title}**\n\n${list.join('')}`]
  })
  // A text may have a `$`, which has a meaning in a replacement that is no function.
  return changelog.replace(/(?=^## )/mu, () => `## ${version}\n${lists.join('')}\n`)
}

if (import.meta.main) {
  const folder = join(root, '.changeset')
  const names = readdirSync(folder).filter((name) => name.endsWith('.md'))
  const files = names.sort().map((name) => readFileSync(join(folder, name), 'utf8'))
  execFileSync('changeset', ['version'], { cwd: root, stdio: 'inherit' })
  const path = join(root, 'CHANGELOG.md')
  writeFileSync(path, changelogWith(readFileSync(path, 'utf8'), manifestOf('apps/node').version, files))
}
