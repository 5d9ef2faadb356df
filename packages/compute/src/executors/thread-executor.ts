import type { Worker } from 'node:worker_threads'
import type { Effect, Input, JobId, Milliseconds } from '../core/io.ts'
import type { Path } from '../core/path.ts'
import type { FromThread, ToThread } from './messages.ts'
import { startThread } from './program-thread.ts'

/** What one task may take. */
export interface TaskLimits {
  /** Running time, ms; waiting for children does not count. */
  readonly time: Milliseconds
  /** Of the heap of its thread, MiB. Buffers and WASM memory pass it (measured). */
  readonly memory: number
}

const defaultTaskLimits: TaskLimits = { time: 600_000, memory: 512 }

/** A thread without frames is ended after so long, ms. A guess: a new one takes 45 to 62 ms (measured). */
const IDLE_END = 5000

type Given = Extract<Effect, { type: 'run' | 'deliver' | 'forget' }>

interface Thread {
  readonly worker: Worker
  readonly frames: Set<Path>
  outbox: ToThread[]
  sent: number
  seen: number
  /** Runs and deliveries in their order, of which the first is at work since then. */
  readonly pending: Path[]
  since: Milliseconds
  ended: boolean
  endTimer: NodeJS.Timeout | undefined
}

interface Slot {
  readonly threads: Map<JobId, Thread>
  /** What threads that have ended had been given and had seen. */
  seenBefore: number
}

/**
 * Runs programs in worker threads: at most one task at work on a slot, one thread a slot and job, so no two jobs share one. A thread keeps nothing out: it is for programs
 * that one trusts as one's own.
 */
export class ThreadExecutor {
  readonly #slots: readonly Slot[]
  readonly #limits: TaskLimits
  readonly #programOf: (job: JobId) => string
  readonly #tell: (inputs: readonly Input[]) => void
  readonly #watch: NodeJS.Timeout

  /** `programOf`: the file URL of a job's program. */
  constructor(options: {
    slots: number
    limits?: Partial<TaskLimits>
    programOf: (job: JobId) => string
    tell: (inputs: readonly Input[]) => void
  }) {
    this.#slots = Array.from({ length: options.slots }, () => ({ threads: new Map<JobId, Thread>(), seenBefore: 0 }))
    this.#limits = { ...defaultTaskLimits, ...options.limits }
    this.#programOf = options.programOf
    this.#tell = options.tell
    this.#watch = setInterval(() => this.#checkTime(), Math.max(10, Math.min(1000, this.#limits.time / 4)))
    this.#watch.unref()
  }

  carryOut(effect: Given): void {
    const slot = this.#slots[effect.slot] as Slot
    const thread = slot.threads.get(effect.job) ?? (effect.type === 'run' ? this.#start(effect.slot, effect.job) : undefined)
    if (thread === undefined) {
      // Its thread is gone: what was delivered is answered, so that the slot is free again.
      if (effect.type === 'deliver') slot.seenBefore++
      return
    }
    switch (effect.type) {
      case 'run':
        thread.frames.add(effect.task.path)
        this.#send(thread, { type: 'shared', shared: effect.shared })
        this.#send(thread, { type: 'run', path: effect.task.path, fn: effect.task.fn, input: effect.task.input, split: effect.split })
        this.#given(thread, effect.task.path)
        return
      case 'deliver':
        this.#send(thread, { type: 'shared', shared: effect.shared })
        this.#send(thread, { type: 'deliver', path: effect.path, step: effect.step, outcome: effect.outcome })
        this.#given(thread, effect.path)
        return
      case 'forget':
        thread.frames.delete(effect.path)
        this.#send(thread, { type: 'forget', path: effect.path })
    }
  }

  /** Shared values of a job have improved. */
  shared(effect: Extract<Effect, { type: 'shared' }>): void {
    for (const { threads } of this.#slots) {
      const thread = threads.get(effect.job)
      if (thread !== undefined) this.#send(thread, { type: 'shared', shared: effect.shared })
    }
  }

  /** A job is over: its threads end, whatever they do. */
  async end(job: JobId): Promise<void> {
    for (const [index, { threads }] of this.#slots.entries()) {
      const thread = threads.get(job)
      if (thread !== undefined) await this.#stop(index, job, thread)
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#watch)
    for (const [index, { threads }] of this.#slots.entries()) for (const [job, thread] of threads) await this.#stop(index, job, thread)
  }

  #start(index: number, job: JobId): Thread {
    const worker = startThread(this.#programOf(job), { maxOldGenerationSizeMb: this.#limits.memory })
    const thread: Thread = {
      worker,
      frames: new Set(),
      outbox: [],
      sent: 0,
      seen: 0,
      pending: [],
      since: performance.now(),
      ended: false,
      endTimer: undefined,
    }
    ;(this.#slots[index] as Slot).threads.set(job, thread)
    worker.on('message', (messages: readonly FromThread[]) => this.#receive(index, job, thread, messages))
    worker.on('error', (error: Error) => this.#lost(index, job, thread, reasonOf(error)))
    worker.on('exit', (code) => this.#lost(index, job, thread, `its thread ended with status ${code}`))
    return thread
  }

  #send(thread: Thread, message: ToThread): void {
    thread.outbox.push(message)
    if (thread.outbox.length > 1) return
    queueMicrotask(() => {
      const messages = thread.outbox
      thread.outbox = []
      if (!thread.ended) thread.worker.postMessage(messages)
    })
  }

  #given(thread: Thread, path: Path): void {
    clearTimeout(thread.endTimer)
    if (thread.pending.length === 0) thread.since = performance.now()
    thread.pending.push(path)
    thread.sent++
  }

  #receive(index: number, job: JobId, thread: Thread, messages: readonly FromThread[]): void {
    const inputs: Input[] = []
    const slot = this.#slots[index] as Slot
    let saw = false
    for (const message of messages) {
      switch (message.type) {
        case 'ready':
          // Loading the program is no running time of a task.
          thread.since = performance.now()
          break
        case 'unusable':
          inputs.push({
            type: 'unusable',
            job,
            code: message.code,
            message: message.message,
            ...(message.stack === undefined ? {} : { stack: message.stack }),
          })
          break
        case 'spawned':
          inputs.push({ type: 'spawned', job, path: message.path, children: message.children })
          break
        case 'returned':
          thread.frames.delete(message.path)
          inputs.push({ type: 'returned', job, path: message.path, outcome: message.outcome, shared: message.shared, ran: message.ran })
          break
        case 'offered':
          inputs.push({ type: 'offered', job, shared: message.shared })
          break
        case 'seen':
          thread.pending.splice(0, message.seen - thread.seen)
          thread.seen = message.seen
          thread.since = performance.now()
          saw = true
      }
    }
    if (saw) inputs.push({ type: 'idle', slot: index, seen: seenOf(slot) })
    this.#tell(inputs)
    if (thread.frames.size === 0 && thread.pending.length === 0 && !thread.ended) {
      clearTimeout(thread.endTimer)
      thread.endTimer = setTimeout(() => void this.#stop(index, job, thread), IDLE_END)
      thread.endTimer.unref()
    }
  }

  /** It ended by itself, or was ended for what it did. */
  #lost(index: number, job: JobId, thread: Thread, reason: string): void {
    if (thread.ended) return
    const [path] = thread.pending
    this.#remove(index, job, thread)
    this.#tell([{ type: 'crashed', slot: index, job, path, reason }])
  }

  async #stop(index: number, job: JobId, thread: Thread): Promise<void> {
    if (thread.ended) return
    this.#remove(index, job, thread)
    const { frames } = thread
    // A frame on it is one that nobody wants any more.
    frames.clear()
    await thread.worker.terminate()
    this.#tell([{ type: 'idle', slot: index, seen: seenOf(this.#slots[index] as Slot) }])
  }

  #remove(index: number, job: JobId, thread: Thread): void {
    const slot = this.#slots[index] as Slot
    thread.ended = true
    clearTimeout(thread.endTimer)
    slot.threads.delete(job)
    slot.seenBefore += thread.sent
  }

  #checkTime(): void {
    const now = performance.now()
    for (const [index, { threads }] of this.#slots.entries()) {
      for (const [job, thread] of threads) {
        if (thread.pending.length === 0 || now - thread.since < this.#limits.time) continue
        this.#lost(index, job, thread, `it ran for more than ${this.#limits.time} ms`)
        void thread.worker.terminate()
      }
    }
  }
}

function seenOf({ threads, seenBefore }: Slot): number {
  let seen = seenBefore
  for (const thread of threads.values()) seen += thread.seen
  return seen
}

function reasonOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'it needed more memory than a task may take' : error.message
}
