/** Parses the flags of each program of this package, and ends the program. */
import { parseArgs, type ParseArgsConfig } from 'node:util'

type Flags = NonNullable<ParseArgsConfig['options']>
/** The parsed values of the flags. */
export type Values<Options extends Flags> = ReturnType<typeof parseArgs<{ readonly options: Options }>>['values']

/** The request can't be carried out. The program prints one line and exits with status 2. */
export class UsageError extends Error {}

/**
 * Runs a program, which returns its exit status. A mistake of the caller (UsageError, unknown
 * flags) ends the process and all that it started, with status 2 and one line on standard error.
 * Any other error is a bug and comes with its stack.
 */
export async function run(main: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await main()
  } catch (error) {
    if (!(error instanceof UsageError || (error instanceof Error && isUnknownFlag(error)))) throw error
    console.error(error.message)
    process.exit(2)
  }
}

function isUnknownFlag(error: Error): boolean {
  return 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
}

/** An experiment of the command line. */
export interface Command {
  /** The usage text, with all flags. */
  readonly usage: string
  /** Runs it and returns the exit status. `args`: the arguments after its name. */
  run(args: readonly string[]): Promise<number>
}

/** Makes a command that takes flags only. `--help` prints the usage and runs nothing. */
export function command<Options extends Flags>(
  usage: string,
  options: Options,
  main: (values: Values<Options>) => Promise<number>,
): Command {
  return {
    usage,
    run: async (args) => {
      const { values } = parseArgs({ args: [...args], options: { ...options, help: { type: 'boolean' } } })
      if (!('help' in values)) return await main(values)
      process.stdout.write(usage)
      return 0
    },
  }
}

/**
 * Returns the number of a flag. Throws a UsageError that names the flag unless the number is above
 * 0.
 */
export function positive(flag: string, text: string): number {
  const number = Number(text)
  if (number > 0 && number < Infinity) return number
  throw new UsageError(`--${flag} takes a number above 0, not ${quoted(text)}`)
}

/** The same for whole numbers. */
export function whole(flag: string, text: string, least = 1): number {
  const number = Number(text)
  if (text.trim() !== '' && Number.isSafeInteger(number) && number >= least) return number
  throw new UsageError(`--${flag} takes a whole number from ${least} on, not ${quoted(text)}`)
}

/** Parses whole numbers with commas between them. */
export function wholes(flag: string, text: string, least = 1): number[] {
  return text.split(',').map((each) => whole(flag, each, least))
}

/** Returns the one of `known` that `text` names. */
export function oneOf<Name extends string>(flag: string, text: string, known: readonly Name[]): Name {
  const found = known.find((each) => each === text)
  if (found === undefined) throw new UsageError(`--${flag}: there is no ${quoted(text)}; expected of ${known.join(', ')}`)
  return found
}

/** Returns several of `known`, separated by commas. */
export function chosen<Name extends string>(flag: string, text: string, known: readonly Name[]): Name[] {
  return text.split(',').map((name) => oneOf(flag, name, known))
}

function quoted(text: string): string {
  return text === '' ? 'nothing' : text
}
