/** Reads the constants of the protocol, each with its comment, from the sources. */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { inCheckout } from '../base/paths.ts'

export interface Constant {
  /** Below packages/protocol/src. */
  readonly file: string
  readonly name: string
  /** As the source has it, such as `60_000`, `24 * 3_600_000` or `1, 2, 5`. */
  readonly value: string
  /** The comment, in one line. */
  readonly reason: string
  /** The source from the name to the value. It occurs in the file once. */
  readonly definition: string
}

const sources = inCheckout('packages/protocol/src')

/** Returns the constants by folder and file, those of the outermost folder first. */
export function constants(): readonly Constant[] {
  const files = globSync('**/*.ts', { cwd: sources })
    .filter((file) => !/\.(?:test|bench|d)\.ts$/u.test(file))
    .toSorted()
  const folders = Map.groupBy(files, (file) => dirname(file))
  return [...folders.values()].flat().flatMap((file) => constantsOf(file, readFileSync(join(sources, file), 'utf8')))
}

/**
 * Returns the constants whose comment does not stand directly above them, as `file: name`. The code
 * gives no reason for their values, and {@link constants} leaves them out.
 */
export function uncommented(): readonly string[] {
  const listed = new Set(constants().map(({ file, name }) => `${file}: ${name}`))
  const files = globSync('**/*.ts', { cwd: sources }).filter((file) => !/\.(?:test|bench|d)\.ts$/u.test(file))
  const named = files.toSorted().flatMap((file) => {
    const found = readFileSync(join(sources, file), 'utf8').matchAll(
      /^(?:export )?const (\w+|\[[\w, ]+\])(?:: \w+)? = (?=.*\d)[[\d][\d_.*e ,()/+\]-]*(?:\/\/.*)?$/gmu,
    )
    return [...found].map(([, name = '']) => `${file}: ${plain(name)}`)
  })
  return named.filter((each) => !listed.has(each))
}

/** Returns the constants of a source, and the settings of `config.ts`. Each has a comment. */
function constantsOf(file: string, source: string): Constant[] {
  const pattern = /\/\*\*((?:(?!\*\/).)*)\*\/\n(?:export )?((?:const (\[[\w, ]+\]|\w+)(?:: \w+)? =|    (\w+):) ([[\d][^\n]*?)),?\n/gsu
  return [...source.matchAll(pattern)].flatMap(([, comment = '', definition = '', constant, setting = '', value = '']) =>
    /^[\d_.*\s[\],/()+-]*\d\]?$/u.test(value)
      ? [{ file, name: plain(constant ?? setting), value: plain(value), reason: reasonOf(comment), definition }]
      : [],
  )
}

function plain(text: string): string {
  return text.replaceAll(/[[\]]/gu, '')
}

function reasonOf(comment: string): string {
  return comment
    .replaceAll(/\n? *\* ?|\s+/gu, ' ')
    .replaceAll(/\{@link (\w+)\}/gu, '`$1`')
    .replaceAll('|', String.raw`\|`)
    .trim()
}

/**
 * Returns the definition with a value that is this many times as large. Returns undefined for
 * lists, and for whole numbers that rounding does not change. Times and sizes stay whole.
 */
export function scaled({ definition, value }: Constant, factor: number): string | undefined {
  const factors = value.split('*').map((each) => Number(each.replaceAll('_', '')))
  const number = factors.reduce((product, each) => product * each, 1)
  if (!Number.isFinite(number) || number <= 0) return undefined
  const other = Number.isInteger(number) ? Math.max(1, Math.round(number * factor)) : number * factor
  return other === number ? undefined : `${definition.slice(0, -value.length)}${other}`
}
