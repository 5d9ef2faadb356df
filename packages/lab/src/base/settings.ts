/** The settings of an experiment: flags with defaults, bounds and descriptions. */
import { parseArgs } from 'node:util'

/**
 * The program can't carry out the request of the user. It prints the message and exits with status
 * 2.
 */
export class UsageError extends Error {}

/**
 * The value or values of a flag on the command line; undefined: the flag is missing and has no
 * default.
 */
type Given = string | boolean | readonly string[] | undefined

/**
 * One setting. The flag has the name of the setting in lower case with dashes: `perHost` becomes
 * `--per-host`.
 */
export interface Setting<Value> {
  readonly type: 'string' | 'boolean'
  readonly about: string
  /** Stands behind the flag in the help text: the default, or the kind of value. */
  readonly shown: string
  readonly default?: string
  readonly multiple?: boolean
  /** Returns the value. Throws a UsageError that names the flag. */
  readonly read: (flag: string, given: Given) => Value
}

export type Settings = Readonly<Record<string, Setting<unknown>>>
/** The values of the settings. */
export type Values<Of extends Settings> = { readonly [Name in keyof Of]: Of[Name] extends Setting<infer Value> ? Value : never }

function valued<Value>(initial: string, about: string, read: (flag: string, text: string) => Value): Setting<Value> {
  return { type: 'string', about, shown: initial, default: initial, read: (flag, given) => read(flag, String(given)) }
}

/** A number above 0. */
export function positive(initial: number, about: string): Setting<number> {
  return valued(String(initial), about, readPositive)
}

/** A number of seconds above 0. The value is in milliseconds. `orNone`: 0 is allowed. */
export function seconds(initial: number, about: string, { orNone = false } = {}): Setting<number> {
  return valued(String(initial), about, (flag, text) => (orNone && text.trim() === '0' ? 0 : readPositive(flag, text) * 1_000))
}

/** A whole number from `least` on. */
export function whole(initial: number, about: string, least = 1): Setting<number> {
  return valued(String(initial), about, (flag, text) => readWhole(flag, text, least))
}

/** Whole numbers from `least` on, separated by commas. */
export function wholes(initial: string, about: string, least = 1): Setting<number[]> {
  return valued(initial, about, (flag, text) => text.split(',').map((each) => readWhole(flag, each, least)))
}

/** One of these names. Default: the first. */
export function oneOf<const Name extends string>(names: readonly Name[], about: string): Setting<Name> {
  return valued(names[0] ?? '', about, (flag, text) => readName(flag, text, names))
}

/** Some of these names, separated by commas. Default: all, or `initial`. */
export function someOf<const Name extends string>(names: readonly Name[], about = '', initial = names.join(',')): Setting<Name[]> {
  return valued(initial, about, (flag, text) => text.split(',').map((name) => readName(flag, name, names)))
}

/** Any text with a default. */
export function text(initial: string, about: string, shown = initial): Setting<string> {
  return { ...valued(initial, about, (_, given) => given), shown }
}

/** A regular expression for names. Default: all names match. */
export function pattern(about: string): Setting<RegExp> {
  const read = (flag: string, given: string): RegExp => {
    try {
      return new RegExp(given, 'u')
    } catch {
      throw new UsageError(`--${flag} takes a regular expression, not ${given}`)
    }
  }
  return { ...valued('', about, read), shown: 'REGEXP' }
}

/** A setting without a default. */
export function optional(shown: string, about: string): Setting<string | undefined>
export function optional<Value>(shown: string, about: string, read: (flag: string, text: string) => Value): Setting<Value | undefined>
export function optional(
  shown: string,
  about: string,
  read: (flag: string, text: string) => unknown = (_, given) => given,
): Setting<unknown> {
  return { type: 'string', about, shown, read: (flag, given) => (given === undefined ? undefined : read(flag, String(given))) }
}

/** A text. The flag may occur several times. */
export function repeated(shown: string, about: string): Setting<readonly string[]> {
  return { type: 'string', about, shown, multiple: true, read: (_, given) => (given as readonly string[] | undefined) ?? [] }
}

/** A flag without a value. */
export function flag(about: string): Setting<boolean> {
  return { type: 'boolean', about, shown: '', read: (_, given) => given === true }
}

export function readPositive(name: string, given: string): number {
  const number = Number(given)
  if (number > 0 && number < Infinity) return number
  throw new UsageError(`--${name} takes a number above 0, not ${quoted(given)}`)
}

export function readWhole(name: string, given: string, least = 1): number {
  const number = Number(given)
  if (given.trim() !== '' && Number.isSafeInteger(number) && number >= least) return number
  throw new UsageError(`--${name} takes a whole number from ${least} on, not ${quoted(given)}`)
}

function readName<Name extends string>(name: string, given: string, known: readonly Name[]): Name {
  const found = known.find((each) => each === given)
  if (found === undefined) throw new UsageError(`--${name}: there is no ${quoted(given)}; expected of ${known.join(', ')}`)
  return found
}

/** Parses the arguments of an experiment. Throws a UsageError for unknown flags and bad values. */
export function parse<Of extends Settings>(
  settings: Of,
  args: readonly string[],
): { readonly values: Values<Of>; readonly operands: readonly string[] } {
  const entries = Object.entries(settings).map(([name, setting]) => ({ name, flag: flagOf(name), setting }))
  const options = Object.fromEntries(
    entries.map(({ flag: name, setting: { type, multiple = false, default: initial } }) => [
      name,
      { type, multiple, ...(initial !== undefined && { default: initial }) },
    ]),
  )
  const { values: given, positionals } = parsed(args, options)
  const values = Object.fromEntries(entries.map(({ name, flag: each, setting }) => [name, setting.read(each, given[each] as Given)]))
  return { values: values as Values<Of>, operands: positionals }
}

function parsed(args: readonly string[], options: NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>['options']>) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    throw error instanceof Error && 'code' in error ? new UsageError(error.message) : error
  }
}

/** The help text: one line for each setting. */
export function describe(settings: Settings): string {
  const lines = Object.entries(settings).map(([name, { about, shown }]) => [`--${flagOf(name)} ${shown}`.trimEnd(), about] as const)
  const width = Math.max(...lines.map(([first]) => (first.length > 30 ? 0 : first.length)))
  return lines.map(([first, about]) => `  ${first.padEnd(width)}   ${about}`.trimEnd()).join('\n')
}

function flagOf(name: string): string {
  return name.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)
}

function quoted(given: string): string {
  return given === '' ? 'nothing' : given
}
