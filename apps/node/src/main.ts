import { CommanderError } from 'commander'
import { commandLine } from './command-line.ts'
import { flushed, OutputWatch } from './base/output.ts'
import { endOnSignals, wasStopped } from './base/stop.ts'
import { oneLine } from './base/text.ts'
import { messageOf, statusOf, UsageError } from './base/usage-error.ts'

/**
 * The time that the last lines of a stopped command, and its errors, have to reach their reader,
 * ms. A guess.
 */
const FLUSH_TIME = 2000

/**
 * Runs the command line, and ends the process with its status. `script` is the started file; `jel
 * demo` needs it.
 */
export async function main(args: readonly string[], script: string, version: string): Promise<void> {
  const output = new OutputWatch(process.stdout)
  // Messages to a full disk, or to a reader that is gone, are lost. The command goes on.
  process.stderr.on('error', () => {})
  const { status, complaint } = await run(args, script, version)
  if (complaint !== undefined) process.stderr.write(`jel: ${complaint}\n`)
  // A reader such as `less` may read for a long time. So a signal must end the process.
  endOnSignals()
  await flushed(process.stdout, wasStopped() || complaint !== undefined ? FLUSH_TIME : undefined)
  const problem = output.problem
  if (problem !== undefined) process.stderr.write(`jel: can't write to standard output: ${problem}\n`)
  await flushed(process.stderr, FLUSH_TIME)
  process.exit(problem === undefined ? status : status || 1)
}

/** Runs the command line. Returns its exit status, and one line about a failure. */
export async function run(args: readonly string[], script: string, version: string): Promise<{ status: number; complaint?: string }> {
  let status = 0
  const program = commandLine(script, version, (result) => (status = result))
  try {
    if (args.length === 0) throw new UsageError('missing command; jel --help lists them')
    await program.parseAsync(args, { from: 'user' })
    return { status }
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return { status: 0 }
    const wrongUsage = error instanceof CommanderError
    return { status: wrongUsage ? 2 : statusOf(error), complaint: oneLine(messageOf(error)).replace(/^error: /u, '') }
  }
}
