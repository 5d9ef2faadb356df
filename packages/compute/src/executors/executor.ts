import type { Effect, Input, JobId, Milliseconds } from '../core/io.ts'
import type { Path } from '../core/path.ts'
import type { Shared } from '../core/shared-value.ts'
import { BlobFeed } from './blob-feed.ts'
import { defaultTaskLimits, LOAD_TIME, type Container, type PlacedProgram, type TaskLimits } from './container.ts'
import type { FromProgram, ToProgram } from './messages.ts'
import { startProgram } from './process-container.ts'

/**
 * A program without frames is ended after this time, ms. A guess: a new process takes 45 to 60 ms,
 * a sandbox 110 to 260 ms more (measured).
 */
const IDLE_END = 5000

type Given = Extract<Effect, { type: 'run' | 'deliver' | 'forget' }>

/** A program in its container. */
interface Running {
  readonly container: Container
  readonly blobs: BlobFeed
  isLoaded: boolean
  /** The shared values that the program should know. */
  latest: Shared | undefined
  /** The shared values that it was sent last. */
  told: Shared | undefined
  /** Whether shared values are on their way to it. */
  isTelling: boolean
  readonly frames: Set<Path>
  outbox: ToProgram[]
  sent: number
  seen: number
  /** The paths of runs and deliveries, in order. The first one has been at work since `since`. */
  readonly pending: Path[]
  since: Milliseconds
  ended: boolean
  endTimer: NodeJS.Timeout | undefined
  /** It runs tasks of a job with votes: they get no other shared values. */
  isFrozen: boolean
}

type Unusable = Partial<Pick<Extract<FromProgram, { type: 'unusable' }>, 'code' | 'stack'>>

interface Slot {
  readonly programs: Map<JobId, Running>
  /** The sum of runs and deliveries sent to programs that have ended. */
  seenBefore: number
}

/**
 * Runs programs in processes of their own: at most one task at work per slot, and one container per
 * slot and job, so no two jobs share a process.
 */
export class Executor {
  readonly #slots: readonly Slot[]
  readonly #limits: TaskLimits
  readonly #programOf: (job: JobId) => PlacedProgram
  readonly #tell: (inputs: readonly Input[]) => void
  readonly #watch: NodeJS.Timeout

  constructor(options: {
    slots: number
    limits?: Partial<TaskLimits>
    programOf: (job: JobId) => PlacedProgram
    tell: (inputs: readonly Input[]) => void
  }) {
    this.#slots = Array.from({ length: options.slots }, () => ({ programs: new Map<JobId, Running>(), seenBefore: 0 }))
    this.#limits = { ...defaultTaskLimits, ...options.limits }
    this.#programOf = options.programOf
    this.#tell = options.tell
    this.#watch = setInterval(() => this.#checkTime(), Math.max(10, Math.min(1000, this.#limits.time / 4)))
    this.#watch.unref()
  }

  carryOut(effect: Given): void {
    const slot = this.#slots[effect.slot] as Slot
    const program = slot.programs.get(effect.job) ?? (effect.type === 'run' ? this.#start(effect.slot, effect.job) : undefined)
    if (program === undefined) {
      // The program is gone: the delivery counts as seen, so that the slot is free again.
      if (effect.type === 'deliver') slot.seenBefore++
      return
    }
    switch (effect.type) {
      case 'run':
        program.frames.add(effect.task.path)
        this.#run(program, effect)
        this.#given(program, effect.task.path)
        return
      case 'deliver':
        if (!program.isFrozen) this.#inform(program, effect.shared)
        this.#send(program, { type: 'deliver', path: effect.path, step: effect.step, outcome: effect.outcome })
        this.#given(program, effect.path)
        return
      case 'forget':
        program.frames.delete(effect.path)
        this.#send(program, { type: 'forget', path: effect.path })
        this.#endIfIdle(effect.slot, effect.job, program)
    }
  }

  #run(program: Running, { task: { path, fn, input }, shared, split, frozen }: Extract<Given, { type: 'run' }>): void {
    program.isFrozen = frozen
    if (!frozen) this.#inform(program, shared)
    this.#send(program, { type: 'run', path, fn, input, split, ...(frozen && { given: shared }) })
  }

  /** Sends improved shared values of a job to its programs. */
  shared(effect: Extract<Effect, { type: 'shared' }>): void {
    for (const { programs } of this.#slots) {
      const program = programs.get(effect.job)
      if (program === undefined) continue
      program.latest = effect.shared
      if (!program.isTelling) void this.#tellLatest(program)
    }
  }

  /**
   * Sends only the latest values to a program that does not read, once it reads: the backlog would
   * otherwise fill this process.
   */
  async #tellLatest(program: Running): Promise<void> {
    program.isTelling = true
    while (!program.ended && program.latest !== undefined && program.latest !== program.told) {
      this.#inform(program, program.latest)
      // Wait until the messages have gone to the container.
      await Promise.resolve()
      await program.container.taken()
    }
    program.isTelling = false
  }

  /** Sends shared values. They only move one way, so the latest ones include all earlier ones. */
  #inform(program: Running, shared: Shared): void {
    program.latest = shared
    if (shared === program.told) return
    program.told = shared
    this.#send(program, { type: 'shared', shared })
  }

  /**
   * Starts the program of a job whose tasks may come soon, on each slot without a program, so that
   * the first tasks need not wait for it.
   */
  warm(job: JobId): void {
    for (const [index, { programs }] of this.#slots.entries()) {
      if (programs.size === 0) this.#endLater(index, job, this.#start(index, job))
    }
  }

  /** Ends the programs of a job that is over, in any state. */
  async end(job: JobId): Promise<void> {
    for (const [index, { programs }] of this.#slots.entries()) {
      const program = programs.get(job)
      if (program !== undefined) await this.#stop(index, job, program)
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#watch)
    for (const [index, { programs }] of this.#slots.entries()) for (const [job, program] of programs) await this.#stop(index, job, program)
  }

  #start(index: number, job: JobId): Running {
    const { file, place, blob } = this.#programOf(job)
    const container = startProgram(
      { place, job, file, limits: this.#limits },
      {
        onMessages: (messages) => this.#receive(index, job, program, messages),
        onLost: (reason) => this.#lost(index, job, program, reason),
      },
    )
    const program: Running = {
      container,
      blobs: new BlobFeed(container, blob),
      isLoaded: false,
      latest: undefined,
      told: undefined,
      isTelling: false,
      isFrozen: false,
      frames: new Set(),
      outbox: [],
      sent: 0,
      seen: 0,
      pending: [],
      since: performance.now(),
      ended: false,
      endTimer: undefined,
    }
    ;(this.#slots[index] as Slot).programs.set(job, program)
    return program
  }

  #send(program: Running, message: ToProgram): void {
    program.outbox.push(message)
    if (program.outbox.length > 1) return
    queueMicrotask(() => {
      const messages = program.outbox
      program.outbox = []
      if (!program.ended) program.container.post(messages)
    })
  }

  #given(program: Running, path: Path): void {
    clearTimeout(program.endTimer)
    program.endTimer = undefined
    if (program.pending.length === 0) program.since = performance.now()
    program.pending.push(path)
    program.sent++
  }

  #receive(index: number, job: JobId, program: Running, messages: readonly FromProgram[]): void {
    const inputs: Input[] = []
    const slot = this.#slots[index] as Slot
    let saw = false
    for (const message of messages) {
      switch (message.type) {
        case 'ready':
          program.isLoaded = true
          program.since = performance.now()
          clearTimeout(program.endTimer)
          program.endTimer = undefined
          break
        case 'unusable':
          if (inputs.length > 0) this.#tell(inputs)
          this.#lost(index, job, program, message.message, message)
          void program.container.end()
          return
        case 'spawned':
          if (!program.frames.has(message.path)) break
          inputs.push({ type: 'spawned', job, path: message.path, children: message.children })
          break
        case 'returned':
          if (!program.frames.delete(message.path)) break
          inputs.push({ type: 'returned', job, path: message.path, outcome: message.outcome, shared: message.shared, ran: message.ran })
          break
        case 'offered':
          inputs.push({ type: 'offered', job, shared: message.shared })
          break
        case 'use':
          program.blobs.use(message.blob)
          break
        case 'seen':
          program.pending.splice(0, Math.max(0, message.seen - program.seen))
          program.seen = Math.max(program.seen, Math.min(message.seen, program.sent))
          program.since = performance.now()
          saw = true
      }
    }
    if (saw) inputs.push({ type: 'idle', slot: index, seen: seenOf(slot) })
    this.#tell(inputs)
    this.#endIfIdle(index, job, program)
  }

  #endIfIdle(index: number, job: JobId, program: Running): void {
    if (program.frames.size === 0 && program.pending.length === 0 && !program.ended) this.#endLater(index, job, program)
  }

  /** Ends a program later, in any state and despite its messages: it has no task. */
  #endLater(index: number, job: JobId, program: Running): void {
    program.endTimer ??= setTimeout(() => void this.#stop(index, job, program), IDLE_END).unref()
  }

  /**
   * Handles a program that ended by itself, or was ended for a fault. Before the program was loaded
   * no task is to blame.
   */
  #lost(index: number, job: JobId, program: Running, reason: string, { code = 'PROGRAM_UNUSABLE', stack }: Unusable = {}): void {
    if (program.ended) return
    const [path] = program.pending
    this.#remove(index, job, program)
    const lost = { slot: index, job, reason }
    this.#tell([
      program.isLoaded ? { type: 'crashed', ...lost, path } : { type: 'unfit', ...lost, code, ...(stack !== undefined && { stack }) },
    ])
  }

  async #stop(index: number, job: JobId, program: Running): Promise<void> {
    if (program.ended) return
    this.#remove(index, job, program)
    const { frames } = program
    // Its frames belong to tasks that nobody wants any more.
    frames.clear()
    await program.container.end()
    this.#tell([{ type: 'idle', slot: index, seen: seenOf(this.#slots[index] as Slot) }])
  }

  #remove(index: number, job: JobId, program: Running): void {
    const slot = this.#slots[index] as Slot
    program.ended = true
    program.blobs.end()
    clearTimeout(program.endTimer)
    slot.programs.delete(job)
    slot.seenBefore += program.sent
  }

  #checkTime(): void {
    const now = performance.now()
    for (const [index, { programs }] of this.#slots.entries()) {
      for (const [job, program] of programs) {
        if (program.blobs.isWaiting) program.since = now
        const limit = program.isLoaded ? this.#limits.time : Math.max(LOAD_TIME, this.#limits.time)
        if (program.pending.length === 0 || now - program.since < limit) continue
        this.#lost(index, job, program, program.isLoaded ? `it ran for more than ${limit} ms` : `it was not loaded after ${limit} ms`)
        void program.container.end()
      }
    }
  }
}

function seenOf({ programs, seenBefore }: Slot): number {
  let seen = seenBefore
  for (const program of programs.values()) seen += program.seen
  return seen
}
