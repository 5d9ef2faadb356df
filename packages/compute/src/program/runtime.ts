import type { Outcome } from '../core/entry.ts'
import { ROOT, type Path } from '../core/path.ts'
import { NOTHING_SHARED } from '../core/shared-value.ts'
import type { FromProgram, ProgramFunction, ToProgram } from './messages.ts'
import type { BlobReference, Unpack, UseBlob } from './blob.ts'
import { isTask, type SharedDefinition, type TaskDefinition } from './definitions.ts'
import { failureOf } from './failures.ts'
import { Frame } from './frame.ts'
import { FrameSaves } from './frame-saves.ts'
import { faultOf, markFault } from './machine-fault.ts'
import type { RuntimeHost } from './runtime-host.ts'
import { SharedValues } from './shared-values.ts'
import { StoredBytes } from './stored-bytes.ts'
import { encodeResult } from './stored-value.ts'
import { contextOf } from './task-context.ts'
import { UsedBlobs } from './used-blobs.ts'
import { decodeValue, encodeValue } from './values.ts'

/**
 * Maximum bytes of an input that the failure of its task shows. A guess: a frame keeps such an
 * input until its end.
 */
const MAX_DESCRIBED = 4096

type Run = Extract<ToProgram, { type: 'run' }>

/**
 * Runs the tasks of one program in one thread, one at a time. A frame that awaits children gives
 * way to the next frame. A waiting frame is a suspended function, so it can't be sent to another
 * member.
 */
export class Runtime {
  readonly #host: RuntimeHost
  readonly #tasks = new Map<string, TaskDefinition<unknown, unknown>>()
  readonly #names = new Map<unknown, string>()
  readonly #shared: SharedValues
  readonly #frames = new Map<Path, Frame>()
  readonly #queue: Extract<ToProgram, { type: 'run' | 'deliver' }>[] = []
  readonly #blobs = new UsedBlobs((message) => this.#say(message))
  readonly #stored = new StoredBytes((message) => this.#say(message))
  #sendQueue: FromProgram[] = []
  #isFlushing = false
  #isBusy = false
  #seen = 0
  /** The frame that runs, or that ran last. */
  #current: Frame | undefined
  /** The frame for which the loop waits. A `seen` message for it comes next. */
  #atWork: Frame | undefined

  /** @param declared the program's shared values in the order of their declaration */
  constructor(host: RuntimeHost, exports: Readonly<Record<string, unknown>>, declared: readonly SharedDefinition<never>[]) {
    this.#host = host
    for (const [name, value] of Object.entries(exports)) {
      if (!isTask(value)) continue
      this.#tasks.set(name, value)
      this.#names.set(value, name)
    }
    this.#shared = new SharedValues(declared, {
      own: () => this.#current?.own,
      offered: (shared) => {
        // These values include the values of an unsent offer, so they replace it.
        if (this.#sendQueue.at(-1)?.type === 'offered') this.#sendQueue.pop()
        this.#say({ type: 'offered', shared })
      },
    })
  }

  get functions(): ProgramFunction[] {
    return [...this.#tasks].map(([name, { result }]) => ({
      name,
      result: this.#shared.nameOf(result),
    }))
  }

  handle(messages: readonly ToProgram[]): void {
    for (const message of messages) {
      switch (message.type) {
        case 'shared':
          this.#shared.join(message.shared)
          break
        case 'blob':
        case 'noBlob':
          this.#blobs.handle(message)
          break
        case 'stored':
        case 'notStored':
          this.#stored.handle(message)
          break
        case 'forget':
          this.#frames.get(message.path)?.saves.forget()
          this.#frames.delete(message.path)
          break
        case 'stop':
          for (const { saves, isWaiting } of this.#frames.values()) saves.stop(isWaiting)
          break
        case 'run':
        case 'deliver':
          this.#queue.push(message)
      }
    }
    if (!this.#isBusy) void this.#work()
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
   * Resolves once a frame has ended, or waits for children. A frame that waits for anything else
   * keeps its worker.
   */
  async #settled(frame: Frame): Promise<void> {
    for (;;) {
      await this.#host.idle()
      if (frame.returned || frame.isWaiting || frame.saves.hasLeft) return
      await new Promise<void>((resolve) => (frame.changed = resolve))
    }
  }

  #start(run: Run): Frame {
    const { path, fn, input, given } = run
    const own = given && { given: this.#shared.declared(given), offers: NOTHING_SHARED }
    const saves: FrameSaves = new FrameSaves(
      (said) => void (this.#frames.get(path) === frame && this.#say({ type: 'saved', path, ...said })),
      () => frame.changed(),
    )
    const frame = new Frame(path, fn, input.length > MAX_DESCRIBED ? input.length : input, own, saves)
    this.#frames.set(path, frame)
    this.#current = frame
    this.#host
      .onBehalfOf(frame, async () => await this.#call(frame, run))
      .then(
        (outcome) => this.#return(frame, outcome),
        (error: unknown) => this.#fail(frame, error),
      )
    return frame
  }

  /**
   * Handles an error that nobody caught. Node would end the process. Here the error ends only the
   * task that caused it. A task that has returned keeps its outcome. While the program loads, there
   * is no task, and the error has no effect here.
   */
  stray(owner: object | undefined, error: unknown): void {
    const frame = [...this.#frames.values()].find((each) => each === owner)
    if (frame !== undefined) this.#fail(frame, error)
  }

  #fail(frame: Frame, error: unknown): void {
    const fault = faultOf(error)
    // A fault in a task that this member has forgotten is not reported: it must not end the process
    // of the other tasks.
    if (fault !== undefined && this.#frames.get(frame.path) === frame) {
      // The member ends this process. The task begins again, here or elsewhere.
      this.#say({ type: 'unusable', path: frame.path, ...fault })
      return
    }
    const { input } = frame
    const shown = (): string => (typeof input === 'number' ? `${input} bytes` : this.#host.describe(decodeValue(input)))
    this.#return(frame, { failure: failureOf(error, frame, (stack) => this.#host.stack(stack), shown) })
  }

  /** Returns the task of an owner; undefined if the owner is no frame. */
  taskOf(owner: object | undefined): { readonly path: Path; readonly fn: string } | undefined {
    return owner instanceof Frame ? { path: owner.path, fn: owner.fn } : undefined
  }

  async #call(frame: Frame, { fn, input, split, saved }: Run): Promise<Outcome> {
    const definition = this.#tasks.get(fn)
    if (definition === undefined) {
      const known = [...this.#tasks.keys()].join(', ')
      throw Object.assign(new Error(`the program exports no task ${JSON.stringify(fn)}; it has ${known === '' ? 'none' : known}`), {
        code: 'FUNCTION_MISSING',
      })
    }
    const store = async (bytes: Uint8Array): Promise<BlobReference> =>
      await this.#stored.store(bytes).catch((error: unknown) => {
        throw markFault(error)
      })
    const { job, limits } = this.#host
    const context = contextOf(frame, {
      run: (task, childInput) => this.#spawn(frame, task, childInput),
      use: ((blob: BlobReference, unpack?: Unpack<unknown>) => this.#blobs.use(blob, unpack)) as UseBlob,
      job,
      split,
      saved,
      limits,
      store,
      idle: async () => await this.#host.idle(),
    })
    const value = await definition.run(decodeValue(input), context)
    return { value: frame.path === ROOT ? await encodeResult(value, store) : encodeValue(value) }
  }

  #spawn<Input, Value>(frame: Frame, task: TaskDefinition<Input, Value>, value: Input): Promise<Value> {
    const fn = this.#names.get(task)
    if (fn === undefined)
      throw Object.assign(new TypeError('run: the program must export the task that is to be run'), { code: 'FUNCTION_MISSING' })
    const input = encodeValue(value)
    if (!frame.hasSpawned) queueMicrotask(() => this.#flushSpawned(frame))
    return frame.spawn(fn, input, (occurrence) => this.#host.step(fn, input, occurrence)) as Promise<Value>
  }

  #flushSpawned(frame: Frame): void {
    // A frame may go on after the member has forgotten it. Its task may run again by then.
    if (this.#frames.get(frame.path) !== frame) return
    for (const children of frame.takeSpawned()) this.#say({ type: 'spawned', path: frame.path, children })
  }

  #resume({ path, step, outcome }: Extract<ToProgram, { type: 'deliver' }>): Frame | undefined {
    const frame = this.#frames.get(path)
    if (frame?.resume(step, outcome) !== true) return undefined
    this.#current = frame
    return frame
  }

  #return(frame: Frame, outcome: Outcome): void {
    if (frame.returned) return
    frame.returned = true
    frame.saves.end()
    this.#flushSpawned(frame)
    if (this.#frames.get(frame.path) === frame) {
      const message = {
        type: 'returned',
        path: frame.path,
        outcome,
        shared: frame.own?.offers ?? this.#shared.known,
        ran: frame.took,
      } as const
      // A `seen` message for the frame at work comes next, and both go out together. A message
      // costs more than a short task (measured: 0.07 ms on either side).
      if (frame === this.#atWork) this.#sendQueue.push(message)
      else this.#say(message)
    }
    frame.changed()
  }

  /** Sends a message. All messages of one synchronous run go out as one batch. */
  #say(message: FromProgram): void {
    this.#sendQueue.push(message)
    if (this.#isFlushing) return
    this.#isFlushing = true
    void Promise.resolve().then(() => {
      this.#isFlushing = false
      const messages = this.#sendQueue
      this.#sendQueue = []
      this.#host.post(messages)
    })
  }
}
