import { blob, type BlobReference } from './blob.ts'
import { encodeFiles } from './collected-files.ts'
import { CommandFolder } from './command-folder.ts'
import { runCommand } from './command-process.ts'
import { task, type FurtherContext, type TaskContext, type TaskDefinition } from './definitions.ts'
import { defaultTaskLimits } from '../executors/task-limits.ts'
import { parseJson } from './json.ts'

/** A command that is run once for each input. */
export interface Command {
  /** For the shell. `{}` stands for the input, quoted. */
  readonly command: string
  /** Files of its working folder, by name. */
  readonly files: Readonly<Record<string, CommandFile>>
  /** Patterns of the files that its submitter gets. */
  readonly collect?: readonly string[]
}

/** The value of a task whose command makes files for its submitter. */
export interface CommandResult {
  /** Its output: parsed if it is JSON, else the text. */
  readonly value: unknown
  /** Names its files for `files` of the job. */
  readonly files: BlobReference
}

export interface CommandFile {
  /** The CID of its bytes. */
  readonly blob: string
  readonly isExecutable: boolean
}

/**
 * Returns a task that runs a command in a folder of its own. Its value is what the command prints:
 * parsed if it is JSON, else the text; with `collect` a `CommandResult`. It is confined as its
 * machine can.
 *
 * The command gets the input as JSON on its standard input and in `JEL_INPUT`, and in place of
 * `{}`. A text stands for itself there.
 *
 * The task fails with `COMMAND_FAILED` (another status than 0), `COMMAND_SIGNALLED`,
 * `COMMAND_TIMED_OUT`, `COMMAND_DISK_FULL`, `COMMAND_OUTPUT_TOO_LARGE` or
 * `COMMAND_FILES_TOO_LARGE`. The message ends with the end of standard error.
 */
export function commandTask({ command, files, collect = [] }: Command): TaskDefinition<unknown, unknown> {
  return task(async (input, context: TaskContext & FurtherContext) => {
    const { job, path, use, limits = defaultTaskLimits, store } = context
    const contents = new Map<string, Uint8Array>()
    for (const [name, file] of Object.entries(files)) contents.set(name, await use(blob(file.blob)))
    const begin = performance.now()
    const folder = await CommandFolder.make()
    try {
      for (const [name, bytes] of contents) await folder.put(name, bytes, files[name]?.isExecutable === true)
      const json = JSON.stringify(input) ?? 'null'
      const shown = typeof input === 'string' ? input : json
      const line = command.replaceAll('{}', () => quoted(shown))
      const env = { JEL_INPUT: json, JEL_JOB: job, JEL_TASK: path }
      return await runCommand({ command: line, input: `${json}\n`, env, folder, limits, begin }, async (printed) => {
        const value = valueOf(printed)
        return collect.length === 0 ? value : { value, files: await stored(folder, collect, store) }
      })
    } finally {
      await folder.remove()
    }
  })
}

async function stored(folder: CommandFolder, collect: readonly string[], store: FurtherContext['store']): Promise<BlobReference> {
  if (store === undefined) throw Object.assign(new Error('this member collects no files'), { code: 'COMMAND_FILES_UNSUPPORTED' })
  return await store(encodeFiles(await folder.matching(collect)))
}

function valueOf(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return text.replace(/\r?\n$/u, '')
  }
}

/** Quotes a text for the shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
