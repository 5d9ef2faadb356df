import type { ComputeMember, Effect, Input, JobId, MemberId, Message } from '../core/io.ts'
import type { Signer } from '../core/context.ts'
import type { Tickets } from '../core/queue.ts'
import { Scheduler } from '../core/scheduler.ts'
import type { PlacedProgram, TaskLimits } from '../executors/container.ts'
import { Executor } from '../executors/executor.ts'

export interface RunnerOptions {
  readonly self: ComputeMember
  readonly workers: number
  readonly limits?: Partial<TaskLimits>
  /** Shares of owners; see `Queue`. */
  readonly tickets?: Tickets
  /** Of votes. Not needed where nobody else computes. */
  readonly signer?: Signer
  readonly programOf: (job: JobId) => PlacedProgram
  readonly send: (to: MemberId, message: Message) => void
  readonly onRun?: (effect: Extract<Effect, { type: 'run' }>) => void
  readonly onEnded: (effect: Extract<Effect, { type: 'ended' }>) => void
  readonly onExplained?: (effect: Extract<Effect, { type: 'explained' }>) => void
  readonly onWarning: (effect: Extract<Effect, { type: 'warning' }>) => void
}

/** A scheduler at work: with the clock, containers for its tasks, and somebody who carries its messages. */
export class Runner {
  readonly scheduler: Scheduler
  readonly #options: RunnerOptions
  readonly #executor: Executor
  #timer: NodeJS.Timeout | undefined
  #closed = false
  /** Inputs that came while effects were carried out. */
  readonly #inputs: Input[] = []
  #isFeeding = false

  constructor(options: RunnerOptions) {
    this.#options = options
    const { self, workers, limits, signer, tickets, programOf } = options
    this.scheduler = new Scheduler({ self, workers, random: Math.random, ...(signer && { signer }), ...(tickets && { tickets }) })
    this.#executor = new Executor({ slots: workers, ...(limits && { limits }), programOf, tell: (inputs) => this.feed(...inputs) })
  }

  feed(...inputs: readonly Input[]): void {
    if (this.#closed) return
    this.#inputs.push(...inputs)
    if (this.#isFeeding) return
    this.#isFeeding = true
    try {
      for (let input = this.#inputs.shift(); input !== undefined; input = this.#inputs.shift()) {
        for (const effect of this.scheduler.handle(input, performance.now())) this.#carryOut(effect)
      }
    } finally {
      this.#isFeeding = false
    }
  }

  /** Tasks of a job may come. */
  warm(job: JobId): void {
    if (!this.#closed && this.scheduler.ended(job) === undefined) this.#executor.warm(job)
  }

  async close(): Promise<void> {
    this.feed({ type: 'leave' })
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#executor.close()
  }

  #carryOut(effect: Effect): void {
    switch (effect.type) {
      case 'send':
        this.#options.send(effect.to, effect.message)
        return
      case 'run':
        this.#options.onRun?.(effect)
        this.#executor.carryOut(effect)
        return
      case 'deliver':
      case 'forget':
        this.#executor.carryOut(effect)
        return
      case 'shared':
        this.#executor.shared(effect)
        return
      case 'timer':
        clearTimeout(this.#timer)
        this.#timer = setTimeout(() => this.feed({ type: 'timer' }), Math.max(0, Math.ceil(effect.at - performance.now())))
        return
      case 'ended':
        void this.#executor.end(effect.job)
        this.#options.onEnded(effect)
        return
      case 'explained':
        this.#options.onExplained?.(effect)
        return
      case 'warning':
        this.#options.onWarning(effect)
    }
  }
}
