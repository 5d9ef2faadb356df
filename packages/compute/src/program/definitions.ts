import type { JoinRule } from '../core/shared-value.ts'
import type { TaskLimits } from './task-limits.ts'
import type { BlobReference, UseBlob } from './blob.ts'

/** The services and facts that a running task gets besides its input. */
export interface TaskContext {
  /**
   * Spawns a child and waits for its value. Members with free workers run the child. Equal calls
   * give equal values. So a child may run more than once, but its value counts once. The program
   * must export the task. Rejects with the child's failure.
   */
  readonly run: <Input, Value>(task: TaskDefinition<Input, Value>, input: Input) => Promise<Value>
  /**
   * Returns the bytes of a blob of this job, or the value that a function makes of them: `await
   * use(input.data, parse)`. A worker fetches the blob once for all tasks of the program. It calls
   * the same function object once for each blob. So define the function outside the task: a
   * function written inside a task is a new object in each run. Tasks share the bytes and the
   * value, so no task may change them. Rejects with `BLOB_MISSING` if no member has the blob.
   */
  readonly use: UseBlob
  /**
   * A random number in [0, 1). Each run of this task gets the same sequence. A run that begins with
   * a saved state goes on in it. Other tasks and other jobs get other sequences. `Math.random`
   * differs from run to run.
   */
  readonly random: () => number
  /** The id of the job. */
  readonly job: string
  /**
   * The path of this task in its job. Job and path together are a key for effects that must be
   * idempotent.
   */
  readonly path: string
  /**
   * The latest state that an earlier run of this task saved; undefined if there is none, or if no
   * member has it any more. It must not change the value of the task, only the time that the task
   * takes.
   */
  readonly saved: unknown
  /**
   * Saves a state, at most 1 MiB. If the member of this task is lost, the task runs again at
   * another member. There `saved` is the latest state that went out. At most one state a second
   * goes out. A later state replaces an earlier one. Resolves at once, after other code had its
   * turn. Once the task must stop (see `stopping`), it never resolves: another member goes on from
   * this state. Each call encodes the state, so call it a few times a second at most. Rejects with
   * `VALUE_UNCLONABLE` or `VALUE_TOO_LARGE`.
   */
  readonly save: (state: unknown) => Promise<void>
  /**
   * `aborted`: this member leaves, or gives the task up. A task that saves has two seconds for its
   * last `save`. The field changes only while the task awaits something. The object is live: read
   * `aborted` of this object itself. A copy, a clone, JSON or a proxy of it does not show the
   * change.
   */
  readonly stopping: { readonly aborted: boolean }
}

/** The further context of commands and sweeps. A member of an earlier release lacks it. */
export interface FurtherContext {
  /** The limits of tasks at this member. */
  readonly limits?: TaskLimits | undefined
  /**
   * Keeps bytes as a blob, at this member and at the replicas of the job. Rejects if this member
   * has no room.
   */
  readonly store?: ((bytes: Uint8Array) => Promise<BlobReference>) | undefined
  /** Decodes an encoded value. */
  readonly decode?: ((bytes: Uint8Array) => unknown) | undefined
  /** Runs an action once the run of the task ends here without an outcome. */
  readonly onLeft?: ((action: () => void) => void) | undefined
}

/** A function of a program. It gets its input and its context, and returns its value. */
export type TaskFunction<Input, Value> = (input: Input, context: TaskContext) => Value | Promise<Value>

interface TaskOptions {
  /** The shared value that is the job's result instead of the return value of the task. */
  readonly result?: Pick<SharedDefinition<unknown>, 'kind'>
}

/**
 * A function of a program that any member can run. It must return the same value for the same
 * input, and must have no side effects.
 */
export interface TaskDefinition<Input, Value> {
  readonly kind: 'task'
  readonly run: TaskFunction<Input, Value>
  readonly result: unknown
}

/**
 * The rule by which offers of a shared value unite; see {@link min}, {@link max}, {@link first} and
 * {@link union}.
 */
export interface Join<Value> {
  readonly rule: JoinRule
  readonly key: (value: Value) => number
}

/** Connects a shared value to the runtime of a program. */
interface SharedPort {
  value(): unknown
  offer(value: unknown): void
}

/** A value of a job that only improves. A copy at a member may be out of date. */
export interface SharedDefinition<Value> {
  readonly kind: 'shared'
  readonly join: Join<Value>
  /**
   * The best value that this member knows; undefined before the first offer. For a union the value
   * is an array.
   */
  readonly value: Value | undefined
  /**
   * Offers a value. All shared values of a program share 2 MiB equally.
   *
   * @throws Error outside a running task; an Error with the code `SHARED_TOO_LARGE` if the offer
   * exceeds its share; TypeError if its key is no number; UnclonableError
   */
  offer(value: Value): void
  /** Set by the runtime of the program. */
  port: SharedPort | undefined
}

/**
 * Defines a task: `task(async (input, { run }) => …)`. The program exports the task. The submitter
 * of a job names that export.
 *
 * @param fn gets the input and a {@link TaskContext}; if it throws, the task has failed
 * @throws TypeError if the last argument is no function
 */
export function task<Input, Value>(fn: TaskFunction<Input, Value>): TaskDefinition<Input, Value>
export function task<Input, Value>(options: TaskOptions, fn: TaskFunction<Input, Value>): TaskDefinition<Input, Value>
export function task<Input, Value>(
  ...args: [TaskFunction<Input, Value>] | [TaskOptions, TaskFunction<Input, Value>]
): TaskDefinition<Input, Value> {
  const [options, fn] = args.length === 1 ? [{}, args[0]] : args
  if (typeof fn !== 'function') throw new TypeError('task: its last argument must be a function')
  return { kind: 'task', run: fn, result: options.result }
}

const declared: SharedDefinition<never>[] = []

/**
 * Defines a shared value of the job: `const best = shared(min((tour) => tour.cost))`.
 *
 * @param join {@link min}, {@link max}, {@link first} or {@link union}
 */
export function shared<Value>(join: Join<Value>): SharedDefinition<Value> {
  const definition: SharedDefinition<Value> = {
    kind: 'shared',
    join,
    port: undefined,
    get value(): Value | undefined {
      return definition.port?.value() as Value | undefined
    },
    offer(value: Value): void {
      if (definition.port === undefined) throw new Error('a shared value can be offered by a running task only')
      definition.port.offer(value)
    },
  }
  declared.push(definition as unknown as SharedDefinition<never>)
  return definition
}

/**
 * Returns all shared values of this program in the order of their declaration. The order determines
 * their names.
 */
export function sharedValues(): readonly SharedDefinition<never>[] {
  return declared
}

/** Keeps the offer with the smallest key. `key` must return a number that is not NaN. */
export function min<Value>(key: (value: Value) => number): Join<Value> {
  return { rule: 'min', key }
}

/** Keeps the offer with the greatest key. `key` must return a number that is not NaN. */
export function max<Value>(key: (value: Value) => number): Join<Value> {
  return { rule: 'max', key }
}

/** Keeps any one of the offers. Use this rule to stop a search at the first find. */
export function first<Value>(): Join<Value> {
  return { rule: 'first', key: () => 0 }
}

/** Keeps all different offers, up to 1,024. `value` is an array. */
export function union<Value>(): Join<Value> {
  return { rule: 'union', key: () => 0 }
}

/** Whether an export of a program is a task. */
export function isTask(value: unknown): value is TaskDefinition<unknown, unknown> {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'task'
}
