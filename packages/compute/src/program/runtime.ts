import { createRandom, hash52 } from '@jel/protocol'
import type { Outcome } from '../core/entry.ts'
import type { Spawn } from '../core/io.ts'
import type { Path } from '../core/path.ts'
import { joinShared, NOTHING_SHARED, offerBytes, SHARED_TOO_LARGE, uniteShared, type Offer, type Shared } from '../core/shared-value.ts'
import type { FromProgram, ProgramFunction, ToProgram } from '../executors/messages.ts'
import type { BlobReference, Unpack, UseBlob } from './blob.ts'
import type { SharedDefinition, TaskContext, TaskDefinition } from './definitions.ts'
import { describeThrown } from './thrown.ts'
import { UsedBlobs } from './used-blobs.ts'
import { decodeValue, encodeValue } from './values.ts'

type Failure = Extract<Outcome, { failure: unknown }>['failure']

interface Frame {
  readonly path: Path
  readonly began: number
  /** Children that were called for and have no outcome here, by step. */
  readonly open: Map<string, { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void }>
  /** Number of calls by the hash of the call. */
  readonly calls: Map<string, number>
  spawned: Spawn[]
  returned: boolean
  /**
   * For a job with votes: the shared values that the task got and offered, and its offers alone.
   * The task sees nothing else, so that it gives the same value on each member.
   */
  own: { given: Shared; offers: Shared } | undefined
  /** Called when the frame calls for a child, or returns. */
  changed: () => void
  ran: number
}

/** The services that the runtime needs from its process. */
export interface RuntimeHost {
  /** The id of the job. */
  readonly job: string
  post(messages: readonly FromProgram[]): void
  /**
   * Returns a step of a path: 10 characters of base64url of a hash of a function, its input, and
   * the number of the call among equal calls.
   */
  step(fn: string, input: Uint8Array, occurrence: number): string
  /** Maps a stack to the author's files, without frames of this runtime. */
  stack(stack: string): string
  /** Resolves when everything that was ready to run has run. */
  idle(): Promise<void>
  /** Runs an action of `owner`, so that `stray` gets the owner of an error that nobody caught. */
  onBehalfOf<Result>(owner: object, action: () => Result): Result
}

/** Most characters of a reported stack. A guess. */
const MAX_STACK = 4000
/**
 * Most bytes of children's inputs in one message. It bounds each message for any number of
 * children.
 */
const MAX_SPAWNED_BYTES = 1024 * 1024

/** Failures of children as they arrived. A program may change the error objects that it gets. */
const childFailures = new WeakMap<object, Failure>()

/** The error of a child that gave no value. */
class ChildFailedError extends Error {
  readonly code: string
  readonly member: string
  readonly tries: number

  constructor(failure: Failure) {
    const { code, message, member, tries, stack } = failure
    super(message)
    // The stack of the child, on whichever member it threw: here there are only frames of the
    // runtime.
    this.stack = stack ?? `${this.name}: ${message}`
    this.code = code
    this.member = member
    this.tries = tries
    childFailures.set(this, failure)
  }

  override get name(): string {
    return 'ChildFailedError'
  }
}

/** The offer is too large, or does not fit beside the offers of others. */
class SharedTooLargeError extends Error {
  readonly code = SHARED_TOO_LARGE
}

/**
 * Runs the tasks of one program in one thread, one at a time: a frame that awaits children gives
 * way to the next one. Waiting frames are the continuations of the functions themselves, so none is
 * ever sent to another member.
 */
export class Runtime {
  readonly #host: RuntimeHost
  readonly #tasks = new Map<string, TaskDefinition<unknown, unknown>>()
  readonly #names = new Map<unknown, string>()
  readonly #sharedNames = new Map<unknown, string>()
  readonly #frames = new Map<Path, Frame>()
  readonly #queue: Extract<ToProgram, { type: 'run' | 'deliver' }>[] = []
  #shared: Shared = NOTHING_SHARED
  readonly #blobs = new UsedBlobs((message) => this.#say(message))
  readonly #values = new Map<string, { readonly offer: Offer; readonly value: unknown }>()
  #outbox: FromProgram[] = []
  #isFlushing = false
  #isBusy = false
  #seen = 0
  /** The frame that runs, or that ran last. */
  #current: Frame | undefined
  /** The frame on which the loop waits. Its `seen` message comes next. */
  #atWork: Frame | undefined

  /** @param declared the program's shared values in the order of their declaration */
  constructor(host: RuntimeHost, exports: Readonly<Record<string, unknown>>, declared: readonly SharedDefinition<never>[]) {
    this.#host = host
    for (const [name, value] of Object.entries(exports)) {
      if (!isTask(value)) continue
      this.#tasks.set(name, value)
      this.#names.set(value, name)
    }
    for (const [index, definition] of declared.entries()) this.#bind(`s${index}`, definition)
  }

  get functions(): ProgramFunction[] {
    return [...this.#tasks].map(([name, { result }]) => ({
      name,
      result: this.#sharedNames.get(result),
    }))
  }

  handle(messages: readonly ToProgram[]): void {
    for (const message of messages) {
      switch (message.type) {
        case 'shared':
          this.#shared = joinShared(this.#shared, this.#declared(message.shared))
          break
        case 'blob':
        case 'noBlob':
          this.#blobs.handle(message)
          break
        case 'forget':
          this.#frames.delete(message.path)
          break
        case 'run':
        case 'deliver':
          this.#queue.push(message)
      }
    }
    if (!this.#isBusy) void this.#work()
  }

  /** Drops names that a peer made up: they would travel with each outcome. */
  #declared(shared: Shared): Shared {
    const names = new Set(this.#sharedNames.values())
    return new Map([...shared].filter(([name]) => names.has(name)))
  }

  async #work(): Promise<void> {
    this.#isBusy = true
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      const begin = performance.now()
      const frame = next.type === 'run' ? this.#start(next) : this.#resume(next)
      if (frame !== undefined) {
        this.#atWork = frame
        await this.#settled(frame)
        this.#atWork = undefined
        frame.ran += performance.now() - begin
        if (frame.returned) this.#frames.delete(frame.path)
      }
      this.#seen++
      this.#say({ type: 'seen', seen: this.#seen })
    }
    this.#isBusy = false
  }

  /**
   * Resolves once a frame has ended, or waits for children only. A frame that waits for anything
   * else keeps its worker.
   */
  async #settled(frame: Frame): Promise<void> {
    for (;;) {
      await this.#host.idle()
      if (frame.returned || frame.open.size > 0) return
      await new Promise<void>((resolve) => (frame.changed = resolve))
    }
  }

  #start({ path, fn, input, split, given }: Extract<ToProgram, { type: 'run' }>): Frame {
    const own = given && { given: this.#declared(given), offers: NOTHING_SHARED }
    const frame: Frame = {
      path,
      began: performance.now(),
      own,
      open: new Map(),
      calls: new Map(),
      spawned: [],
      returned: false,
      changed: () => {},
      ran: 0,
    }
    this.#frames.set(path, frame)
    this.#current = frame
    this.#host
      .onBehalfOf(frame, async () => await this.#call(frame, fn, input, split))
      .then(
        (outcome) => this.#return(frame, outcome),
        (error: unknown) => this.#return(frame, { failure: failureOf(error, this.#host) }),
      )
    return frame
  }

  /**
   * Handles an error that nobody caught. Node would end the process; here it ends the task that
   * owns the error. A returned task keeps its outcome, and a program that still loads has no task.
   */
  stray(owner: object | undefined, error: unknown): void {
    const frame = [...this.#frames.values()].find((each) => each === owner)
    if (frame !== undefined) this.#return(frame, { failure: failureOf(error, this.#host) })
  }

  async #call(frame: Frame, fn: string, input: Uint8Array, split: boolean): Promise<Outcome> {
    const definition = this.#tasks.get(fn)
    if (definition === undefined) {
      const known = [...this.#tasks.keys()].join(', ')
      throw Object.assign(new Error(`the program exports no task ${JSON.stringify(fn)}; it has ${known === '' ? 'none' : known}`), {
        code: 'FUNCTION_MISSING',
      })
    }
    let random: (() => number) | undefined
    const context: TaskContext & { split: boolean } = {
      run: (task, childInput) => this.#spawn(frame, task, childInput),
      use: ((blob: BlobReference, unpack?: Unpack<unknown>) => this.#blobs.use(blob, unpack)) as UseBlob,
      random: () => (random ??= createRandom(hash52(`${this.#host.job} ${frame.path}`) % 2 ** 32))(),
      job: this.#host.job,
      path: frame.path,
      split,
    }
    return { value: encodeValue(await definition.run(decodeValue(input), context)) }
  }

  #spawn<Input, Value>(frame: Frame, task: TaskDefinition<Input, Value>, value: Input): Promise<Value> {
    const fn = this.#names.get(task)
    if (fn === undefined)
      throw Object.assign(new TypeError('run: the program must export the task that is to be run'), { code: 'FUNCTION_MISSING' })
    const input = encodeValue(value)
    const call = this.#host.step(fn, input, 0)
    const occurrence = frame.calls.get(call) ?? 0
    frame.calls.set(call, occurrence + 1)
    const step = occurrence === 0 ? call : this.#host.step(fn, input, occurrence)
    if (frame.spawned.length === 0) queueMicrotask(() => this.#flushSpawned(frame))
    frame.spawned.push({ step, fn, input })
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    // Without this a child that nobody awaits any more would end the thread.
    promise.catch(() => {})
    frame.open.set(step, { resolve, reject })
    frame.changed()
    return promise as Promise<Value>
  }

  #flushSpawned(frame: Frame): void {
    let children: Spawn[] = []
    let bytes = 0
    const flush = (): void => {
      if (children.length > 0) this.#say({ type: 'spawned', path: frame.path, children })
      children = []
      bytes = 0
    }
    for (const child of frame.spawned) {
      if (bytes + child.input.length > MAX_SPAWNED_BYTES) flush()
      children.push(child)
      bytes += child.input.length
    }
    flush()
    frame.spawned = []
  }

  #resume({ path, step, outcome }: Extract<ToProgram, { type: 'deliver' }>): Frame | undefined {
    const frame = this.#frames.get(path)
    const child = frame?.open.get(step)
    if (frame === undefined || child === undefined) return undefined
    frame.open.delete(step)
    this.#current = frame
    try {
      if ('value' in outcome) child.resolve(decodeValue(outcome.value))
      else child.reject(new ChildFailedError(outcome.failure))
    } catch (error) {
      child.reject(error as Error)
    }
    return frame
  }

  #return(frame: Frame, outcome: Outcome): void {
    if (frame.returned) return
    frame.returned = true
    this.#flushSpawned(frame)
    if (this.#frames.get(frame.path) === frame) {
      const ran = frame.calls.size === 0 ? performance.now() - frame.began : frame.ran
      const message = { type: 'returned', path: frame.path, outcome, shared: frame.own?.offers ?? this.#shared, ran } as const
      // The message goes out with the `seen` message of the frame at work, which comes next: a
      // message costs more than a short task (measured: 0.07 ms on either side).
      if (frame === this.#atWork) this.#outbox.push(message)
      else this.#say(message)
    }
    frame.changed()
  }

  #bind(name: string, definition: SharedDefinition<never>): void {
    this.#sharedNames.set(definition, name)
    const { rule, key } = definition.join
    definition.port = {
      value: () => this.#valueOf(name),
      offer: (value) => {
        const order = key(value as never)
        if (typeof order !== 'number' || Number.isNaN(order))
          throw new TypeError(`the key of an offer must be a number, not ${String(order)}`)
        const bytes = encodeValue(value)
        const most = offerBytes(this.#sharedNames.size)
        if (bytes.length > most)
          throw new SharedTooLargeError(
            `an offer of ${bytes.length} bytes; of ${this.#sharedNames.size} shared values each may have ${most}`,
          )
        const offered: Shared = new Map([[name, { rule, key: order, values: [bytes] }]])
        const own = this.#current?.own
        const joined = uniteShared(own?.given ?? this.#shared, offered)
        if (joined === undefined) throw new SharedTooLargeError('with this offer the shared values of the job take more than 2 MiB')
        if (joined === (own?.given ?? this.#shared)) return
        if (own === undefined) {
          this.#shared = joined
          this.#say({ type: 'offered', shared: joined })
        } else {
          own.given = joined
          own.offers = joinShared(own.offers, offered)
        }
      },
    }
  }

  #valueOf(name: string): unknown {
    const offer = (this.#current?.own?.given ?? this.#shared).get(name)
    if (offer === undefined) return undefined
    const known = this.#values.get(name)
    if (known?.offer === offer) return known.value
    const value = offer.rule === 'union' ? offer.values.map(decodeValue) : decodeValue(offer.values[0] as Uint8Array)
    this.#values.set(name, { offer, value })
    return value
  }

  /** Messages of one synchronous run go out as one batch. */
  #say(message: FromProgram): void {
    this.#outbox.push(message)
    if (this.#isFlushing) return
    this.#isFlushing = true
    void Promise.resolve().then(() => {
      this.#isFlushing = false
      const messages = this.#outbox
      this.#outbox = []
      this.#host.post(messages)
    })
  }
}

function isTask(value: unknown): value is TaskDefinition<unknown, unknown> {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'task'
}

function failureOf(error: unknown, host: RuntimeHost): Failure {
  const { code = 'TASK_THREW', message, stack } = describeThrown(error)
  // The program has no say in the member and the number of tries.
  const child = typeof error === 'object' && error !== null ? childFailures.get(error) : undefined
  const shown = child === undefined ? stack && host.stack(stack) : child.stack
  return {
    code,
    message,
    ...(shown !== undefined && { stack: shown.slice(0, MAX_STACK) }),
    member: child?.member ?? '',
    tries: child?.tries ?? 1,
  }
}
