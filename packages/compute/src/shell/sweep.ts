/** Sweeps: jobs that call one function, or run one command, once for each of many inputs. */
import { InvalidOptionError } from '@jel/jel'
import { checkCommandOptions, checkMapOptions, type CommandOptions, type MapOptions, type SubmitOptions } from '../options.ts'
import { blobsIn, type BlobReference } from '../program/blob.ts'
import { decodeLarge, MAX_RESULT_BYTES } from '../program/stored-value.ts'
import { encodeValue, MAX_VALUE_BYTES } from '../program/values.ts'
import { MAX_ITEMS } from '../schemas.ts'
import { bundleCommand, bundleProgram, sweptName } from './bundle.ts'
import { keepFiles } from './command-files.ts'

/**
 * Maximum bytes of encoded inputs in the input of the root. A guess: the input has room for twice
 * as many.
 */
const MAX_INLINE = MAX_VALUE_BYTES / 2

/** The inputs of a sweep, and how it treats them. */
export interface SweepInput {
  readonly inputs: readonly unknown[]
  readonly keepGoing: boolean
  readonly retries: number
}

/** The arguments of `submit` for a sweep. `fn`: the function to call for each input. */
interface PreparedSweep<Options> {
  readonly program: Uint8Array
  readonly fn: string
  readonly input: SweepInput
  /**
   * The input of the root task. If the inputs are many, it contains the name of their blob instead.
   */
  readonly rootInput: unknown
  readonly options: Options & { readonly blobs: readonly BlobReference[] }
}

/** Stores bytes, or a file, as a blob. */
type Keep = (source: string | Uint8Array) => Promise<BlobReference>

/**
 * Returns a sweep that calls an exported function.
 *
 * @throws InvalidOptionError, ProgramError; UnclonableError, ValueTooLargeError for its inputs
 */
export async function functionSweep<Options extends Pick<MapOptions, 'keepGoing' | 'retries' | 'blobs'>>(
  program: string,
  fn: string,
  inputs: readonly unknown[],
  options: Options,
  keep: Keep,
): Promise<PreparedSweep<Omit<Options, 'keepGoing' | 'retries' | 'blobs'>>> {
  checkMapOptions(options)
  const { keepGoing = false, retries = 0, blobs = [], ...rest } = options
  const input = { inputs, keepGoing, retries }
  const { rootInput, blobs: named } = await rootOf(input, keep)
  return {
    program: await bundleProgram(program, fn),
    fn: sweptName(fn),
    input,
    rootInput,
    options: { ...rest, blobs: [...blobs, ...named] },
  }
}

/** Returns the input of the root of a sweep, and the blobs that its inputs name. */
async function rootOf(input: SweepInput, keep: Keep): Promise<{ rootInput: unknown; blobs: readonly BlobReference[] }> {
  if (input.inputs.length > MAX_ITEMS) throw new InvalidOptionError(`inputs: a sweep has at most ${MAX_ITEMS}`)
  const encoded = encodeValue(input.inputs, MAX_RESULT_BYTES)
  if (encoded.length <= MAX_INLINE) return { rootInput: input, blobs: [] }
  // The root must be able to read them.
  decodeLarge(encoded)
  return { rootInput: { ...input, inputs: await keep(encoded) }, blobs: blobsIn(input.inputs) }
}

/**
 * Returns a sweep that runs a command.
 *
 * @throws InvalidOptionError; UnclonableError, ValueTooLargeError for its inputs
 */
export async function commandSweep<Options extends Omit<CommandOptions, keyof SubmitOptions> & Pick<CommandOptions, 'blobs'>>(
  command: string,
  inputs: readonly unknown[],
  options: Options,
  keep: Keep,
): Promise<PreparedSweep<Omit<Options, 'keepGoing' | 'retries' | 'files' | 'collect' | 'persistent' | 'container' | 'blobs'>>> {
  checkCommandOptions(options)
  const {
    files: paths = [],
    collect = [],
    persistent = false,
    container,
    keepGoing = false,
    retries = 0,
    blobs: given = [],
    ...rest
  } = options
  if (persistent && collect.length > 0) throw new InvalidOptionError('collect: a persistent command hands over no files')
  if (persistent && command.includes('{}'))
    throw new InvalidOptionError('command: a persistent command reads its inputs from standard input, and {} stands for none')
  if (isInQuotes(command, '{}')) throw new InvalidOptionError('command: {} has its own quotes; leave out those around it')
  const { files, blobs } = await keepFiles(paths, keep)
  const input = { inputs, keepGoing, retries }
  const { rootInput, blobs: named } = await rootOf(input, keep)
  return {
    program: await bundleCommand({
      command,
      files,
      ...(collect.length > 0 && { collect }),
      ...(persistent && { isPersistent: true }),
      ...(container !== undefined && { image: container }),
    }),
    fn: sweptName(undefined),
    input,
    rootInput,
    options: { ...rest, blobs: [...given, ...blobs, ...named] },
  }
}

/** Whether a command for the shell has this text within quotes. */
function isInQuotes(command: string, text: string): boolean {
  let quote = ''
  for (let at = 0; at < command.length; at++) {
    const character = command[at] as string
    if (quote !== '' && command.startsWith(text, at)) return true
    if (character === '\\' && quote !== "'") at++
    else if (character === quote) quote = ''
    else if (quote === '' && (character === "'" || character === '"')) quote = character
  }
  return false
}
