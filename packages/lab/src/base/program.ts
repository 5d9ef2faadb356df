/** How each program of these folders reads its flags, and how it ends. */
import { parseArgs, type ParseArgsConfig } from 'node:util'

type Flags = NonNullable<ParseArgsConfig['options']>
/** What stands behind the flags. */
export type Values<Options extends Flags> = ReturnType<typeof parseArgs<{ readonly options: Options }>>['values']

/** It can't be done as it was asked for. Told in a line, exit status 2. */
export class UsageError extends Error {}

/**
 * Runs a program; what it returns is its exit status. Mistakes of the caller (UsageError, unknown flags) end the process with
 * status 2 and one line on standard error, with all that it has started; anything else is a bug, and comes with its stack.
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

/** An experiment as the command line runs it. */
export interface Command {
  /** How it is used, with all its flags. */
  readonly usage: string
  /** Runs it; what it returns is the exit status. `args`: what stands behind its name. */
  run(args: readonly string[]): Promise<number>
}

/** One with flags only. `--help` shows how it is used, and nothing is run. */
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

/** The number behind a flag. Throws UsageError naming the flag where it is not above 0. */
export function positive(flag: string, text: string): number {
  const number = Number(text)
  if (number > 0 && number < Infinity) return number
  throw new UsageError(`--${flag} takes a number above 0, not ${quoted(text)}`)
}

/** The same for numbers of things. */
export function whole(flag: string, text: string, least = 1): number {
  const number = Number(text)
  if (text.trim() !== '' && Number.isSafeInteger(number) && number >= least) return number
  throw new UsageError(`--${flag} takes a whole number from ${least} on, not ${quoted(text)}`)
}

/** Whole numbers with commas between them. */
export function wholes(flag: string, text: string, least = 1): number[] {
  return text.split(',').map((each) => whole(flag, each, least))
}

/** One of `known`. */
export function oneOf<Name extends string>(flag: string, text: string, known: readonly Name[]): Name {
  const found = known.find((each) => each === text)
  if (found === undefined) throw new UsageError(`--${flag}: there is no ${quoted(text)}; expected of ${known.join(', ')}`)
  return found
}

/** Some of `known`, with commas between them. */
export function chosen<Name extends string>(flag: string, text: string, known: readonly Name[]): Name[] {
  return text.split(',').map((name) => oneOf(flag, name, known))
}

function quoted(text: string): string {
  return text === '' ? 'nothing' : text
}
