import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { blob } from './blob.ts'
import { task, type TaskContext, type TaskDefinition } from './definitions.ts'

/** A command that is run once for each input. */
export interface Command {
  /** For the shell. `{}` stands for the input, quoted. */
  readonly command: string
  /** Files of its working folder, by name. */
  readonly files: Readonly<Record<string, CommandFile>>
}

export interface CommandFile {
  /** The CID of its bytes. */
  readonly blob: string
  readonly isExecutable: boolean
}

/** Most bytes that a command may print on standard output: its value must fit into a message. */
const MAX_OUTPUT = 900_000
/** Characters of standard error in an error. A guess: the last message is shorter. */
const MAX_REASON = 400

/**
 * A shell script that runs a command. It ends the command with all its children, and removes the
 * folder, when descriptor 3 closes: at the latest when this process ends.
 * Children that made a group of their own remain. A background command would lose its input, so the
 * input goes through descriptor 5.
 */
const WATCHED = `exec 5<&0; sh -c "$1" <&5 3<&- 5<&- & command=$!; exec 0<&- 5<&-
(read -r _ <&3; rm -rf "$2"; kill -9 0) & wait $command; status=$?; exec 3<&-; kill $! 2>/dev/null; exit $status`

/**
 * Returns a task that runs a command in a folder of its own. Its value is what the command prints:
 * parsed if it is JSON, else the text. It has all rights of its user.
 *
 * The command gets the input as JSON on its standard input and in `JEL_INPUT`, and in place of
 * `{}`. A text stands for itself there.
 */
export function commandTask({ command, files }: Command): TaskDefinition<unknown, unknown> {
  return task(async (input, context) => {
    const folder = await mkdtemp(join(tmpdir(), 'jel-task-'))
    try {
      for (const [name, file] of Object.entries(files)) {
        await writeFile(join(folder, name), await context.use(blob(file.blob)))
        await chmod(join(folder, name), file.isExecutable ? 0o700 : 0o600)
      }
      return valueOf(await run(command, input, folder, context))
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
}

async function run(command: string, input: unknown, folder: string, { job, path }: TaskContext): Promise<string> {
  const json = JSON.stringify(input) ?? 'null'
  const shown = typeof input === 'string' ? input : json
  const child = spawn('/bin/sh', ['-c', WATCHED, 'sh', command.replaceAll('{}', () => quoted(shown)), folder], {
    cwd: folder,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    env: {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      HOME: folder,
      TMPDIR: folder,
      JEL_INPUT: json,
      JEL_JOB: job,
      JEL_TASK: path,
    },
  })
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>
  try {
    return await outputOf(child, ended, `${json}\n`)
  } finally {
    end(child)
  }
}

async function outputOf(child: ChildProcess, ended: Promise<[number | null, NodeJS.Signals | null]>, input: string): Promise<string> {
  const printed: Buffer[] = []
  let bytes = 0
  let reason = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= MAX_OUTPUT) printed.push(chunk)
    else end(child)
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    reason = (reason + text).slice(-MAX_REASON)
    process.stderr.write(text)
  })
  // The command need not read its input.
  child.stdin?.on('error', () => {})
  child.stdin?.end(input)
  const [status, signal] = await ended
  if (bytes > MAX_OUTPUT) throw coded('COMMAND_FAILED', `the command prints more than ${MAX_OUTPUT} bytes`)
  if (status === 0) return Buffer.concat(printed).toString('utf8')
  throw coded('COMMAND_FAILED', `the command ended with ${signal ?? `status ${status}`}${reason.trim() === '' ? '' : `: ${reason.trim()}`}`)
}

/** Ends a command and its children, also if it has ended itself. */
function end({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // All are gone.
  }
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text.replace(/\r?\n$/u, '')
  }
}

/** Quotes a text for the shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

function coded(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}
