import type { Grid } from '@jel/compute'
import { electionNameProblem, type Pool, type PoolOptions } from '@jel/jel'
import { allocator, type Allocator } from '@jel/allocate'
import { monitor, type ConstantValues } from '@jel/monitor'
import { RUN_PROGRAM } from './agent/run-program.ts'
import { Agent } from './agent/agent.ts'
import { askLeases, askServices } from './agent/allocation.ts'
import { answerFigures } from './agent/member-figures.ts'
import type { Answer, NodeEvent } from './events/events.ts'
import { Session } from './control/session.ts'
import { Output } from './base/output.ts'
import { controlPath } from './base/local-sockets.ts'
import type { HttpServer } from './http/index.ts'
import { ControlServer } from './control/server.ts'
import type { Handler } from './handlers/handler.ts'
import { Handlers } from './handlers/handlers.ts'
import { logEvent } from './log/entry.ts'
import { SILENT, type Log } from './log/log.ts'
import { logsToTerminal, openLog, type LogFlags, type OpenLog } from './log/open.ts'
import { watchLoop } from './log/slow-loop.ts'
import { OrderTaker } from './orders/order-taker.ts'
import { EarlyWarnings } from './early-warnings.ts'
import { enterPool, poolOptions, type PoolFlags } from './pool-options.ts'
import { jsonReporter, plainReporter, type Reporter } from './terminal/reporter.ts'
import { drain, inputEnds } from './base/standard-input.ts'
import { Stop, stopOnSignals } from './base/stop.ts'
import { WHOLE_ID } from './base/whole-id.ts'
import type { WebFlags } from './web/web-options.ts'
import { codeOf, messageOf, statusOf, UsageError } from './base/usage-error.ts'

/** The flags of `jel join`. */
export interface JoinFlags extends PoolFlags, LogFlags, WebFlags {
  readonly elect: readonly string[]
  readonly on: readonly Handler[]
  /** The ids of the administrators' keys. */
  readonly admin: readonly string[]
  /** Milliseconds. */
  readonly for?: number
  readonly json?: boolean
  /** The path of the control socket; false for none. */
  readonly control?: string | false
  /** The constants that this node states for conditions, by name. */
  readonly constant?: ConstantValues
  /** The capacities that this node offers, by name. */
  readonly offer?: Readonly<Record<string, number>>
  /** The members whose programs (`jel run`) may run here: `members` for all, or ids. */
  readonly runs?: readonly string[]
  /** The address of the page. */
  readonly http?: { readonly host: string; readonly port: number }
  /** The version of this program. */
  readonly version?: string
}

/**
 * The work of a node besides its membership, until it leaves. `note` shows a text to people, and
 * writes it to the log. `--json` does not print the text.
 */
export type Occupation = (agent: Agent, note: (text: string) => void) => Promise<Grid>

/**
 * Runs one node until there is a reason to stop. Returns the exit status. Throws the error that
 * kept the node from starting or from going on.
 */
export async function join(name: string, flags: JoinFlags, occupation?: Occupation): Promise<number> {
  for (const election of flags.elect) checkElection(election)
  const stop = new Stop()
  stopOnSignals(stop)
  await using http = flags.http && (await openHttp(flags.http))
  if (http !== undefined && flags.json !== true) process.stderr.write(`jel: ${http.notice}\n`)
  const output = new Output(process.stdout, (reason) => stop.now(reason === 'behind' ? 'output behind' : 'output gone'))
  const json = flags.json === true ? jsonReporter(output, name) : undefined
  const reporter: Reporter = json ?? (await humanReporter(output, name, stop, flags))
  let opened: OpenLog | undefined
  try {
    opened = openLog(name, flags, (message) => reporter.report({ event: 'error', code: 'LOG_LOST', message }))
    const { log } = opened
    const early = new EarlyWarnings(reporter)
    const web = flags.web === undefined ? undefined : (await import('./web/index.ts')).webOptions(flags)
    const pool = await enter(name, { ...poolOptions(flags), ...(web && { web }) }, stop, early)
    if (pool !== undefined) return await run(pool, flags, { stop, reporter, json, log, http, early }, occupation)
    reporter.report({ event: 'stopped' })
    return 0
  } catch (error) {
    if (statusOf(error) === 1) reporter.report({ event: 'error', code: codeOf(error), message: messageOf(error) })
    opened?.log.error(codeOf(error), messageOf(error))
    throw error
  } finally {
    reporter.close()
    await opened?.[Symbol.asyncDispose]()
  }
}

/** Enters the pool. Returns undefined if the node was stopped meanwhile. */
async function enter(name: string, options: PoolOptions, stop: Stop, early: EarlyWarnings): Promise<Pool | undefined> {
  try {
    return await enterPool(name, { ...options, signal: stop.signal, onWarning: (warning) => early.take(warning) })
  } catch (error) {
    early.close()
    if (stop.signal.aborted) return undefined
    throw error
  }
}

interface Surroundings {
  readonly stop: Stop
  readonly reporter: Reporter
  /** The same reporter, if the output is for a program. */
  readonly json: Reporter<Answer> | undefined
  readonly log: Log
  readonly http: HttpServer | undefined
  readonly early: EarlyWarnings
}

async function run(
  entered: Pool,
  flags: JoinFlags,
  { stop, reporter, json, log, http, early }: Surroundings,
  occupation: Occupation | undefined,
): Promise<number> {
  // The disposal leaves the pool after any error, so that nobody takes the node for dead.
  await using pool = entered
  await using attributes = await monitor(pool)
  attributes.addBuiltIn()
  if (Object.keys(flags.constant ?? {}).length > 0) await attributes.constant(flags.constant ?? {})
  await using allocation = await allocator(pool, attributes)
  for (const [name, total] of Object.entries(flags.offer ?? {})) allocation.offer(name, total)
  if (flags.runs !== undefined && flags.runs.length > 0) await takeRanks(allocation, flags.runs)
  let grid: Promise<Grid> | undefined
  let openedGrid: Grid | undefined
  const agent = new Agent(pool, stop, {
    ...flags,
    log,
    url: http?.url,
    monitor: attributes,
    allocator: allocation,
    // A node that computes nothing loads the code for jobs at the first command about a job.
    runJobCommand: async (command, report, signal) => {
      const { openGrid, runJobCommand } = await import('./compute/job-commands.ts')
      grid ??= openGrid(pool).catch((error: unknown) => {
        // The next command tries again: the disk may have room then.
        grid = undefined
        throw error
      })
      openedGrid = await grid
      await runJobCommand(openedGrid, command, report, signal)
    },
    gridOf: () => openedGrid,
    overview: async () => [
      { event: 'leases', members: await askLeases(pool, allocation) },
      { event: 'services', services: await askServices(pool) },
    ],
  })
  agent.subscribe((event) => logEvent(log, event))
  await OrderTaker.start(pool, log, flags.admin)
  await answerFigures(agent)
  using _loop = log === SILENT ? undefined : watchLoop(log)
  // The socket opens before the first event: a node that has reported its start accepts commands.
  const control = flags.control === false ? undefined : await openControl(agent, flags.control)
  await using _control = control instanceof Error ? undefined : control
  http?.attach(agent)
  if (json !== undefined) void takeCommands(new Session(agent, (event) => json.report(event)), stop)
  else void watchInput(agent, reporter, stop)
  // Handlers subscribe last. So the reporters print an event before the errors of its handlers.
  await using handlers = new Handlers(flags.on, { pool: pool.name, self: pool.self.id, log, report: (event) => agent.report(event) })
  agent.subscribe((event) => handlers.take(event))
  handlers.answer(pool)
  // The socket's error is reported here, because the reporters have subscribed by now.
  if (control instanceof Error)
    agent.report({ event: 'error', code: 'NO_CONTROL_SOCKET', message: `commands can't reach this node: ${control.message}` })
  for (const warning of early.close()) agent.report({ event: 'error', ...warning })
  for (const election of new Set(flags.elect)) void agent.stand(election)
  const timer = flags.for === undefined ? undefined : setTimeout(() => stop.now('time'), flags.for)

  grid = occupation?.(agent, (text) => {
    log.info('COMPUTING', text)
    if (!agent.stopping) reporter.note(text)
  })
  openedGrid = await grid

  const end = await Promise.race([stop.reason, pool.closed])
  clearTimeout(timer)
  log.info('LEAVING', `leaving the pool: ${typeof end === 'object' ? end.reason : end}`)
  // The node takes no more keys and commands, however it ended. Only the first reason counts.
  stop.now('pool closed')
  process.stdin.destroy()
  if (typeof end === 'object' && end.reason === 'failed') throw end.error
  // A command has reported why a grid could not open.
  const opened = await grid?.catch(() => undefined)
  await opened?.close()
  await pool.leave()
  agent.report({ event: 'stopped' })
  if (end !== 'output behind') return 0
  throw new Error('standard output is not being read')
}

async function takeCommands(session: Session, stop: Stop): Promise<void> {
  const ends = inputEnds()
  await session.follow(process.stdin)
  if (ends) stop.now('input ended')
}

/**
 * Ignores the text of standard input, except for the keys of the live view. The end of the input
 * stops the node if `inputEnds` returns true.
 */
async function watchInput(agent: Agent, reporter: Reporter, stop: Stop): Promise<void> {
  agent.subscribe((event) => reporter.report(event))
  const session = new Session(agent, () => {})
  reporter.follow?.(async (command) => await session.run(command, stop.signal, (event) => reporter.report(event as NodeEvent)))
  if (!inputEnds()) return
  await drain(process.stdin)
  stop.now('input ended')
}

/** Loads the HTTP server only when it is needed. */
async function openHttp(address: { readonly host: string; readonly port: number }): Promise<HttpServer> {
  const { HttpServer } = await import('./http/index.ts')
  return await HttpServer.open(address)
}

/**
 * Opens the control socket. Returns an error, because a node can do without a socket. Throws the
 * error if a flag gave the path.
 */
async function openControl(agent: Agent, path: string | undefined): Promise<ControlServer | Error> {
  try {
    return await ControlServer.open(agent, path ?? controlPath(agent.pool.name, agent.pool.self.id))
  } catch (error) {
    if (path !== undefined) throw error
    return error instanceof Error ? error : new Error(messageOf(error))
  }
}

/**
 * Lets these members run programs here with `jel run`. An id must be complete: others can make an
 * id with a given end.
 */
async function takeRanks(allocation: Allocator, runs: readonly string[]): Promise<void> {
  const wrong = runs.find((each) => each !== 'members' && !WHOLE_ID.test(each))
  if (wrong !== undefined) throw new UsageError(`--runs ${JSON.stringify(wrong)}: must be members, or the whole id of a member`)
  const { processProgram } = await import('@jel/allocate/process')
  allocation.program(RUN_PROGRAM, processProgram(), (member) => runs.some((each) => each === 'members' || each === member))
}

function checkElection(name: string): void {
  const problem = electionNameProblem(name)
  if (problem !== undefined) throw new UsageError(`--elect: the election name ${problem}`)
}

async function humanReporter(output: Output, pool: string, stop: Stop, flags: LogFlags): Promise<Reporter> {
  const { canDraw } = await import('./terminal/screen.ts')
  // Log lines on the terminal would disturb the picture. With them there is no picture.
  if (!canDraw(process.stdout) || logsToTerminal(flags)) return plainReporter(output)
  const { LiveReporter } = await import('./terminal/live.ts')
  return new LiveReporter({ pool, verb: 'leave', quit: () => stop.now('command'), signal: stop.signal })
}
