import { Driver, type EffectHandlers } from '@jel/machine'
import type { ComputeMember, Effect, Input, JobId, MemberId } from '../core/io.ts'
import type { Signer } from '../core/context.ts'
import type { Message } from '../core/messages.ts'
import type { Tickets } from '../core/job-queue.ts'
import { Scheduler } from '../core/scheduler.ts'
import type { PlacedProgram } from '../executors/container.ts'
import type { TaskLimits } from '../program/task-limits.ts'
import { Executor } from '../executors/executor.ts'
import type { PrintedText } from '../program/messages.ts'
import { PeerBudget } from './peer-budget.ts'
import { shownInput } from './shown-input.ts'

/**
 * A member that leaves gives its tasks this time for their last states, ms. A guess: a task that
 * saves each second has enough time.
 */
const SAVE_TIME = 2000

export interface RunnerOptions {
  readonly self: ComputeMember
  readonly workers: number
  readonly limits?: Partial<TaskLimits>
  /** Shares of owners; see `Queue`. */
  readonly tickets?: Tickets
  /** Signs and checks votes. Not needed if no other member computes. */
  readonly signer?: Signer
  readonly programOf: (job: JobId) => PlacedProgram
  readonly send: (to: MemberId, message: Message) => void
  /** Called after each input if this member saves outcomes on disk: there may be new outcomes. */
  readonly onFed?: () => void
  readonly onOutput?: (job: JobId, printed: PrintedText) => void
  /** A frame ended here. `took`: the time that it kept its worker busy, ms. */
  readonly onRan?: (took: number) => void
  readonly onRun?: (effect: Extract<Effect, { type: 'run' }>) => void
  readonly onEnded: (effect: Extract<Effect, { type: 'ended' }>) => void
  readonly onExplained?: (effect: Extract<Effect, { type: 'explained' }>) => void
  readonly onOutcomes?: (effect: Extract<Effect, { type: 'outcomes' }>) => void
  readonly onWarning: (effect: Extract<Effect, { type: 'warning' }>) => void
}

/** Runs a scheduler with a clock, containers for its tasks, and a way to send its messages. */
export class Runner {
  readonly scheduler: Scheduler
  readonly #executor: Executor
  readonly #driver: Driver<Input, Effect>
  readonly #onFed: (() => void) | undefined
  #isClosed = false

  constructor(options: RunnerOptions) {
    const { self, workers, limits, signer, tickets, programOf, onOutput, onFed, onRan } = options
    this.#onFed = onFed
    this.scheduler = new Scheduler({
      self,
      workers,
      random: Math.random,
      saves: onFed !== undefined,
      describe: shownInput,
      ...(signer && { signer }),
      ...(tickets && { tickets }),
    })
    const onInputs = (inputs: readonly Input[]): void => {
      this.feed(...inputs)
      if (onRan !== undefined) for (const input of inputs) if (input.type === 'returned') onRan(input.ran)
    }
    // The programs of a job pay for their messages, as peers do.
    const executor = new Executor({
      slots: workers,
      ...(limits && { limits }),
      budget: new PeerBudget(),
      programOf,
      onInputs,
      ...(onOutput && { onOutput }),
    })
    this.#executor = executor
    const handlers: EffectHandlers<Effect> = {
      send: ({ to, message }) => options.send(to, message),
      run: (effect) => {
        options.onRun?.(effect)
        executor.carryOut(effect)
      },
      deliver: (effect) => executor.carryOut(effect),
      forget: (effect) => executor.carryOut(effect),
      shared: (effect) => executor.shared(effect),
      ended: (effect) => {
        void executor.end(effect.job)
        options.onEnded(effect)
      },
      explained: (effect) => options.onExplained?.(effect),
      outcomes: (effect) => options.onOutcomes?.(effect),
      warning: (effect) => options.onWarning(effect),
    }
    this.#driver = new Driver(this.scheduler, handlers, performance)
  }

  feed(...inputs: readonly Input[]): void {
    this.#driver.deliver(...inputs)
    this.#onFed?.()
  }

  /** Starts the program of a job whose tasks may come soon. */
  warm(job: JobId): void {
    if (!this.#isClosed && this.scheduler.ended(job) === undefined) this.#executor.warm(job)
  }

  async close(): Promise<void> {
    if (!this.scheduler.isAlone) {
      this.feed({ type: 'stop' })
      await this.#executor.stop(SAVE_TIME)
    }
    this.feed({ type: 'leave' })
    this.#isClosed = true
    this.#driver.stop()
    await this.#executor.close()
  }
}
