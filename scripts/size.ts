/**
 * Counts what the repository holds at a revision, without a work tree.
 * Usage: `node scripts/size.ts REVISION …`. For `OLD..NEW` it counts at NEW the files that began
 * after OLD.
 */
import { execFileSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { importsOf, readingPath, root, wordsOf } from './workspace.ts'

/** The texts of a revision by their paths. */
export type Texts = ReadonlyMap<string, string>

/** Above this length a file often has several nouns. */
const longest = 250
const generated = /\/wire\/messages\.(?:js|d\.ts)$/u
const code = /\.(?:ts|js|mjs|py|css|html|proto)$|^\.ci\/run$/u
const test = /\.test\.ts$|\/test\//u
/** The state machines. Their classes are the mechanisms. */
const machines = /^packages\/(?:protocol\/src|\w+\/src\/core)\//u
const constant = /^(?:export )?const (?:\w+|\[[\w, ]+\]) = [[\d][\d_.*\s,()/+\]-]*$|^ {4}\w+: \d[\d_.* ]*,$/gmu

function git(input: string, ...args: readonly string[]): Buffer {
  return execFileSync('git', args, { cwd: root, input, maxBuffer: 2 ** 28 })
}

/**
 * Returns the texts of code and documents at a revision. For `OLD..NEW` it returns only the files
 * that began after OLD.
 */
export function textsAt(revision: string): Texts {
  const [old, now] = revision.split('..')
  const listed = git('', 'ls-tree', '-r', '--format=%(objectname) %(path)', now ?? revision)
  const begun =
    now === undefined
      ? undefined
      : new Set(String(git('', 'diff', '--name-only', '--diff-filter=A', '-M', '-l0', old ?? '', now)).split('\n'))
  const files = String(listed)
    .split('\n')
    .map((line) => ({ object: line.slice(0, 40), path: line.slice(41) }))
    .filter(({ path }) => (code.test(path) || /\.md$|package\.json$/u.test(path)) && (begun?.has(path) ?? true))
  const objects = git(files.map(({ object }) => `${object}\n`).join(''), 'cat-file', '--batch')
  let at = 0
  return new Map(
    files.map(({ path }) => {
      const start = objects.indexOf('\n', at) + 1
      const end = start + Number(objects.toString('latin1', at, start).split(' ')[2])
      at = end + 1
      return [path, objects.toString('utf8', start, end)]
    }),
  )
}

/** Returns the groups of nodes of which each reaches every other one. */
export function circlesOf(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const reached = new Map(
    [...edges.keys()].map((node) => {
      const seen = new Set(edges.get(node))
      for (const each of seen) for (const next of edges.get(each) ?? []) seen.add(next)
      return [node, seen]
    }),
  )
  const circles = [...reached].map(([node, seen]) => [...seen].filter((other) => reached.get(other)?.has(node) === true).sort())
  return [...new Map(circles.filter(({ length }) => length > 1).map((circle) => [circle.join(), circle])).values()]
}

/** Returns the files that each source imports. */
export function fileImportsOf(texts: Texts): Map<string, string[]> {
  return new Map(
    [...texts].map(([path, text]) => [
      path,
      importsOf(text)
        .filter((target) => target.startsWith('.'))
        .map((target) => join(dirname(path), target)),
    ]),
  )
}

/** Returns the folders that each folder below `src` imports, without the files beside them. */
export function folderImportsOf(imports: ReadonlyMap<string, readonly string[]>): Map<string, string[]> {
  const folders = new Map<string, string[]>()
  for (const [path, targets] of imports) {
    const folder = dirname(path)
    if (!folder.includes('/src/')) continue
    const others = targets.map((target) => dirname(target)).filter((other) => other !== folder && other.includes('/src/'))
    folders.set(folder, [...(folders.get(folder) ?? []), ...others])
  }
  return folders
}

/** Returns the names that a module exports, those of `export *` among them. */
export function exportsOf(texts: Texts, path: string): Set<string> {
  const text = (texts.get(path) ?? '').replaceAll(/\/\/.*$/gmu, '')
  const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gmu)].flatMap(([, list = '']) => list.split(','))
  const listed = lists.map((each) => each.trim().replace(/^(?:type )?(?:.* as )?/u, '')).filter((each) => each !== '')
  const declared = [...text.matchAll(/^export (?:declare |abstract |async )*(?:class|function|const|interface|type|enum) (\w+)/gmu)]
  const all = [...text.matchAll(/^export \* from '(\.[^']+)'/gmu)]
  return new Set([
    ...listed,
    ...declared.map(([, name]) => name as string),
    ...all.flatMap(([, target]) => [...exportsOf(texts, join(dirname(path), target as string))]),
  ])
}

/** Returns the terms of the glossary that README, tutorial or operations use. */
function nounsOf(texts: Texts): string[] {
  const rows = [...(texts.get('docs/glossary.md') ?? '').matchAll(/^\| (?!term |short |-)([^|]+) \|(?=.*\|.*\|)/gmu)]
  const terms = rows.flatMap(([, names = '']) => names.split(',').map((name) => name.replaceAll(/[`*]|\(.*\)/gu, '').trim()))
  const prose = ['README.md', 'docs/tutorial.md', 'docs/operations.md'].map((path) => texts.get(path) ?? '').join('\n')
  return [...new Set(terms)].filter((term) => new RegExp(String.raw`\b${term}(?:s|es)?\b`, 'iu').test(prose))
}

const linesOf = (text: string): number => text.split('\n').length - 1
/** A name such as `#field` begins a line of code. */
const comments = /\/\*[^]*?\*\/|^\s*(?:\/\/|# ).*$/gmu
const emptyLines = /^[^\S\n]*\n/gmu
/** Returns the number of lines that hold code. A line of code with a comment behind it is one. */
const statementsOf = (text: string): number => linesOf(text.replaceAll(comments, '').replaceAll(emptyLines, ''))
const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, each) => total + each, 0)
const count = (texts: Texts, pattern: RegExp): number => sum([...texts.values()].map((text) => text.match(pattern)?.length ?? 0))

function linesByFolder(written: Texts): Record<string, number> {
  const folderOf = (path: string): string => /^(?:(?:packages|apps)\/)?[^/]+/u.exec(path)?.[0] ?? ''
  const folders = Map.groupBy([...written], ([path]) => folderOf(path))
  return Object.fromEntries([...folders].map(([folder, files]) => [`lines of ${folder}`, sum(files.map(([, text]) => linesOf(text)))]))
}

/** Counts what texts hold. docs/decisions has a record with these counts. */
export function sizeOf(texts: Texts): Record<string, number> {
  const pick = (filter: (path: string) => boolean): Texts => new Map([...texts].filter(([path]) => filter(path)))
  const written = pick((path) => code.test(path) && !generated.test(path) && !test.test(path))
  const tests = pick((path) => code.test(path) && test.test(path))
  const documents = pick((path) => path.endsWith('.md') && !path.startsWith('.changeset/'))
  const records = pick((path) => /^docs\/decisions\/\d/u.test(path))
  const imports = fileImportsOf(written)
  const packages = [...texts.keys()].filter((path) => /^(?:packages|apps)\/\w+\/package\.json$/u.test(path)).map((path) => dirname(path))
  const exported = packages.map((folder) => [folder, exportsOf(texts, `${folder}/src/index.ts`).size] as const)
  return {
    'packages and apps': packages.length,
    'files of code': written.size,
    lines: sum([...written.values()].map(linesOf)),
    'lines of code, without comments and empty lines': sum([...written.values()].map(statementsOf)),
    'files of code above 250 lines': [...written.values()].filter((text) => linesOf(text) > longest).length,
    'of these without comments and empty lines': [...written.values()].filter((text) => statementsOf(text) > longest).length,
    'lines of tests': sum([...tests.values()].map(linesOf)),
    'words of documents': sum([...documents.values()].map(wordsOf)),
    'words on the reading path': sum(readingPath.map((path) => wordsOf(texts.get(path) ?? ''))),
    'decision records': records.size,
    mechanisms: count(
      pick((path) => written.has(path) && machines.test(path)),
      /^(?:export )?(?:abstract )?class /gmu,
    ),
    constants: count(
      pick((path) => written.has(path) && path.includes('/src/')),
      constant,
    ),
    'lines that say "guess"': count(written, /^.*\bguess.*$/gimu),
    'nouns of a user': nounsOf(texts).length,
    'circles of files': circlesOf(imports).length,
    'circles of folders': circlesOf(folderImportsOf(imports)).length,
    ...linesByFolder(written),
    ...Object.fromEntries(exported.filter(([, names]) => names > 0).map(([folder, names]) => [`names exported by ${folder}`, names])),
  }
}

/** Returns a table with a column for each revision. */
export function sizeTable(sizes: ReadonlyMap<string, Readonly<Record<string, number>>>): string {
  const rows = new Set([...sizes.values()].flatMap((size) => Object.keys(size)))
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`
  const table = [...rows].map((row) => line([row, ...[...sizes.values()].map((size) => size[row]?.toLocaleString('en') ?? '–')]))
  return [line(['', ...sizes.keys()]), line(['---', ...[...sizes].map(() => '--:')]), ...table].join('')
}

if (import.meta.main)
  process.stdout.write(sizeTable(new Map(process.argv.slice(2).map((revision) => [revision, sizeOf(textsAt(revision))]))))
