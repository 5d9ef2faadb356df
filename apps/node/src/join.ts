import { electionNameProblem, joinPool, type Pool, type PoolOptions } from '@jel/jel'
import { Control, inputEnds, waitForEnd } from './control.ts'
import { ElectedLog } from './elected-log.ts'
import { healthEvent, nodeJson, recordJson, withRe, type NodeEvent } from './events.ts'
import { Output } from './output.ts'
import { poolOptions, type PoolFlags } from './pool-options.ts'
import { jsonReporter, plainReporter, type Reporter } from './reporter.ts'
import { Stop, stopOnSignals } from './stop.ts'
import { codeOf, messageOf, statusOf, UsageError } from './usage-error.ts'

/** The flags of `jel join`. */
export interface JoinFlags extends PoolFlags {
  readonly elect: readonly string[]
  /** Milliseconds. */
  readonly for?: number
  readonly json?: boolean
}

/** What a node does besides being a member, until it leaves. `note` tells people only: it is no part of what `--json` promises. */
export type Occupation = (pool: Pool, report: (event: NodeEvent) => void, note: (text: string) => void) => Promise<AsyncDisposable>

/** Runs one node until there is a reason to stop. Returns the exit status; throws what kept it from starting. */
export async function join(name: string, flags: JoinFlags, occupation?: Occupation): Promise<number> {
  for (const election of flags.elect) checkElection(election)
  const stop = new Stop()
  stopOnSignals(stop)
  const output = new Output(process.stdout, (reason) => stop.now(reason === 'gone' ? 'output gone' : 'output behind'))
  const reporter = await chooseReporter(flags, output, name)
  try {
    const pool = await enter(name, poolOptions(flags), stop)
    if (pool !== undefined) return await run(pool, flags, stop, reporter, occupation)
    reporter.report({ event: 'stopped' })
    return 0
  } catch (error) {
    if (statusOf(error) === 1) reporter.report({ event: 'error', code: codeOf(error), message: messageOf(error) })
    throw error
  } finally {
    reporter.close()
  }
}

/** Undefined: stopped before it had entered. */
async function enter(name: string, options: PoolOptions, stop: Stop): Promise<Pool | undefined> {
  try {
    return await joinPool(name, { ...options, signal: stop.signal })
  } catch (error) {
    if (stop.signal.aborted) return undefined
    throw error
  }
}

async function run(pool: Pool, flags: JoinFlags, stop: Stop, reporter: Reporter, occupation: Occupation | undefined): Promise<number> {
  let stopped = false
  const report = (event: NodeEvent): void => {
    // What is answered too late is not told after the last line.
    if (!stopped) reporter.report(event)
    stopped ||= event.event === 'stopped'
  }
  const elected = new ElectedLog(report)
  tell(pool, report, elected, flags.found === true)
  const control = new Control(pool, report, elected, stop)
  for (const election of new Set(flags.elect)) void candidate(pool, election, report, elected)
  if (flags.json === true) void control.follow(process.stdin, inputEnds())
  else if (inputEnds()) void waitForEnd(process.stdin, stop)
  const timer = flags.for === undefined ? undefined : setTimeout(() => stop.now('time'), flags.for)

  const occupied = await occupation?.(pool, report, (text) => stopped || reporter.note(text))

  const end = await Promise.race([stop.reason, pool.closed])
  clearTimeout(timer)
  process.stdin.destroy()
  if (typeof end === 'object' && end.reason === 'failed') throw end.error
  await occupied?.[Symbol.asyncDispose]()
  await pool.leave()
  report({ event: 'stopped', ...withRe(control.leaveId) })
  if (end !== 'output behind') return 0
  throw new Error('standard output is not being read')
}

async function candidate(pool: Pool, election: string, report: (event: NodeEvent) => void, elected: ElectedLog): Promise<void> {
  try {
    elected.tell(await pool.elect(election))
  } catch (error) {
    if (codeOf(error) !== 'POOL_LEFT') report({ event: 'error', code: codeOf(error), message: messageOf(error) })
  }
}

/** Listeners first, then the state: in one go, so that nothing happens in between. */
function tell(pool: Pool, report: (event: NodeEvent) => void, elected: ElectedLog, founds: boolean): void {
  for (const type of ['joined', 'left', 'died', 'updated'] as const) {
    pool.addEventListener(type, ({ detail }) => report({ event: type, node: nodeJson(detail) }))
  }
  pool.addEventListener('elected', ({ detail }) => elected.tell(detail))
  pool.addEventListener('signal', ({ detail }) => report({ event: 'signal', name: detail.name, node: nodeJson(detail.from) }))
  pool.addEventListener('record', ({ detail }) => report({ event: 'record', ...recordJson(detail) }))
  pool.addEventListener('health', ({ detail }) => report(healthEvent(detail)))
  pool.addEventListener('warning', ({ detail }) => report({ event: 'error', code: detail.code, message: detail.message }))

  const { self } = pool
  report({ event: 'started', node: nodeJson(self) })
  report({ event: 'joined', node: nodeJson(self) })
  for (const member of pool.members()) {
    if (member.id !== self.id) report({ event: 'joined', node: nodeJson(member) })
  }
  for (const record of pool.records()) report({ event: 'record', ...recordJson(record) })
  const meanwhile = founds ? '' : ', and stands in no election meanwhile'
  for (const { address, reason } of pool.health().introducers) {
    const message = reason.includes(address) ? reason : `${address}: ${reason}`
    report({ event: 'error', code: 'INTRODUCER_UNREACHABLE', message: `${message} (goes on trying${meanwhile})` })
  }
}

function checkElection(name: string): void {
  const problem = electionNameProblem(name)
  if (problem !== undefined) throw new UsageError(`--elect: the election name ${problem}`)
}

async function chooseReporter(flags: JoinFlags, output: Output, pool: string): Promise<Reporter> {
  if (flags.json === true) return jsonReporter(output, pool)
  // A terminal that does not know its size says 0: there is no room to draw in.
  const { isTTY, columns, rows } = process.stdout
  if (!isTTY || columns === 0 || rows === 0 || process.env['TERM'] === 'dumb') return plainReporter(output)
  const { liveReporter } = await import('./live.ts')
  return liveReporter(process.stdout, pool)
}
