import type { HeldTask, Job, JobProgress } from '@jel/compute'
import { JobFailedError } from '@jel/compute'
import { codeOf, messageOf } from '../usage-error.ts'

/** What the commands about jobs tell, one object a line with `--json`; time and pool are added by the writer. */
export type JobEvent =
  | { readonly event: 'submitted'; readonly job: string; readonly name: string; readonly replicas: readonly string[] }
  | ({ readonly event: 'progress'; readonly job: string } & JobProgress)
  | { readonly event: 'done'; readonly job: string; readonly result: unknown }
  | { readonly event: 'cancelled'; readonly job: string }
  | {
      readonly event: 'failed'
      readonly job: string
      readonly code: string
      readonly message: string
      readonly member?: string
      readonly tries?: number
      readonly stack?: string
    }
  | ({
      readonly event: 'job'
      readonly job: string
      readonly name: string
      readonly owner: string
      readonly submitted: number
      readonly expires: number
      readonly replicas: readonly string[]
      /** With `--why`: who holds what. */
      readonly waits?: readonly HeldTask[]
    } & JobProgress)

/** How a job ended, once it has. */
export async function outcomeOf(job: Job): Promise<JobEvent> {
  try {
    return { event: 'done', job: job.id, result: await job.result }
  } catch (error) {
    if (codeOf(error) === 'JOB_CANCELLED') return { event: 'cancelled', job: job.id }
    const failed = { event: 'failed', job: job.id, code: codeOf(error), message: messageOf(error) } as const
    if (!(error instanceof JobFailedError)) return failed
    const { member, tries, remoteStack } = error
    return { ...failed, member, tries, ...(remoteStack === undefined ? {} : { stack: remoteStack }) }
  }
}

/** As a line of `--json`. */
export function jsonLine({ event, ...rest }: JobEvent, pool: string): string {
  return toJson({ event, time: Date.now(), pool, ...rest })
}

/** A value as JSON: large integers and bytes as text, sets and maps as lists. */
export function toJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, (_, each: unknown) => jsonOf(each), indent) ?? 'null'
}

function jsonOf(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString()
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (value instanceof Map || value instanceof Set) return [...(value as Iterable<unknown>)]
  if (ArrayBuffer.isView(value)) return [...(value as unknown as Iterable<unknown>)]
  return value
}
