import { setTimeout as sleep } from 'node:timers/promises'
import { compute, type Grid } from '@jel/compute'
import type { Pool } from '@jel/jel'
import type { JobCommand, JobEvent } from '../events/job-messages.ts'
import { Output } from '../base/output.ts'
import { Stop, stopOnSignals } from '../base/stop.ts'
import { reasonAt } from '../model/reason-at.ts'
import { oneLine } from '../base/text.ts'
import { codeOf, UsageError } from '../base/usage-error.ts'
import { ControlClient, namedNode, type NodeFlags } from '../control/client.ts'
import { enterPool, poolOptions, type PoolFlags } from '../pool-options.ts'
import { runJobCommand } from './job-commands.ts'
import { ownerOf } from './owner.ts'

/** The flags of all commands about jobs. */
export interface JobClientFlags extends PoolFlags, NodeFlags {
  readonly owner?: string
  readonly json?: boolean
  /** The command ends after this time, ms. Default: as long as it takes. */
  readonly timeout?: number
}

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
 * A command waits for the first other member for `MEET`, then for the member's records for `HEAR`,
 * ms. Guesses.
 */
const MEET = 10_000
const HEAR = 1000

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
    await using client = await JobClient.enter(pool, { ...flags, bootstrap }, stop.signal)
    const run = async (): Promise<undefined> => {
      await request.ready(client)
      await runJobCommand(client.grid, request.command, report, stop.signal)
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

/**
 * A member without workers. It lives as long as a command and publishes nothing about itself. It
 * leaves at the end, so that nobody takes it for dead.
 */
class JobClient implements AsyncDisposable {
  readonly pool: Pool
  readonly grid: Grid

  private constructor(pool: Pool, grid: Grid) {
    this.pool = pool
    this.grid = grid
  }

  static async enter(name: string, flags: JobClientFlags, signal: AbortSignal): Promise<JobClient> {
    const owner = await ownerOf(flags.owner)
    const pool = await enterPool(name, { ...poolOptions(flags), signal })
    try {
      return new JobClient(pool, await compute(pool, { owner, visits: true }))
    } catch (error) {
      await pool.leave()
      throw error
    }
  }

  /** Waits for another member. Returns false if nobody came. */
  async meet(): Promise<boolean> {
    for (const end = performance.now() + MEET; performance.now() < end;) {
      if (this.pool.members().length > 1) {
        await sleep(HEAR / 5)
        return true
      }
      await sleep(50)
    }
    return false
  }

  /** The message that nobody came, with the known reasons. */
  get aloneMessage(): string {
    const { introducers } = this.pool.health()
    const why = introducers.map(({ address, reason }) => reasonAt(address, reason)).join('; ')
    const advice = 'on loopback give --bootstrap with an address that jel work prints'
    return `nobody else of the pool ${this.pool.name} was found${why === '' ? `; ${advice}` : ` (${why})`}`
  }

  /** Waits until `done` holds, or other members had time to send their records. */
  async hear(done: () => boolean): Promise<void> {
    for (const end = performance.now() + HEAR; performance.now() < end && !done();) await sleep(50)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.grid.close()
    await this.pool.leave()
  }
}
