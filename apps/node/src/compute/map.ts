import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { MapOutcome } from '@jel/compute'
import type { JobEvent } from '../events/job-messages.ts'
import { UsageError } from '../base/usage-error.ts'
import { aloneText, Farewell } from './farewell.ts'
import type { JobClientFlags } from './job-client.ts'
import { sendJobCommand } from './job-request.ts'
import { jobReporterOf } from './job-reporter.ts'
import { readInputs } from './sweep-inputs.ts'
import { SweepOutput } from './sweep-output.ts'

export interface MapFlags extends JobClientFlags {
  readonly inputs?: string
  readonly command?: string
  readonly files: readonly string[]
  readonly persistent?: boolean
  readonly container?: string
  readonly collect: readonly string[]
  readonly collectTo?: string
  readonly csv?: boolean
  readonly output?: string
  readonly keepGoing?: boolean
  readonly each?: boolean
  readonly retries?: number
  readonly name?: string
  readonly requirements?: string
  readonly after: readonly string[]
  /** ms */
  readonly maxTime?: number
}

/**
 * Calls a function of a file, or a command, once for each input, on the members of a pool. Writes
 * the values in the order of the inputs. Returns the exit status: 1 if an input failed.
 */
export async function map(pool: string, file: string | undefined, fn: string | undefined, flags: MapFlags): Promise<number> {
  const called = calledOf(file, fn, flags)
  if (flags.inputs === undefined) throw new UsageError('--inputs names the file of the inputs; - is standard input')
  const inputs = await readInputs(flags.inputs)
  if (inputs.length === 0) process.stderr.write(`jel: there are no inputs in ${flags.inputs}\n`)
  const output = new SweepOutput(inputs, flags)
  await output.check()
  const { keepGoing = false, retries, requirements, after, maxTime, each = false } = flags
  const { name, ...collected } = collectedOf(flags)
  const stopped = new AbortController()
  const reporter = jobReporterOf(flags.json === true, pool, stopped.signal)
  const farewell = new Farewell()
  let last: JobEvent | undefined
  try {
    const status = await sendJobCommand(pool, flags, {
      command: {
        command: 'map',
        ...called,
        ...collected,
        inputs: [...inputs],
        ...(keepGoing && { keepGoing }),
        ...(each && { each }),
        ...(retries !== undefined && { retries }),
        ...(name !== undefined && { name }),
        ...(requirements !== undefined && { requirements }),
        ...(after.length > 0 && { after: [...after] }),
        ...(maxTime !== undefined && { maxTime }),
        until: 'ended',
      },
      writesFile: flags.output !== undefined || flags.collect.length > 0,
      report(event) {
        last = event
        farewell.heard(event)
        if (event.event === 'outcome') output.one(event)
        const isReported = flags.json === true || (event.event !== 'outcome' && event.event !== 'done')
        if (event.event === 'needs-trust' && flags.command !== undefined && flags.json !== true)
          process.stderr.write('jel: a command runs only on members that accept its owner\n')
        else if (isReported) reporter.report(event)
      },
      async ready(client) {
        farewell.entered(() => client.pool.members().length === 1)
        if (!(await client.meet())) process.stderr.write(`jel: ${aloneText(pool)}\n`)
      },
      stopped() {
        stopped.abort()
        farewell.say(pool)
      },
    })
    if (status !== undefined) return status
    if (last?.event !== 'done') return 1
    const outcomes = outcomesOf(last.result as readonly unknown[], keepGoing)
    await output.all(outcomes)
    const failed = outcomes.filter(({ status: end }) => end === 'rejected').length
    if (failed > 0) process.stderr.write(`jel: ${failed} of ${inputs.length} inputs failed\n`)
    return failed > 0 || output.isLost ? 1 : 0
  } finally {
    reporter.close()
  }
}

function outcomesOf(result: readonly unknown[], isSettled: boolean): readonly MapOutcome[] {
  return isSettled ? (result as readonly MapOutcome[]) : result.map((value) => ({ status: 'fulfilled', value }))
}

/** Returns what is called: a function of a file, or a command with its files. @throws UsageError */
function calledOf(
  file: string | undefined,
  fn: string | undefined,
  { command, files, persistent = false, container }: MapFlags,
): { file: string; function: string } | { shell: string; files: string[]; persistent?: true; container?: string } {
  if (command !== undefined) {
    if (file !== undefined) throw new UsageError('--command: it takes the place of a file and its function')
    return {
      shell: command,
      files: files.map((each) => resolve(each)),
      ...(persistent && { persistent }),
      ...(container !== undefined && { container }),
    }
  }
  if (file === undefined || fn === undefined) throw new UsageError('give a file and a function of it, or --command')
  if (files.length > 0) throw new UsageError('--files: only a command has files')
  if (persistent) throw new UsageError('--persistent: only a command starts anew for each input')
  if (container !== undefined) throw new UsageError('--container: only a command runs in a container')
  if (!existsSync(file)) throw new UsageError(`there is no program ${file} (${resolve(file)})`)
  return { file: resolve(file), function: fn }
}

/**
 * Returns the patterns and the folder of the collected files. The folder has the name of the job,
 * unless `--collect-to` names another. @throws UsageError
 */
function collectedOf({ collect, collectTo, command, name }: MapFlags): { name?: string; collect?: string[]; collectTo?: string } {
  const named = name === undefined ? {} : { name }
  if (collect.length === 0) {
    if (collectTo !== undefined) throw new UsageError('--collect-to: --collect says which files')
    return named
  }
  if (command === undefined) throw new UsageError('--collect: only a command has files')
  const job = name ?? `map-${crypto.randomUUID().slice(0, 8)}`
  if (collectTo === undefined && !/^\w[\w.-]*$/u.test(job))
    throw new UsageError('--collect: the name of the job is no name of a folder; give --collect-to')
  return { name: job, collect: [...collect], collectTo: resolve(collectTo ?? job) }
}
