import type { JoinRule } from '../core/shared-value.ts'
import type { UseBlob } from './blob.ts'

/** What a running task is given besides its input. */
export interface TaskContext {
  /**
   * Calls for a child and waits for its value. Members run it where there is room; equal calls give equal values, so it may be run again, and counts once.
   * Rejects with the child's failure.
   */
  readonly run: <Input, Value>(task: TaskDefinition<Input, Value>, input: Input) => Promise<Value>
  /**
   * The bytes of a blob of this job, or what a function makes of them: `await use(input.data, parse)`. A worker does that once for all of the program's tasks, so none of them
   * may change what it is given. Rejects with `BLOB_MISSING` if nobody has it.
   */
  readonly use: UseBlob
  /** In [0, 1): the same sequence each time this task of this job is run; other jobs and tasks have others. `Math.random` would not be the same. */
  readonly random: () => number
  /** The id of its job. */
  readonly job: string
  /** The path of this task in its job: with the job, a key for effects that must be idempotent. */
  readonly path: string
}

export type TaskFunction<Input, Value> = (input: Input, context: TaskContext) => Value | Promise<Value>

interface TaskOptions {
  /** The job's result is this shared value instead of what the task returns. */
  readonly result?: Pick<SharedDefinition<unknown>, 'kind'>
}

/** A function of a program that can be run anywhere in the pool: same input, same value, no side effects. */
export interface TaskDefinition<Input, Value> {
  readonly kind: 'task'
  readonly run: TaskFunction<Input, Value>
  readonly result: unknown
}

/** How offers of a shared value unite; see {@link min}, {@link max}, {@link first} and {@link union}. */
export interface Join<Value> {
  readonly rule: JoinRule
  readonly key: (value: Value) => number
}

/** What the runner of a program does for a shared value. */
interface SharedPort {
  value(): unknown
  offer(value: unknown): void
}

/** A value of a job that moves one way. Its copies are told on loosely, and may be behind. */
export interface SharedDefinition<Value> {
  readonly kind: 'shared'
  readonly join: Join<Value>
  /** The best that is known here; undefined before the first offer. Of a union an array. */
  readonly value: Value | undefined
  offer(value: Value): void
  /** Set by whoever runs the program. */
  port: SharedPort | undefined
}

/**
 * A task: `task(async (input, { run }) => …)`, exported by the program under the name by which it is submitted.
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

/** A shared value of the job: `const best = shared(min((tour) => tour.cost))`. */
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

/** All shared values of this program, in the order of their declaration: the order gives them their names. */
export function sharedValues(): readonly SharedDefinition<never>[] {
  return declared
}

/** The offer with the smallest key stands. */
export function min<Value>(key: (value: Value) => number): Join<Value> {
  return { rule: 'min', key }
}

/** The offer with the greatest key stands. */
export function max<Value>(key: (value: Value) => number): Join<Value> {
  return { rule: 'max', key }
}

/** Any one offer stands: found, stop the rest. */
export function first<Value>(): Join<Value> {
  return { rule: 'first', key: () => 0 }
}

/** All different offers stand, up to 1,024: `value` is an array. */
export function union<Value>(): Join<Value> {
  return { rule: 'union', key: () => 0 }
}
