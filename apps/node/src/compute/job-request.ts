import type { JobCommand, JobEvent } from '../events/job-messages.ts'
import { Output } from '../base/output.ts'
import { Stop, stopOnSignals } from '../base/stop.ts'
import { oneLine } from '../base/text.ts'
import { codeOf, UsageError } from '../base/usage-error.ts'
import { ControlClient, namedNode } from '../control/client.ts'
import type { JobClient, JobClientFlags } from './job-client.ts'

/** A command about jobs, and the functions that the command line adds. */
export interface JobRequest {
  readonly command: JobCommand
  readonly report: (event: JobEvent) => void
  /**
   * Whether the command writes a file, and so goes on if nobody reads its standard output. Default:
   * false.
   */
  readonly writesFile?: boolean
  /** Waits until a client that has just entered the pool knows enough. */
  ready(client: JobClient): Promise<void>
  /** Called when the command is stopped, before its client leaves the pool. */
  stopped?(): void
}

/** The exit status of a command that was stopped before it was done. */
const STOPPED = 1

/**
 * Gives the command to the pool's node on this machine. The command itself enters the pool while it
 * runs if there is no such node, if flags describe how to enter, or if `owner` names another key.
 * Returns undefined when done, or the exit status of a stopped command.
 */
export async function sendJobCommand(
  pool: string,
  { timeout, ...flags }: JobClientFlags,
  request: JobRequest,
): Promise<number | undefined> {
  const stop = new Stop()
  stopOnSignals(stop)
  const output = new Output(process.stdout, (reason) => {
    // On a full disk the job still goes on to its end. The exit status says what was lost.
    if (request.writesFile !== true && reason !== 'failed') stop.now(reason === 'gone' ? 'output gone' : 'output behind')
  })
  const timer = timeout === undefined ? undefined : setTimeout(() => stop.now('time'), timeout)
  /**
   * Why the job waits, with a colon in front. If a task hangs, that reason stays until a task ends.
   */
  let why = ''
  let finished = 0
  const report = (event: JobEvent): void => {
    if (event.event === 'waits') why = `: ${oneLine(event.reason)}`
    else if (event.event === 'progress' && event.reason === '' && (event.finished !== finished || event.state !== 'active')) why = ''
    if (event.event === 'progress') ({ finished } = event)
    // A single result may exceed the limit. So the check comes before the result.
    output.check()
    request.report(event)
  }
  const stopped = stop.reason.then((reason) => {
    if (reason === 'time') process.stderr.write(`jel: not done within ${(timeout as number) / 1000} s${why}\n`)
    if (reason === 'output behind') process.stderr.write('jel: standard output is not being read\n')
    request.stopped?.()
    return STOPPED
  })
  try {
    await using node = await runningNode(pool, flags)
    if (node !== undefined && flags.owner === undefined)
      return await Promise.race([node.ask(request.command, (event) => report(event as JobEvent)).then(() => undefined), stopped])
    // A node acts for its own owner. For another owner the command enters the pool through it.
    const bootstrap = node === undefined ? flags.bootstrap : await addressesOf(node)
    // Only this client needs the code of a pool. Without it a command takes 100 ms instead of 160.
    const { JobClient } = await import('./job-client.ts')
    await using client = await JobClient.enter(pool, { ...flags, bootstrap }, stop.signal)
    const run = async (): Promise<undefined> => {
      await request.ready(client)
      await client.run(request.command, report, stop.signal)
    }
    return await Promise.race([run(), stopped])
  } catch (error) {
    if (stop.signal.aborted && codeOf(error) !== 'USAGE') return await stopped
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/** Returns the pool's node on this machine, unless flags describe how to enter the pool. */
async function runningNode(pool: string, flags: JobClientFlags): Promise<ControlClient | undefined> {
  const { bootstrap, listen, keyFile } = flags
  const isOwnMember = bootstrap.length > 0 || listen.length > 0 || keyFile.length > 0
  if (isOwnMember && (flags.node !== undefined || flags.control !== undefined))
    throw new UsageError('--node and --control name a running node, and --bootstrap, --listen and --key-file need none')
  if (isOwnMember) return undefined
  // A job belongs to the pool, so any of several nodes will do.
  return await (namedNode(flags) === undefined ? ControlClient.find(pool, flags, 'any') : ControlClient.connect(pool, flags))
}

async function addressesOf(node: ControlClient): Promise<readonly string[]> {
  const answer = await node.ask({ command: 'status' })
  return answer.event === 'status' ? answer.node.addresses : []
}
