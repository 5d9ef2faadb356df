import { existsSync } from 'node:fs'
import { extname, isAbsolute, resolve } from 'node:path'
import type { JobEvent } from '../events/job-messages.ts'
import { parseExactJson } from '../base/exact-json.ts'
import { checkWritable } from '../base/replace-file.ts'
import { messageOf, UsageError } from '../base/usage-error.ts'
import { aloneText, Farewell } from './farewell.ts'
import type { JobClientFlags } from './job-client.ts'
import { sendJobCommand } from './job-request.ts'
import { jobReporterOf } from './job-reporter.ts'

export interface SubmitFlags extends JobClientFlags {
  readonly name?: string
  /** ms */
  readonly keep?: number
  readonly detach?: boolean
  readonly votes?: number
  readonly requirements?: string
  readonly after: readonly string[]
  /** ms */
  readonly maxTime?: number
  readonly inputFile?: string
  readonly output?: string
  /** Paths of files, by the fields of the input that name them. */
  readonly blob: Readonly<Record<string, string>>
}

/**
 * Submits a job and follows it to its end. With `--detach` it waits only until another member has
 * the job. Returns the exit status.
 */
export async function submit(pool: string, file: string, fn: string, input: string | undefined, flags: SubmitFlags): Promise<number> {
  const value = parseInput(input)
  const files = Object.entries(flags.blob)
  if (files.length > 0 && value !== undefined && !isObject(value))
    throw new UsageError(`with --blob INPUT must be an object, whose field ${files[0]?.[0]} names the blob`)
  if (!existsSync(file)) throw new UsageError(`there is no program ${withPath(file)}`)
  for (const [, blob] of files) if (!existsSync(blob)) throw new UsageError(`there is no file ${withPath(blob)}`)
  const { inputFile, output } = flags
  if (inputFile !== undefined && files.length > 0 && extname(inputFile).toLowerCase() !== '.json')
    throw new UsageError('with --blob --input-file must be a .json file, whose object names the blobs')
  if (inputFile !== undefined && value !== undefined) throw new UsageError('give INPUT or --input-file, not both')
  if (inputFile !== undefined && !existsSync(inputFile)) throw new UsageError(`there is no file ${withPath(inputFile)}`)
  if (output !== undefined && flags.detach === true) throw new UsageError('--output waits for the result, and --detach does not')
  if (output !== undefined)
    await checkWritable(output).catch((error: unknown) => {
      throw new UsageError(`--output: ${messageOf(error)}`)
    })
  const stopped = new AbortController()
  const reporter = jobReporterOf(flags.json === true, pool, stopped.signal)
  const { name, keep, votes, requirements, after, maxTime, detach = false } = flags
  let last: JobEvent | undefined
  const farewell = new Farewell()
  try {
    const status = await sendJobCommand(pool, flags, {
      command: {
        command: 'submit',
        file: resolve(file),
        function: fn,
        ...(value !== undefined && { input: value }),
        ...(inputFile !== undefined && { inputFile: resolve(inputFile) }),
        ...(output !== undefined && { outputFile: resolve(output) }),
        ...(files.length > 0 && { blobs: Object.fromEntries(files.map(([field, blob]) => [field, resolve(blob)])) }),
        ...(name !== undefined && { name }),
        ...(keep !== undefined && { keep }),
        ...(votes !== undefined && { votes }),
        ...(requirements !== undefined && { requirements }),
        ...(after.length > 0 && { after: [...after] }),
        ...(maxTime !== undefined && { maxTime }),
        ...(!detach && { until: 'ended' }),
      },
      writesFile: output !== undefined,
      report(event) {
        last = event
        farewell.heard(event)
        if (output === undefined || flags.json === true || event.event !== 'done') reporter.report(event)
      },
      async ready(client) {
        farewell.entered(() => client.pool.members().length === 1)
        if (await client.meet()) return
        if (detach) throw new Error(`nobody else is in the pool ${pool}: a job that is left alone would be lost`)
        process.stderr.write(`jel: ${aloneText(pool)}\n`)
      },
      stopped() {
        stopped.abort()
        reporter.close()
        farewell.say(pool)
      },
    })
    return status ?? (detach || last?.event === 'done' ? 0 : 1)
  } finally {
    reporter.close()
  }
}

/** Adds the full path: pnpm and other tools start a command in another folder. */
function withPath(file: string): string {
  return isAbsolute(file) ? file : `${file} (${resolve(file)})`
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function parseInput(text: string | undefined): unknown {
  if (text === undefined) return undefined
  try {
    return parseExactJson(text)
  } catch (error) {
    throw new UsageError(`INPUT must be JSON, as 24 or '{"cities": 24}': ${messageOf(error)}`)
  }
}
