/**
 * The record that the owner of a job publishes. It has at most 1 KiB. All members of the pool keep
 * it until it expires.
 */
import { sha256 } from '#platform/crypto'
import { Encoder } from 'cbor-x'
import * as v from 'valibot'
import type { PoolRecord } from '@jel/jel'
import { toString } from 'uint8arrays'

export const JOB_PREFIX = 'jel.compute/job/'

/** Maximum number of members that compute each task of a job. A guess. */
export const MAX_VOTES = 7

/** The last date that exists, ms since 1970 (ECMAScript). */
export const MAX_DATE = 8.64e15

/** Maximum characters of the requirements of a job. A guess: a record has at most 1 KiB. */
export const MAX_REQUIREMENTS = 256

/** Maximum number of jobs after which a job begins. A guess: a record has at most 1 KiB. */
export const MAX_AFTER = 4

/** The shortest limit of a job's time, ms. A guess: replicas learn of a begin within 0.5 s. */
export const MIN_TIME = 1000

/** Maximum bytes of an input inside the record. A record has at most 1 KiB. */
export const MAX_INLINE_INPUT = 400

/** Maximum number of unknown fields that a warning names. A guess: a release adds one or two. */
const MAX_UNKNOWN = 4
/** Maximum characters of the name of an unknown field in a warning. A guess. */
const MAX_UNKNOWN_LENGTH = 32

/** How long a job may run, ms: 31 days, the longest life of a record. */
export const MAX_LIFETIME = 31 * 24 * 60 * 60 * 1000
/** How long the pool keeps a result by default, ms: a week. A guess. */
export const DEFAULT_KEEP = 7 * 24 * 60 * 60 * 1000

export interface JobRecord {
  /** The hash of the program, sha-256 in hexadecimal. */
  readonly program: string
  readonly fn: string
  /** The encoded input; undefined if it is a blob. */
  readonly input: Uint8Array | undefined
  readonly inputBlob: string | undefined
  /** The hash of the list of the job's blobs; undefined if it has none. */
  readonly blobs: string | undefined
  /**
   * The name of the shared value that is the job's result; undefined: the result is the value of
   * the root.
   */
  readonly result: string | undefined
  /**
   * Whether the program needs more than a sandbox offers. Then only members that accept its owner
   * run the program.
   */
  readonly trusted: boolean
  /** The number of members that must compute each task. */
  readonly votes: number
  /** A condition over the constants of members; undefined: none. */
  readonly requirements: string | undefined
  /** The ids of the jobs after which this one begins. */
  readonly after: readonly string[]
  /** How long the job may run, ms; undefined: as long as its record lives. */
  readonly maxTime: number | undefined
  /** ms since 1970 */
  readonly submitted: number
  /** How long the pool keeps the result after the end of the job, ms. */
  readonly keep: number
  /** The state that the owner wants. In the encoded record the name of this field is `wish`. */
  readonly desired: 'run' | 'suspend' | 'cancel'
}

/** A job as the pool knows it. */
export interface PublishedJob extends JobRecord {
  readonly id: string
  readonly name: string
  readonly owner: string
  /** When its record and its result expire, ms since 1970. */
  expires: number
  /** The version of its record. */
  version: number
}

/**
 * Returns the new lifetime of the record of an ended job, ms; undefined if the record expires soon
 * anyway.
 */
export function lifetimeAfterEnd({ keep, expires }: PublishedJob, now: number): number | undefined {
  // Lifetimes less than a second apart count as equal.
  return expires - now > keep + 1000 ? keep : undefined
}

const encoder = new Encoder({ useRecords: false, mapsAsObjects: true, tagUint8Array: false })
const hex = v.pipe(v.string(), v.regex(/^[\da-f]{64}$/u))
/**
 * A record with another field is no job that this release knows. The field may be a part of the
 * job's id, as `requirements` is. Without it the job would run here as a second job.
 */
const schema = v.strictObject({
  program: hex,
  fn: v.pipe(v.string(), v.maxLength(128)),
  input: v.optional(v.instance(Uint8Array)),
  inputBlob: v.optional(hex),
  blobs: v.optional(hex),
  result: v.optional(v.pipe(v.string(), v.maxLength(64))),
  trusted: v.optional(v.boolean(), false),
  votes: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MAX_VOTES)), 1),
  requirements: v.optional(v.pipe(v.string(), v.maxLength(MAX_REQUIREMENTS))),
  after: v.optional(v.pipe(v.array(v.pipe(v.string(), v.regex(/^[\da-f]{20}$/u))), v.maxLength(MAX_AFTER)), []),
  maxTime: v.optional(v.pipe(v.number(), v.minValue(MIN_TIME), v.maxValue(MAX_LIFETIME))),
  submitted: v.pipe(v.number(), v.minValue(0), v.maxValue(MAX_DATE)),
  keep: v.optional(v.pipe(v.number(), v.minValue(1), v.maxValue(MAX_LIFETIME)), DEFAULT_KEEP),
  wish: v.picklist(['run', 'suspend', 'cancel']),
})

/**
 * Returns the id of a job. Names belong to owners: two owners may have jobs of the same name. Jobs
 * of one name that differ in program, function, input, blobs, votes, requirements, `after` or
 * `maxTime` also have different ids. A submitter may not know the earlier job, and outcomes of one
 * job must not count for the other.
 */
export function jobId(owner: string, name: string, job: JobRecord): string {
  const input = job.inputBlob ?? toString(job.input ?? new Uint8Array(), 'base16')
  const optional = [
    ...(job.votes > 1 ? [job.votes] : []),
    ...(job.blobs === undefined ? [] : [job.blobs]),
    ...(job.requirements === undefined ? [] : [{ requirements: job.requirements }]),
    ...(job.after.length > 0 ? [{ after: job.after }] : []),
    ...(job.maxTime === undefined ? [] : [{ maxTime: job.maxTime }]),
  ]
  return sha256(JSON.stringify([owner, name, job.program, job.fn, input, ...optional])).slice(0, 20)
}

export function encodeJob(job: JobRecord): Uint8Array {
  const { program, fn, input, inputBlob, blobs, result, trusted, votes, requirements, after, maxTime, submitted, keep, desired } = job
  const optional = {
    ...(input && { input }),
    ...(inputBlob && { inputBlob }),
    ...(blobs && { blobs }),
    ...(result && { result }),
    ...(trusted && { trusted }),
    ...(votes > 1 && { votes }),
    ...(requirements !== undefined && { requirements }),
    ...(after.length > 0 && { after }),
    ...(maxTime !== undefined && { maxTime }),
    ...(keep !== DEFAULT_KEEP && { keep }),
  }
  const fields = { program, fn, submitted, wish: desired, ...optional }
  return Uint8Array.from(encoder.encode(fields))
}

/**
 * Returns fields of a job's record that this release does not know. Names no more than
 * {@link MAX_UNKNOWN} of them, and no more than the beginnings of long names.
 */
export function unknownFields({ value }: PoolRecord): string[] {
  try {
    const fields: unknown = value && encoder.decode(value)
    // Bytes and lists have the names of their positions.
    if (typeof fields !== 'object' || fields === null || Object.getPrototypeOf(fields) !== Object.prototype) return []
    const unknown = Object.keys(fields).filter((field) => !Object.hasOwn(schema.entries, field))
    return unknown.slice(0, MAX_UNKNOWN).map((field) => field.slice(0, MAX_UNKNOWN_LENGTH))
  } catch {
    return []
  }
}

/**
 * Returns undefined if the record is not a job's, or has {@link unknownFields}.
 */
export function readJob(record: PoolRecord): PublishedJob | undefined {
  if (!record.name.startsWith(JOB_PREFIX) || record.value === undefined) return undefined
  try {
    const { input, inputBlob, blobs, result, requirements, maxTime, wish: desired, ...rest } = v.parse(schema, encoder.decode(record.value))
    if (input === undefined && inputBlob === undefined) return undefined
    const name = record.name.slice(JOB_PREFIX.length)
    const job = { ...rest, input, inputBlob, blobs, result, requirements, maxTime, desired }
    return { ...job, id: jobId(record.owner, name, job), name, owner: record.owner, expires: record.expires, version: record.version }
  } catch {
    return undefined
  }
}
