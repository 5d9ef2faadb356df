/**
 * What `compute`, `computeLocal` and `submit` are told, checked by name and type: callers without types find out here.
 */
import { InvalidOptionError } from '@jel/jel'
import * as v from 'valibot'
import type { Tickets } from './core/queue.ts'
import type { ComputeOptions, SubmitOptions } from './grid.ts'
import type { LocalOptions } from './local.ts'
import { MAX_LIFE } from './shell/job-record.ts'

/** Tickets of one owner. A guess: shares that differ by more are none. */
const MAX_TICKETS = 1_000_000

const amount = (what: string) => v.pipe(v.number(`must be ${what}`), v.finite(`must be ${what}`), v.gtValue(0, `must be ${what}`))
const message = 'must be a whole number, 0 or more'
const workers = v.pipe(v.number(message), v.integer(message), v.minValue(0, message))
const text = v.pipe(v.string('must be a string'), v.minLength(1, 'must not be empty'))
const limits = v.partial(
  v.strictObject(
    { time: amount('milliseconds above 0'), memory: amount('MiB above 0'), disk: amount('MiB above 0') },
    unknownOr('must be an object'),
  ),
)
const owner = v.strictObject(
  { id: text, seed: v.instance(Uint8Array, 'must be a Uint8Array') },
  unknownOr('must be an owner, as readOwner gives it'),
)

const common = { limits: v.optional(limits), cache: v.optional(text) }
const ofPool = v.strictObject(
  {
    ...common,
    workers: v.optional(workers),
    accept: v.optional(v.array(text, "must be an array of strings, as in ['own', 'sandbox']")),
    tickets: v.optional(v.record(v.string(), v.number('must be a number'), 'must be an object')),
    owner: v.optional(owner),
    visits: v.optional(v.boolean('must be true or false')),
  },
  unknownOr('must be an object'),
)
const ofMachine = v.strictObject(
  { ...common, workers, place: v.optional(v.picklist(['own', 'sandbox'], "must be 'own' or 'sandbox'")) },
  unknownOr('must be an object'),
)

const blobs = v.optional(v.array(v.unknown(), 'must be an array of blobs, as blob() gives them'))
const ofJob = v.strictObject(
  {
    blobs,
    name: v.optional(v.string('must be a string')),
    keep: v.optional(v.pipe(amount('milliseconds above 0'), v.maxValue(MAX_LIFE, 'must be at most 31 days'))),
    votes: v.optional(v.number('must be a number')),
  },
  unknownOr('must be an object'),
)
const ofLocalJob = v.strictObject({ blobs }, unknownOr('must be an object'))

/** Throws InvalidOptionError, which names the option. */
export function checkOptions(options: unknown): asserts options is ComputeOptions {
  check(ofPool, options)
  const { visits = false, workers: count = 0 } = options as ComputeOptions
  if (visits && count > 0) throw new InvalidOptionError('visits: a visitor has no workers')
}

/** Throws InvalidOptionError, which names the option. */
export function checkLocalOptions(options: unknown): asserts options is LocalOptions {
  // One that is missing is a fault of its value, not of the object.
  check(ofMachine, typeof options === 'object' && options !== null ? { workers: undefined, ...options } : options)
}

/** Throws InvalidOptionError, which names the option. */
export function checkSubmitOptions(options: unknown): asserts options is SubmitOptions {
  check(ofJob, options)
}

/** Throws InvalidOptionError, which names the option: there are fewer without a pool. */
export function checkLocalSubmitOptions(options: unknown): asserts options is Pick<SubmitOptions, 'blobs'> {
  check(ofLocalJob, options)
}

function check(schema: v.GenericSchema, options: unknown): void {
  const { issues } = v.safeParse(schema, options)
  const [issue] = issues ?? []
  if (issue === undefined) return
  throw new InvalidOptionError(`${v.getDotPath(issue) ?? 'the options'}: ${issue.message}`)
}

/** A strict object says the same of what is no object and of a field that it does not know. */
function unknownOr(otherwise: string): (issue: v.BaseIssue<unknown>) => string {
  return ({ expected }) => (expected === 'never' ? 'there is no such option' : otherwise)
}

/** @throws InvalidOptionError */
export function ticketsOf(tickets: Readonly<Record<string, number>>, self: string): Tickets {
  for (const [owner, count] of Object.entries(tickets)) {
    if (!(count > 0 && count <= MAX_TICKETS))
      throw new InvalidOptionError(`tickets: ${owner} must have above 0 and at most ${MAX_TICKETS}, not ${count}`)
  }
  return (owner) => tickets[owner] ?? (owner === self ? tickets['own'] : undefined) ?? 1
}
