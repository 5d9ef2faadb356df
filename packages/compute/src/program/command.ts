import { blob, type BlobReference } from './blob.ts'
import { encodeFiles } from './collected-files.ts'
import { CommandFolder, type FolderFile } from './command-folder.ts'
import { runCommand } from './command-run.ts'
import { task, type FurtherContext, type TaskContext, type TaskDefinition } from './definitions.ts'
import { defaultTaskLimits } from './task-limits.ts'
import { parseJson } from './json.ts'
import { markFault } from './machine-fault.ts'
import { PersistentCommand } from './persistent-command.ts'

/** Maximum bytes of an argument or a variable of a command: Linux has this limit. */
const MAX_ARGUMENT = 131_071

/** A command that runs once for each input. */
export interface Command {
  /** The text for the shell. `{}` stands for the quoted input. */
  readonly command: string
  /** Files of its working folder, by name. */
  readonly files: Readonly<Record<string, CommandFile>>
  /** Patterns of the files that its submitter gets. */
  readonly collect?: readonly string[]
  /** Whether one process of the command handles many inputs. */
  readonly isPersistent?: boolean
  /** The name of the container image in which the command runs. */
  readonly image?: string
}

/** The value of a task whose command makes files for its submitter. */
export interface CommandResult {
  /** The output of the command: parsed if it is JSON, else the text. */
  readonly value: unknown
  /** Names the files for the method `files` of the job. */
  readonly files: BlobReference
}

export interface CommandFile {
  /** The CID of its bytes. */
  readonly blob: string
  readonly isExecutable: boolean
}

/**
 * Returns a task that runs a command in a folder of its own. The value of the task is the output of
 * the command: parsed if it is JSON, else the text; with `collect` a `CommandResult`. The machine
 * confines the command as far as it can.
 *
 * The command gets the input as JSON on its standard input, in `JEL_INPUT`, and in place of `{}`.
 * In place of `{}` a string appears as it is, not as JSON. An input of more than 128 KiB comes on
 * standard input only. A persistent command gets its inputs as lines; see `PersistentCommand`.
 *
 * The task fails with `COMMAND_FAILED` (another status than 0), `COMMAND_SIGNALLED`,
 * `COMMAND_TIMED_OUT`, `COMMAND_DISK_FULL`, `COMMAND_OUTPUT_TOO_LARGE` or
 * `COMMAND_FILES_TOO_LARGE`. The message ends with the end of standard error. If the machine is to
 * blame, for example because its disk is full or no container starts, other members try the task.
 */
export function commandTask(command: Command): TaskDefinition<unknown, unknown> {
  const run = command.isPersistent === true ? persistent(command) : single(command)
  return task(async (input, context) => {
    try {
      return await run(input, context)
    } catch (error) {
      throw markFault(error)
    }
  })
}

type CommandFunction = (input: unknown, context: TaskContext & FurtherContext) => Promise<unknown>

function single({ command, files, collect = [], image }: Command): CommandFunction {
  return async (input, { job, path, use, limits = defaultTaskLimits, store }) => {
    const contents = await contentsOf(files, use)
    const begin = performance.now()
    const folder = await CommandFolder.make()
    try {
      await folder.fill(contents)
      const json = JSON.stringify(input) ?? 'null'
      const shown = typeof input === 'string' ? input : json
      const line = command.replaceAll('{}', () => quoted(shown))
      if (Buffer.byteLength(line) > MAX_ARGUMENT)
        throw Object.assign(new Error('the input is too long for {}: the command can read it from standard input'), {
          code: 'COMMAND_FAILED',
        })
      const isShort = Buffer.byteLength(json) + 'JEL_INPUT='.length <= MAX_ARGUMENT
      const env = { ...(isShort && { JEL_INPUT: json }), JEL_JOB: job, JEL_TASK: path }
      return await runCommand({ command: line, input: `${json}\n`, env, folder, limits, image, begin }, async (printed) => {
        const value = valueOf(printed)
        return collect.length === 0 ? value : { value, files: await stored(folder, collect, store) }
      })
    } finally {
      await folder.remove()
    }
  }
}

/** Codes of faults that the current input alone causes, not the inputs before it. */
const OWN_FAULTS = new Set(['COMMAND_TIMED_OUT', 'COMMAND_OUTPUT_TOO_LARGE'])

/**
 * Any other fault that ends the process fails the input only if the process is new. Otherwise
 * earlier inputs may have caused the end, for example by memory that they left behind. Then another
 * process gets the input.
 */
function persistent({ command, files, image }: Command): CommandFunction {
  const idle: PersistentCommand[] = []
  return async (input, { job, use, limits = defaultTaskLimits, saved, save, onLeft }) => {
    const contents = await contentsOf(files, use)
    const begin = performance.now()
    for (;;) {
      const used = idle.pop()
      const process = used ?? (await PersistentCommand.start({ command, files: contents, env: { JEL_JOB: job }, limits, image }))
      // Otherwise the process would go on with this input beside the next task.
      let hasLeft = false
      onLeft?.(() => {
        hasLeft = true
        void process.remove()
      })
      try {
        return await process.valueOf(input, begin, { saved, save })
      } catch (error) {
        // This run is over, and has no outcome.
        if (hasLeft) await new Promise<never>(() => {})
        const isOwn = OWN_FAULTS.has(String((error as { readonly code?: string }).code))
        if (!process.hasEnded || used === undefined || isOwn) throw error
      } finally {
        if (process.hasEnded) await process.remove()
        else idle.push(process)
      }
    }
  }
}

async function contentsOf(files: Command['files'], use: TaskContext['use']): Promise<readonly FolderFile[]> {
  const contents: FolderFile[] = []
  for (const [name, file] of Object.entries(files))
    contents.push({ name, bytes: await use(blob(file.blob)), isExecutable: file.isExecutable })
  return contents
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
