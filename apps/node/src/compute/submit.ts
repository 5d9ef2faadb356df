import { existsSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import type { BlobReference } from '@jel/compute'
import type { Pool } from '@jel/jel'
import { UsageError } from '../usage-error.ts'
import { outcomeOf } from './job-events.ts'
import { visit, type MemberFlags } from './member.ts'
import { tellerOf } from './teller.ts'

export interface SubmitFlags extends MemberFlags {
  readonly name?: string
  /** ms */
  readonly keep?: number
  readonly detach?: boolean
  readonly votes?: number
  /** Files, by the fields of the input that name them. */
  readonly blob: Readonly<Record<string, string>>
}

/** Submits a job and follows it to its end, or, with `--detach`, until others have it. Returns the exit status. */
export async function submit(pool: string, file: string, fn: string, input: string | undefined, flags: SubmitFlags): Promise<number> {
  const value = parseInput(input)
  const files = Object.entries(flags.blob)
  if (files.length > 0 && value !== undefined && !isObject(value))
    throw new UsageError(`with --blob INPUT must be an object, whose field ${files[0]?.[0]} names the blob`)
  if (!existsSync(file)) throw new UsageError(`there is no program ${withPath(file)}`)
  for (const [, blob] of files) if (!existsSync(blob)) throw new UsageError(`there is no file ${withPath(blob)}`)
  return await visit(pool, flags, async (visitor, stopped) => {
    const teller = tellerOf(flags.json === true, pool, stopped)
    const met = await visitor.meet()
    if (!met && flags.detach === true) throw new Error(`nobody else is in the pool ${pool}: a job that is left alone would be lost`)
    if (!met)
      process.stderr.write(
        `jel: nobody else is in the pool ${pool} yet; the job waits for members that run \`jel work ${pool}\`. On loopback nodes do not find one another: give --bootstrap with an address that jel work prints\n`,
      )
    visitor.grid.addEventListener('warning', ({ detail: { code, message } }) => {
      if (code === 'PROGRAM_NEEDS_TRUST') process.stderr.write(`jel: the program uses ${message}\n`)
    })
    const { name, keep, votes } = flags
    const blobs: Record<string, BlobReference> = {}
    for (const [field, blob] of files) blobs[field] = await visitor.grid.blob(blob)
    const job = await visitor.grid.submit(file, fn, files.length > 0 ? { ...(value as object | undefined), ...blobs } : value, {
      ...(name !== undefined && { name }),
      ...(keep !== undefined && { keep }),
      ...(votes !== undefined && { votes }),
    })
    teller.tell({ event: 'submitted', job: job.id, name: job.name, replicas: job.replicas })
    if (flags.detach === true) return 0
    stopped.addEventListener('abort', () => {
      teller.close()
      process.stderr.write(`jel: ${farewell(visitor.pool, job.id)}\n`)
    })
    try {
      for await (const progress of job.progress()) teller.tell({ event: 'progress', job: job.id, ...progress })
      const outcome = await outcomeOf(job)
      teller.tell(outcome)
      return outcome.event === 'done' ? 0 : 1
    } finally {
      teller.close()
    }
  })
}

/** Of one that leaves before its job has ended. */
function farewell(pool: Pool, job: string): string {
  return pool.members().length > 1
    ? `the job goes on without this member; its result is told by jel job ${pool.name} ${job} --result`
    : 'nobody else is in the pool: the job ends here'
}

/** pnpm and others start a command in a folder of their own choice. */
function withPath(file: string): string {
  return isAbsolute(file) ? file : `${file} (${resolve(file)})`
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function parseInput(text: string | undefined): unknown {
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UsageError(`INPUT must be JSON, as 24 or '{"cities": 24}': ${error instanceof Error ? error.message : String(error)}`)
  }
}
