/**
 * Finds comments above 100 columns, sentences whose subject is a clause, and words that only this
 * project would understand.
 * Usage: `node scripts/plain-english.ts [path …]`.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './workspace.ts'

const columns = 100
/** Directives of tools and links can't be broken into several lines. */
const unbreakable = /oxlint-disable|@ts-|https?:\/\//u
const comment = /^\s*(?:\/\/|\/?\*(?![#\w]+[(<]))|(?<=\s)\/\/ /u
const clause = /^(?:who|whom|whose|what)(?:ever)?\b[^?]*$/iu

/**
 * Words of earlier versions that have a term of the field now, such as heartbeat for beat. The
 * glossary has the terms.
 */
const privateWords =
  /\b(?:a|the|each|one|its) beats?\b|surrender|credulous|referral|hearsay|reunion|root.?keeper|errand|visitor|teller|roster|census|outbox|\bcrews?\b/iu
/** The list of these words, and the test of the list. */
const lists = /plain-english(?:\.test)?\.ts$/u

/** Returns the sentences of a text without its code, quotations and marks of lists. */
function sentencesOf(prose: string): string[] {
  const words = prose.replaceAll(/`[^`]*`|"[^"]*"/gu, 'x')
  const sentences = words.split(/(?<=[.!?:])\s+|\n\s*\n|(?:^|\n)[\s>]*(?:[-*|]|\d+\.)\s+|\s\|\s/u)
  return sentences.map((sentence) => sentence.trim())
}

function proseOf(path: string, text: string): string {
  if (path.endsWith('.md')) return text.replaceAll(/^```[^]*?^```|^#.*$/gmu, '')
  const lines = text.split('\n').map((line) => (/^\s*(?:\/\/|\/?\*)/u.test(line) ? line : '\n'))
  return lines.map((line) => line.replaceAll(/^\s*(?:\/\/|\/?\*+)|\*\/\s*$/gu, '').trim()).join('\n')
}

/** Returns each fault of a file: a line or a sentence. */
export function faultsOf(path: string, text: string): string[] {
  const lines = path.endsWith('.md') ? [] : text.split('\n')
  const long = lines.filter((line) => comment.test(line) && line.length > columns && !unbreakable.test(line))
  const foreign = lists.test(path) ? [] : text.split('\n').filter((line) => privateWords.test(line))
  return [...long, ...foreign, ...sentencesOf(proseOf(path, text)).filter((sentence) => clause.test(sentence))]
}

/** Returns the faults of all files under the paths that Git does not ignore, each with its file. */
export function faultsIn(...paths: string[]): string[] {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...paths], {
    cwd: root,
    encoding: 'utf8',
  }).split('\n')
  return files
    .filter((file) => /\.(?:ts|js|mjs|md|py)$/u.test(file) && !file.includes('/wire/messages.') && existsSync(join(root, file)))
    .flatMap((file) => faultsOf(file, readFileSync(join(root, file), 'utf8')).map((fault) => `${file}: ${fault.trim()}`))
}

if (import.meta.main) {
  const faults = faultsIn(...process.argv.slice(2))
  process.stdout.write(`${[...faults, `${faults.length} faults`].join('\n')}\n`)
  process.exitCode = faults.length === 0 ? 0 : 1
}
