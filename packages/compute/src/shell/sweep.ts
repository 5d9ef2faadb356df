/** Sweeps: jobs that call one function, or run one command, once for each of many inputs. */
import { checkCommandOptions, checkMapOptions, type CommandOptions, type MapOptions } from '../options.ts'
import type { BlobReference } from '../program/blob.ts'
import { bundleCommand, bundleProgram } from './bundle.ts'
import { keepFiles } from './command-files.ts'

/** The arguments of `submit` for a sweep. Its function is `SWEEP`. */
interface Sweep<Options> {
  readonly program: Uint8Array
  readonly input: { readonly inputs: readonly unknown[]; readonly keepGoing: boolean; readonly retries: number }
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
): Promise<Sweep<Omit<Options, 'keepGoing' | 'retries'>>> {
  checkMapOptions(options)
  const { keepGoing = false, retries = 0, ...rest } = options
  return { program: await bundleProgram(program, fn), input: { inputs, keepGoing, retries }, options: rest }
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
): Promise<Sweep<Omit<Options, 'keepGoing' | 'retries' | 'files' | 'collect'>>> {
  checkCommandOptions(options)
  const { files: paths = [], collect = [], keepGoing = false, retries = 0, ...rest } = options
  const { files, blobs } = await keepFiles(paths, keep)
  return {
    program: await bundleCommand({ command, files, ...(collect.length > 0 && { collect }) }),
    input: { inputs, keepGoing, retries },
    options: { ...rest, blobs: [...(rest.blobs ?? []), ...blobs] },
  }
}
