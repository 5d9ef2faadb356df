/** Sweeps: jobs that call one function, or run one command, once for each of many inputs. */
import { checkCommandOptions, checkMapOptions, type CommandOptions, type MapOptions } from '../options.ts'
import type { BlobReference } from '../program/blob.ts'
import { bundleCommand, bundleProgram, sweptName } from './bundle.ts'
import { keepFiles } from './command-files.ts'

/** The input of the root of a sweep. */
export interface SweepInput {
  readonly inputs: readonly unknown[]
  readonly keepGoing: boolean
  readonly retries: number
}

/** The arguments of `submit` for a sweep. `fn`: the function that is called for each input. */
interface PreparedSweep<Options> {
  readonly program: Uint8Array
  readonly fn: string
  readonly input: SweepInput
  readonly options: Options
}

/**
 * Returns a sweep that calls an exported function.
 *
 * @throws InvalidOptionError, ProgramError
 */
export async function functionSweep<Options extends Pick<MapOptions, 'keepGoing' | 'retries'>>(
  program: string,
  fn: string,
  inputs: readonly unknown[],
  options: Options,
): Promise<PreparedSweep<Omit<Options, 'keepGoing' | 'retries'>>> {
  checkMapOptions(options)
  const { keepGoing = false, retries = 0, ...rest } = options
  return { program: await bundleProgram(program, fn), fn: sweptName(fn), input: { inputs, keepGoing, retries }, options: rest }
}

/**
 * Returns a sweep that runs a command.
 *
 * @param keep stores a file of the command as a blob
 * @throws InvalidOptionError
 */
export async function commandSweep<Options extends Pick<CommandOptions, 'keepGoing' | 'retries' | 'files' | 'collect' | 'blobs'>>(
  command: string,
  inputs: readonly unknown[],
  options: Options,
  keep: (path: string) => Promise<BlobReference>,
): Promise<PreparedSweep<Omit<Options, 'keepGoing' | 'retries' | 'files' | 'collect'>>> {
  checkCommandOptions(options)
  const { files: paths = [], collect = [], keepGoing = false, retries = 0, ...rest } = options
  const { files, blobs } = await keepFiles(paths, keep)
  return {
    program: await bundleCommand({ command, files, ...(collect.length > 0 && { collect }) }),
    fn: sweptName(undefined),
    input: { inputs, keepGoing, retries },
    options: { ...rest, blobs: [...(rest.blobs ?? []), ...blobs] },
  }
}
