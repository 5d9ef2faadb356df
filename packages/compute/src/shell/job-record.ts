/** What the owner of a job publishes: a record of at most 1 KiB, which all members of the pool hold until its date. */
import { createHash } from 'node:crypto'
import { Encoder } from 'cbor-x'
import * as v from 'valibot'
import type { PoolRecord } from '@jel/jel'

export const JOB_PREFIX = 'jel.compute/job/'

/** Members that a job may ask to compute each task. A guess. */
export const MAX_VOTES = 7

/** The last date that there is, ms since 1970 (ECMAScript). */
export const MAX_DATE = 8.64e15

/** Bytes of an input that stands in the record itself. */
export const MAX_INLINE_INPUT = 400

/** So long a job may run, as its record lives no longer, ms: 31 days. */
export const MAX_LIFE = 31 * 24 * 60 * 60 * 1000
/** How long a result is kept where its owner does not say, ms: a week. */
export const DEFAULT_KEEP = 7 * 24 * 60 * 60 * 1000

export interface JobRecord {
  /** Of the program, sha-256 in hexadecimal. */
  readonly program: string
  readonly fn: string
  /** Encoded; undefined: it is a blob. */
  readonly input: Uint8Array | undefined
  readonly inputBlob: string | undefined
  /** The list of its blobs; undefined: it has none. */
  readonly blobs: string | undefined
  /** The shared value that is its result; undefined: the value of its root. */
  readonly result: string | undefined
  /** It needs more than a sandbox has: only members that accept its owner run it. */
  readonly trusted: boolean
  /** Members that must have computed each task. */
  readonly votes: number
  /** ms since 1970 */
  readonly submitted: number
  /** How long it is kept after its end, ms. */
  readonly keep: number
  readonly wish: 'run' | 'suspend' | 'cancel'
}

/** A job as the pool knows it. */
export interface PublishedJob extends JobRecord {
  readonly id: string
  readonly name: string
  readonly owner: string
  /** Until when its record, and with it its result, is kept, ms since 1970. */
  expires: number
}

/** How much longer the record of a job that is over is to live, ms; undefined: it lives no longer anyway. */
export function lifeAfterEnd({ keep, expires }: PublishedJob, now: number): number | undefined {
  // What is a second apart is the same word said twice.
  return expires - now > keep + 1000 ? keep : undefined
}

const encoder = new Encoder({ useRecords: false, mapsAsObjects: true, tagUint8Array: false })
const hex = v.pipe(v.string(), v.regex(/^[\da-f]{64}$/u))
const schema = v.object({
  program: hex,
  fn: v.pipe(v.string(), v.maxLength(128)),
  input: v.optional(v.instance(Uint8Array)),
  inputBlob: v.optional(hex),
  blobs: v.optional(hex),
  result: v.optional(v.pipe(v.string(), v.maxLength(64))),
  trusted: v.optional(v.boolean(), false),
  votes: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MAX_VOTES)), 1),
  submitted: v.pipe(v.number(), v.minValue(0), v.maxValue(MAX_DATE)),
  keep: v.optional(v.pipe(v.number(), v.minValue(1), v.maxValue(MAX_LIFE)), DEFAULT_KEEP),
  wish: v.picklist(['run', 'suspend', 'cancel']),
})

/**
 * A name belongs to its owner: two owners' jobs of one name are two jobs. So are two of one name that differ in program, function, input or blobs, where a
 * submitter did not know of the first: what was computed for one must not count for the other.
 */
export function jobId(owner: string, name: string, job: JobRecord): string {
  const input = job.inputBlob ?? Buffer.from(job.input ?? []).toString('hex')
  const optional = [...(job.votes > 1 ? [job.votes] : []), ...(job.blobs === undefined ? [] : [job.blobs])]
  return createHash('sha256')
    .update(JSON.stringify([owner, name, job.program, job.fn, input, ...optional]))
    .digest('hex')
    .slice(0, 20)
}

export function encodeJob(job: JobRecord): Uint8Array {
  const { program, fn, input, inputBlob, blobs, result, trusted, votes, submitted, keep, wish } = job
  const optional = {
    ...(input && { input }),
    ...(inputBlob && { inputBlob }),
    ...(blobs && { blobs }),
    ...(result && { result }),
    ...(trusted && { trusted }),
    ...(votes > 1 && { votes }),
    ...(keep !== DEFAULT_KEEP && { keep }),
  }
  const fields = { program, fn, submitted, wish, ...optional }
  return Uint8Array.from(encoder.encode(fields))
}

/** Undefined for a record that is none of a job. */
export function readJob(record: PoolRecord): PublishedJob | undefined {
  if (!record.name.startsWith(JOB_PREFIX) || record.value === undefined) return undefined
  try {
    const { input, inputBlob, blobs, result, ...rest } = v.parse(schema, encoder.decode(record.value))
    if (input === undefined && inputBlob === undefined) return undefined
    const name = record.name.slice(JOB_PREFIX.length)
    const job = { ...rest, input, inputBlob, blobs, result }
    return { ...job, id: jobId(record.owner, name, job), name, owner: record.owner, expires: record.expires }
  } catch {
    return undefined
  }
}
