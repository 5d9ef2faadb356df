import type { HeldTask, RunningTask, JobExplanation, JobProgress, MapFailure, sharesOf, TaskOutput } from '@jel/compute'
import * as v from 'valibot'
import { bool, list, number, oneOf, paths, text, texts, type FieldsOf } from '../base/schema.ts'

/**
 * The fields of commands about jobs. The node must be able to read the files at these paths. The
 * answers are events of jobs, then `done`.
 */
export const jobFields = {
  jobs: {
    /** Whether to report one event `jobs` with the work on each job, and no event `job`. */
    work: v.optional(bool),
  },
  job: {
    /** An id or a name. */
    job: text,
    do: v.optional(oneOf('cancel', 'suspend', 'resume', 'forget')),
    /**
     * `result` waits for the result. `ended` reports all progress until the job ends. The default
     * reports the present state.
     */
    until: v.optional(oneOf('result', 'ended')),
    /** Whether to list the tasks that members hold, and the tasks that wait for them. */
    waits: v.optional(bool),
    /** Whether to report the output of tasks; with `until: ended` also further output. */
    logs: v.optional(bool),
  },
  submit: {
    file: text,
    function: text,
    input: v.optional(v.unknown()),
    /** A file with the input: JSON (`.json`), an array of NumPy (`.npy`), or bytes. */
    inputFile: v.optional(text),
    /** Where the result is written. Needs `until: ended`. */
    outputFile: v.optional(text),
    /** Paths of files, by the fields of the input that name them. */
    blobs: v.optional(paths),
    name: v.optional(text),
    /** ms */
    keep: v.optional(number),
    votes: v.optional(number),
    requirements: v.optional(text),
    /** Ids or names of the jobs after which it begins. */
    after: v.optional(texts),
    /** ms */
    maxTime: v.optional(number),
    until: v.optional(oneOf('ended')),
  },
  /** A sweep: a function of a file, or a command, is called once for each input. */
  map: {
    inputs: v.optional(list),
    /** A file with the inputs, a JSON array. */
    inputsFile: v.optional(text),
    file: v.optional(text),
    function: v.optional(text),
    /** A shell command, in place of a function. */
    shell: v.optional(text),
    /** Paths of files for the command. */
    files: v.optional(texts),
    /** Whether a worker starts the command once for many inputs. */
    persistent: v.optional(bool),
    /** The name of the image in which the command runs. */
    container: v.optional(text),
    /** Patterns of the files that the command makes for its submitter. */
    collect: v.optional(texts),
    /** The folder for these files. Needs `until: ended`. */
    collectTo: v.optional(text),
    /** Whether to go on if the function or the command fails for an input. */
    keepGoing: v.optional(bool),
    /** The number of further tries for a failed input. */
    retries: v.optional(number),
    /** With `until: ended`: whether to report each outcome as soon as it is known. */
    each: v.optional(bool),
    name: v.optional(text),
    requirements: v.optional(text),
    /** Ids or names of the jobs after which it begins. */
    after: v.optional(texts),
    /** ms */
    maxTime: v.optional(number),
    /** ms */
    keep: v.optional(number),
    until: v.optional(oneOf('ended')),
  },
} as const

/** A command about jobs. */
export type JobCommand = {
  [Name in keyof typeof jobFields]: { readonly command: Name } & Readonly<FieldsOf<(typeof jobFields)[Name]>>
}[keyof typeof jobFields]

/** Text that a task of a job printed. */
export type OutputEvent = { readonly event: 'output'; readonly job: string } & TaskOutput

/** A job with the work on it, for a page or a terminal. */
export interface JobOverview extends Omit<JobProgress, 'rate'>, Omit<JobExplanation, 'members'> {
  readonly job: string
  readonly name: string
  readonly owner: string
  /** The work of each member. */
  readonly workers: JobExplanation['members']
  /** Unix ms, by the owner's clock. */
  readonly submitted: number
  /** When this node learned of the end, Unix ms. */
  readonly ended?: number
  /** How it failed. The texts have bounds. */
  readonly failure?: JobFailure
}

/** The failure of a job: the function that failed, and the beginning of its input as text. */
export interface JobFailure {
  readonly code: string
  readonly message: string
  readonly member: string
  readonly fn?: string
  readonly input?: string
  readonly cause?: string
}

/** All jobs, unfinished ones first. `more`: the number of jobs that are not in the list. */
export interface JobsEvent {
  readonly event: 'jobs'
  readonly jobs: readonly JobOverview[]
  readonly more: number
}

/** The shares of owners that an administrator has set, as `jel policy --json` writes them. */
export type PolicyEvent = { readonly event: 'policy' } & ReturnType<typeof sharesOf>[number]

/** The events of commands about jobs. The writer adds time and pool. */
export type JobEvent =
  | JobsEvent
  | { readonly event: 'submitted'; readonly job: string; readonly name: string; readonly replicas: readonly string[] }
  | ({ readonly event: 'progress'; readonly job: string } & JobProgress)
  /** `result` is JSON: large integers and bytes are text, sets and maps are lists. */
  | { readonly event: 'done'; readonly job: string; readonly result: unknown }
  /** The result was written to a file, so `done` comes without it. */
  | { readonly event: 'written'; readonly job: string; readonly file: string; readonly bytes: number }
  /** One input of a sweep has a value, or failed. `index`: its place among the inputs. */
  | { readonly event: 'outcome'; readonly job: string; readonly index: number; readonly value?: unknown; readonly failure?: MapFailure }
  /** Files of a sweep were written. Each input has a folder below `folder`, named by its number. */
  | { readonly event: 'collected'; readonly job: string; readonly folder: string; readonly files: number }
  | { readonly event: 'cancelled'; readonly job: string }
  /** The job and its result were removed from the pool. */
  | { readonly event: 'forgotten'; readonly job: string }
  | {
      readonly event: 'failed'
      readonly job: string
      readonly code: string
      readonly message: string
      readonly member?: string
      readonly tries?: number
      readonly stack?: string
      /** The task that failed: its path, function, and the beginning of its input as text. */
      readonly task?: string
      readonly fn?: string
      readonly input?: string
      readonly cause?: string
    }
  | ({
      readonly event: 'job'
      readonly job: string
      readonly name: string
      readonly owner: string
      readonly submitted: number
      readonly expires: number
      readonly replicas: readonly string[]
      /** The tasks that members hold, if the command asked for them. */
      readonly waits?: readonly HeldTask[]
      /** With `waits`: the tasks that have run for five seconds, at most four at each member. */
      readonly running?: readonly (RunningTask & { readonly member: string })[]
    } & JobProgress)
  /** The submitted program can't run in a sandbox. `message` names the reason. */
  | { readonly event: 'needs-trust'; readonly message: string }
  /**
   * No other member has taken the job so far. `message` is the reason. The node continues to offer
   * the job.
   */
  | { readonly event: 'not-kept'; readonly message: string }
  /** `time` is the time at which it was printed, by the clock of `member`. */
  | OutputEvent
  /**
   * No member has begun the job for a while, the job can't go on, or a task hangs. `reason` is a
   * text for people.
   */
  | { readonly event: 'waits'; readonly job: string; readonly reason: string }
  /**
   * The named job belongs to this other owner. The node's own owner has no job of that name, as far
   * as the node knows.
   */
  | { readonly event: 'not-own'; readonly job: string; readonly owner: string }
