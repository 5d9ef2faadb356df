/**
 * Checks names and types of the options of `compute`, `computeLocal` and `submit`. So callers
 * without type checks get an error at once.
 */
import { InvalidOptionError, type RecordOwner } from '@jel/jel'
import * as v from 'valibot'
import type { Tickets } from './core/job-queue.ts'
import type { PlacedProgram } from './executors/container.ts'
import type { TaskLimits } from './program/task-limits.ts'
import type { BlobReference } from './program/blob.ts'
import { isInside } from './program/collected-files.ts'
import { MAX_AFTER, MAX_LIFETIME, MIN_TIME } from './shell/job-record.ts'

/** Options of `compute`. */
export interface ComputeOptions {
  /**
   * How many tasks may run here at once. Default: 0. Such a member only submits jobs and keeps
   * outcomes of others.
   */
  readonly workers?: number
  /**
   * The owners whose programs run here. With `own` (the owner of this member), the id of an owner,
   * or `members` (any owner in the pool), programs of these owners run without a sandbox. They have
   * all rights of this process. With `sandbox`, programs of all other owners run in sandboxes. With
   * `voted`, only those of jobs with votes do. Default: `own` and `sandbox`.
   */
  readonly accept?: readonly string[]
  /**
   * Shares of processor time among the owners whose jobs wait. Each id of an owner, or `own`, has a
   * number of tickets (above 0, at most 1,000,000). Other owners have one ticket each. Default: the
   * first submitted job goes first.
   */
  readonly tickets?: Readonly<Record<string, number>>
  /**
   * The ids of the administrators who may divide the processor time of this member among owners, by
   * a record of the pool; see `publishShares`. With `tickets` this member ignores such records.
   * Default: none.
   */
  readonly admins?: readonly string[]
  /** Limits of tasks, and of the disk. Default: 10 minutes, 512 MiB of memory, 256 MiB of disk. */
  readonly limits?: Partial<TaskLimits>
  /**
   * The owner of the jobs that this member submits; see `readOwner`. Default: this node. Without an
   * identity file the node has a new key at each start.
   */
  readonly owner?: RecordOwner
  /**
   * The folder for programs, large inputs and blobs. Default: in `state`, or else below the user's
   * cache folder.
   */
  readonly cache?: string
  /**
   * A folder of this member alone, where it keeps the files and outcomes of jobs across restarts.
   * Use this with the option `identityFile` of `joinPool`. That option keeps the key of the member
   * and the records of jobs. A member with another key can't use the folder. The folder takes up to
   * twice the limit of the disk. Default: a member forgets outcomes when it ends.
   */
  readonly state?: string
  /**
   * Whether this member is a client. A client runs nothing, keeps nothing for others, and publishes
   * nothing about itself, as a command of the shell does. It must have no workers. Default: false.
   */
  readonly visits?: boolean
}

/** Options of a job. */
export interface SubmitOptions {
  /**
   * The name of the job. Default: a random name. Another submission with the same name, program and
   * input is the same job.
   */
  readonly name?: string
  /**
   * How long the pool keeps the result after the end of the job, ms; at most 31 days. Default: a
   * week. The pool keeps the result longer, up to 31 days from the submission, if no member with
   * the owner's key is present at the end. A job may run for 31 days.
   */
  readonly keep?: number
  /**
   * How many members compute each task, each by itself; 1 to 7. An outcome counts once this many
   * members agree on it. They all begin the task with the same shared values. Default: 1.
   */
  readonly votes?: number
  /**
   * Only members whose constants meet this condition run the job, as in `host.arch == "arm64" &&
   * system.memory.limit >= 8e9`. Constants are attributes that a member announces; see
   * `Monitor.constant`. `jel work` states `system.cpu.logical.count`, `system.memory.limit`,
   * `host.arch` and `os.type`. At most 256 characters. Default: all members. Members of earlier
   * releases ignore this option.
   */
  readonly requirements?: string
  /**
   * Ids or names of jobs that must give a value before this one begins; at most four. If one of
   * them fails or is cancelled, this job fails with `JOB_DEPENDENCY_FAILED`. A job that has expired
   * counts as done. Default: none. Members of earlier releases do not wait.
   */
  readonly after?: readonly string[]
  /**
   * How long the job may run, ms, from its first task on; at least a second. After that time the
   * job fails with `JOB_TIMED_OUT`. The time begins anew after a suspension. Default: 31 days.
   */
  readonly maxTime?: number
  /** Blobs to which the program refers. The grid adds the blobs to which the input refers. */
  readonly blobs?: readonly BlobReference[]
}

/** The options of a job that apply without a pool. */
export type LocalSubmitOptions = Pick<SubmitOptions, 'blobs'>

/** Options of a sweep. */
export interface MapOptions extends SubmitOptions {
  /**
   * Whether the other inputs go on if the function fails for an input. Then the result has one
   * object for each input, as with `Promise.allSettled`. Default: the first failure fails the job.
   */
  readonly keepGoing?: boolean
  /** How often the sweep tries a failed input again. Default: 0. */
  readonly retries?: number
}

/** Options of a sweep that runs a command. */
export interface CommandOptions extends MapOptions {
  /** Paths of files that the command finds in its working folder. */
  readonly files?: readonly string[]
  /**
   * Patterns of the files that the command makes for its submitter, relative to its working folder,
   * as in `out/*.csv`. Then each value is a `CommandResult`. At most 256 files and 32 MiB for one
   * input.
   */
  readonly collect?: readonly string[]
  /**
   * Whether a worker starts the command once for many inputs. Then each input is a line of standard
   * input, `{"id":1,"input":…}`. The command answers with a line of standard output:
   * `{"id":1,"value":…}` or `{"id":1,"error":"…"}`. Default: a start for each input.
   */
  readonly persistent?: boolean
  /**
   * The name of a container image in which the command runs, as in `docker.io/library/python:3.13`.
   * A worker needs podman or docker, and the image needs `/bin/sh`. Default: no container.
   */
  readonly container?: string
}

/** Options of `computeLocal`. */
export interface LocalOptions {
  /** How many tasks may run at once. */
  readonly workers: number
  /** Limits of tasks, and of the disk. Default: 10 minutes, 512 MiB of memory, 256 MiB of disk. */
  readonly limits?: Partial<TaskLimits>
  /**
   * Where programs run: `own` (with all rights of this process) or `sandbox`; see the option
   * `accept` of `compute`. Default: `own`.
   */
  readonly place?: PlacedProgram['place']
  /** The folder for programs and blobs. Default: below the user's cache folder. */
  readonly cache?: string
}

/** Programs that run by default: this owner's programs with all rights, others in sandboxes. */
export const DEFAULT_ACCEPT = ['own', 'sandbox']

/**
 * Maximum number of tickets of one owner. A guess: beside an owner with this many tickets, an owner
 * with one ticket gets almost no time.
 */
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
    admins: v.optional(v.array(text, 'must be an array of ids')),
    tickets: v.optional(v.record(v.string(), v.number('must be a number'), 'must be an object')),
    owner: v.optional(owner),
    state: v.optional(text),
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
    keep: v.optional(v.pipe(amount('milliseconds above 0'), v.maxValue(MAX_LIFETIME, 'must be at most 31 days'))),
    votes: v.optional(v.number('must be a number')),
    requirements: v.optional(v.string('must be a string')),
    after: v.optional(
      v.pipe(v.array(text, 'must be an array of ids or names'), v.maxLength(MAX_AFTER, `must be at most ${MAX_AFTER} jobs`)),
    ),
    maxTime: v.optional(
      v.pipe(
        amount('milliseconds above 0'),
        v.minValue(MIN_TIME, 'must be at least a second'),
        v.maxValue(MAX_LIFETIME, 'must be at most 31 days'),
      ),
    ),
  },
  unknownOr('must be an object'),
)
const ofMap = v.strictObject(
  {
    ...ofJob.entries,
    keepGoing: v.optional(v.boolean('must be true or false')),
    retries: v.optional(v.pipe(v.number('must be a number'), v.integer('must be a whole number'), v.minValue(0, 'must be at least 0'))),
  },
  unknownOr('must be an object'),
)
/**
 * The name of an image. It does not begin with `-`, so podman and docker do not read it as a flag.
 * All characters occur in image references (the grammar of the registry `distribution`), but their
 * order is not checked.
 */
const IMAGE = /^[a-z\d][\w./:@-]{0,511}$/iu
const pattern = v.pipe(text, v.check(isInside, 'must be a pattern inside of the working folder, such as out/*.csv'))
const ofCommand = v.strictObject(
  {
    ...ofMap.entries,
    files: v.optional(v.array(text, 'must be an array of paths')),
    persistent: v.optional(v.boolean('must be true or false')),
    container: v.optional(v.pipe(text, v.regex(IMAGE, 'must be the name of an image, such as docker.io/library/python:3.13'))),
    collect: v.optional(v.pipe(v.array(pattern, 'must be an array of patterns'), v.maxLength(64, 'must be at most 64 patterns'))),
  },
  unknownOr('must be an object'),
)
const ofLocalJob = v.strictObject({ blobs }, unknownOr('must be an object'))

/** @throws InvalidOptionError that names the option */
export function checkOptions(options: unknown): asserts options is ComputeOptions {
  check(ofPool, options)
  const { visits = false, workers: count = 0 } = options as ComputeOptions
  if (visits && count > 0) throw new InvalidOptionError('visits: a client has no workers')
}

/** @throws InvalidOptionError that names the option */
export function checkLocalOptions(options: unknown): asserts options is LocalOptions {
  // Reports a missing option as a wrong value, not as an error of the object.
  check(ofMachine, typeof options === 'object' && options !== null ? { workers: undefined, ...options } : options)
}

/** @throws InvalidOptionError that names the option */
export function checkSubmitOptions(options: unknown): asserts options is SubmitOptions {
  check(ofJob, options)
}

/** @throws InvalidOptionError that names the option */
export function checkMapOptions(options: unknown): asserts options is MapOptions {
  check(ofMap, options)
}

/** @throws InvalidOptionError that names the option */
export function checkCommandOptions(options: unknown): asserts options is CommandOptions {
  check(ofCommand, options)
}

/** Without a pool there are fewer options. @throws InvalidOptionError that names the option */
export function checkLocalSubmitOptions(options: unknown): asserts options is LocalSubmitOptions {
  check(ofLocalJob, options)
}

function check(schema: v.GenericSchema, options: unknown): void {
  const { issues } = v.safeParse(schema, options)
  const [issue] = issues ?? []
  if (issue === undefined) return
  throw new InvalidOptionError(`${v.getDotPath(issue) ?? 'the options'}: ${issue.message}`)
}

/**
 * A strict object reports the same kind of issue for a non-object and for an unknown field. This
 * function distinguishes the two.
 */
function unknownOr(otherwise: string): (issue: v.BaseIssue<unknown>) => string {
  return ({ expected }) => (expected === 'never' ? 'there is no such option' : otherwise)
}

/** @throws InvalidOptionError */
export function ticketsOf(tickets: Readonly<Record<string, number>>, self: string): Tickets {
  for (const [owner, count] of Object.entries(tickets)) {
    if (!(count > 0 && count <= MAX_TICKETS))
      throw new InvalidOptionError(`tickets: ${owner} must have more than 0 and at most ${MAX_TICKETS} tickets, not ${count}`)
  }
  return (owner) => tickets[owner] ?? (owner === self ? tickets['own'] : undefined) ?? 1
}
