import { startProgram } from '#platform/containers'
import type { Effect, Input, JobId, Milliseconds } from '../core/io.ts'
import type { MessageBudget, PlacedProgram } from './container.ts'
import { defaultTaskLimits, LOAD_TIME, type TaskLimits } from '../program/task-limits.ts'
import type { FromProgram, PrintedText } from '../program/messages.ts'
import { RunningProgram } from './running-program.ts'
import { inBackground, type Timer } from '@jel/overlay'

/**
 * The executor ends a program without frames after this time, ms. A guess: a new process takes 45
 * to 60 ms, a sandbox 110 to 260 ms more (measured).
 */
const IDLE_END = 5000
/**
 * Maximum number of programs without frames that a slot keeps for that time. A guess: jobs that
 * take turns find their processes, and many short jobs don't leave one process each.
 */
const MAX_IDLE = 2

type Given = Extract<Effect, { type: 'run' | 'deliver' | 'forget' }>

type Unusable = Partial<Pick<Extract<FromProgram, { type: 'unusable' }>, 'code' | 'stack' | 'path'>>

interface Slot {
  readonly programs: Map<JobId, RunningProgram>
  /** The sum of runs and deliveries sent to programs that have ended. */
  seenBefore: number
}

/**
 * Runs programs in processes of their own. Each slot runs at most one task at a time. Each job has
 * a container of its own on a slot, so no two jobs share a process.
 */
export class Executor {
  readonly #slots: readonly Slot[]
  readonly #limits: TaskLimits
  readonly #budget: MessageBudget | undefined
  readonly #programOf: (job: JobId) => PlacedProgram
  readonly #onInputs: (inputs: readonly Input[]) => void
  readonly #onOutput: (job: JobId, printed: PrintedText) => void
  readonly #watch: Timer
  /** Set while tasks save their last states. */
  #allSaved: (() => void) | undefined

  constructor(options: {
    slots: number
    limits?: Partial<TaskLimits>
    budget?: MessageBudget
    programOf: (job: JobId) => PlacedProgram
    onInputs: (inputs: readonly Input[]) => void
    onOutput?: (job: JobId, printed: PrintedText) => void
  }) {
    this.#slots = Array.from({ length: options.slots }, () => ({ programs: new Map<JobId, RunningProgram>(), seenBefore: 0 }))
    this.#limits = { ...defaultTaskLimits, ...options.limits }
    this.#budget = options.budget
    this.#programOf = options.programOf
    this.#onInputs = options.onInputs
    this.#onOutput = options.onOutput ?? (() => {})
    this.#watch = inBackground(setInterval(() => this.#checkTime(), Math.max(10, Math.min(1000, this.#limits.time / 4))))
  }

  carryOut(effect: Given): void {
    const slot = this.#slots[effect.slot] as Slot
    const program = slot.programs.get(effect.job) ?? (effect.type === 'run' ? this.#start(effect.slot, effect.job) : undefined)
    if (program === undefined) {
      // The program is gone. The delivery counts as seen, so that the slot is free again.
      if (effect.type === 'deliver') slot.seenBefore++
      return
    }
    switch (effect.type) {
      case 'run':
        program.run(effect)
        return
      case 'deliver':
        program.deliver(effect)
        return
      case 'forget':
        program.forget(effect.path)
        this.#endIfIdle(effect.slot, program)
    }
  }

  /** Sends improved shared values of a job to its programs. */
  shared({ job, shared }: Extract<Effect, { type: 'shared' }>): void {
    for (const { programs } of this.#slots) programs.get(job)?.shared(shared)
  }

  /**
   * Starts the program of a job whose tasks may come soon, on each slot without a program, so that
   * the first tasks need not wait for it.
   */
  warm(job: JobId): void {
    for (const [index, { programs }] of this.#slots.entries()) {
      if (programs.size === 0) this.#endLater(index, this.#start(index, job))
    }
  }

  /** Ends the programs of a job that is over, in any state. */
  async end(job: JobId): Promise<void> {
    for (const [index, { programs }] of this.#slots.entries()) {
      const program = programs.get(job)
      if (program !== undefined) await this.#stop(index, program)
    }
  }

  /** Lets tasks save a last state. Resolves once all that save have done so, or after `within`. */
  async stop(within: Milliseconds): Promise<void> {
    if (!this.#isSaving) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#allSaved = resolve
    for (const { programs } of this.#slots) for (const program of programs.values()) program.stop()
    const timer = setTimeout(resolve, within)
    await promise
    clearTimeout(timer)
  }

  async close(): Promise<void> {
    clearInterval(this.#watch)
    for (const [index, { programs }] of this.#slots.entries()) for (const program of programs.values()) await this.#stop(index, program)
  }

  #start(index: number, job: JobId): RunningProgram {
    const placed = this.#programOf(job)
    const { file, place } = placed
    const container = startProgram(
      { place, job, file, limits: this.#limits, budget: this.#budget },
      {
        onMessages: (messages) => this.#receive(index, program, messages),
        onLost: (reason) => this.#lost(index, program, reason),
      },
    )
    const program = new RunningProgram(job, container, placed)
    ;(this.#slots[index] as Slot).programs.set(job, program)
    return program
  }

  #receive(index: number, program: RunningProgram, messages: readonly FromProgram[]): void {
    const inputs: Input[] = []
    let saw = false
    for (const message of messages) {
      if (message.type === 'unusable') {
        if (inputs.length > 0) this.#onInputs(inputs)
        this.#lost(index, program, message.message, message)
        void program.container.end()
        return
      }
      if (message.type === 'output') {
        const { type: _, ...printed } = message
        this.#onOutput(program.job, printed)
        continue
      }
      inputs.push(...program.received(message))
      saw ||= message.type === 'seen'
    }
    if (saw) inputs.push(this.#idle(index))
    this.#onInputs(inputs)
    this.#endIfIdle(index, program)
    this.#savedAll()
  }

  get #isSaving(): boolean {
    return this.#slots.some(({ programs }) => [...programs.values()].some((program) => program.isSaving))
  }

  #savedAll(): void {
    if (this.#allSaved !== undefined && !this.#isSaving) this.#allSaved()
  }

  #endIfIdle(index: number, program: RunningProgram): void {
    if (!program.isIdle || program.ended) return
    this.#endLater(index, program)
    const idle = [...(this.#slots[index] as Slot).programs.values()].filter((each) => each.isIdle && each !== program)
    if (idle.length >= MAX_IDLE) void this.#stop(index, idle[0] as RunningProgram)
  }

  /** Ends a program later, unless it gets a task before. */
  #endLater(index: number, program: RunningProgram): void {
    program.endLater(IDLE_END, () => void this.#stop(index, program))
  }

  /**
   * Handles a program that ended by itself, or that this member ended for a fault. If the program
   * was not loaded yet, or says that it does not run here, no task is to blame.
   */
  #lost(index: number, program: RunningProgram, reason: string, unusable?: Unusable): void {
    const { code = 'PROGRAM_UNUSABLE', stack, path } = unusable ?? {}
    if (program.ended) return
    const { atWork } = program
    this.#remove(index, program)
    const lost = { slot: index, job: program.job, reason }
    this.#onInputs([
      program.isLoaded && unusable === undefined
        ? { type: 'crashed', ...lost, path: atWork }
        : { type: 'unfit', ...lost, code, ...(stack !== undefined && { stack }), ...(path !== undefined && { path }) },
    ])
  }

  async #stop(index: number, program: RunningProgram): Promise<void> {
    if (program.ended) return
    this.#remove(index, program)
    program.abandon()
    await program.container.end()
    this.#onInputs([this.#idle(index)])
  }

  #remove(index: number, program: RunningProgram): void {
    const slot = this.#slots[index] as Slot
    program.end()
    slot.programs.delete(program.job)
    slot.seenBefore += program.sent
    this.#savedAll()
  }

  #idle(index: number): Input {
    const { programs, seenBefore } = this.#slots[index] as Slot
    let seen = seenBefore
    for (const program of programs.values()) seen += program.seen
    return { type: 'idle', slot: index, seen }
  }

  #checkTime(): void {
    for (const [index, { programs }] of this.#slots.entries()) {
      for (const program of programs.values()) {
        const { isLoaded } = program
        const limit = isLoaded ? this.#limits.time : Math.max(LOAD_TIME, this.#limits.time)
        if (!program.exceeds(limit)) continue
        this.#lost(index, program, isLoaded ? `it ran for more than ${limit} ms` : `it was not loaded after ${limit} ms`)
        void program.container.end()
      }
    }
  }
}
