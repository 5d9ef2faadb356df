import type { Machine, Milliseconds, Tagged, TimerEffect, TimerInput } from './machine.ts'

/**
 * The handlers that carry out effects: one for each type of effect, with the name of the type. The
 * driver itself carries out effects of the type `timer`.
 */
export type EffectHandlers<Effect extends Tagged> = {
  readonly [Type in Exclude<Effect['type'], 'timer'>]: (effect: Extract<Effect, { type: Type }>) => void
}

/** Gives the time, which never runs backwards. */
export interface Clock {
  now(): Milliseconds
}

/** The longest delay that setTimeout takes, ms. */
const longestDelay = 2 ** 31 - 1

/**
 * Runs a state machine in real time. Inputs go in one at a time. The driver carries out the effects
 * of an input before the next input. An input that arises meanwhile waits for its turn.
 */
export class Driver<Input extends Tagged, Effect extends Tagged> {
  readonly #machine: Machine<Input, Effect>
  readonly #handlers: EffectHandlers<Effect>
  readonly #clock: Clock
  readonly #queue: ({ readonly input: Input } | { readonly effects: readonly (Effect | TimerEffect)[] })[] = []
  #isRunning = false
  #isStopped = false
  /** The time at which the driver must wake the machine; undefined: never. */
  #due: Milliseconds | undefined
  /**
   * The running timeout: its end, and the time for which it was set. Its end may be the later one,
   * since setTimeout waits for whole milliseconds, at least one.
   */
  #armed: { readonly end: Milliseconds; readonly for: Milliseconds } | undefined
  #timeout: NodeJS.Timeout | undefined

  constructor(machine: Machine<Input, Effect>, handlers: EffectHandlers<Effect>, clock: Clock) {
    this.#machine = machine
    this.#handlers = handlers
    this.#clock = clock
  }

  deliver(...inputs: readonly Input[]): void {
    if (this.#isStopped) return
    for (const input of inputs) this.#queue.push({ input })
    this.#run()
  }

  /**
   * Asks the machine for an immediate answer. The effects of the question wait for their turn.
   * Returns undefined after a call of `stop`.
   */
  ask<Answer>(question: (now: Milliseconds) => { answer: Answer; effects: readonly Effect[] }): Answer | undefined {
    if (this.#isStopped) return undefined
    let given: Answer | undefined
    const ask = (): void => {
      const { answer, effects } = question(this.#clock.now())
      given = answer
      this.#queue.push({ effects })
    }
    if (this.#isRunning) ask()
    else {
      this.#run(() => {
        this.#wakeIfOverdue()
        ask()
      })
    }
    return given
  }

  /** Takes no more inputs and carries out no more effects. */
  stop(): void {
    this.#isStopped = true
    this.#queue.length = 0
    clearTimeout(this.#timeout)
  }

  #run(first?: () => void): void {
    if (this.#isRunning) return
    this.#isRunning = true
    try {
      first?.()
      for (let next = this.#queue.shift(); next && !this.#isStopped; next = this.#queue.shift()) {
        if ('effects' in next) this.#carryOut(next.effects)
        else {
          this.#wakeIfOverdue()
          this.#carryOut(this.#machine.handle(next.input, this.#clock.now()))
        }
      }
    } finally {
      this.#isRunning = false
      // A handler that throws must not stop the machine.
      this.#arm()
    }
  }

  /**
   * Wakes the machine before any other input, if its wake and the running timeout are overdue.
   * After a stop of the process (SIGSTOP, a suspended laptop, a blocked event loop) the kernel's
   * buffers are full of old input. Node.js may handle that input before the timeout. The machine
   * learns of the stop from the lateness of its timer.
   */
  #wakeIfOverdue(): void {
    const now = this.#clock.now()
    if (this.#due === undefined || this.#armed === undefined || now < Math.max(this.#due, this.#armed.end)) return
    this.#due = undefined
    this.#carryOut(this.#machine.handle({ type: 'timer' } satisfies TimerInput, now))
  }

  #carryOut(effects: readonly (Effect | TimerEffect)[]): void {
    for (const effect of effects) {
      if (this.#isStopped) return
      if (isTimer(effect)) this.#due = effect.at
      else (this.#handlers[effect.type as keyof EffectHandlers<Effect>] as (effect: Effect) => void)(effect)
    }
  }

  /**
   * Sets a timeout for the next wake. Most inputs move the wake to a slightly later time. Then the
   * driver keeps the running timeout. It fires early, and the driver sets a new one.
   */
  #arm(): void {
    if (this.#isStopped || this.#due === undefined || (this.#armed !== undefined && this.#armed.for <= this.#due)) return
    clearTimeout(this.#timeout)
    const now = this.#clock.now()
    // setTimeout waits for at least a millisecond.
    const delay = Math.min(Math.max(Math.ceil(this.#due - now), 1), longestDelay)
    this.#armed = { end: now + delay, for: this.#due }
    this.#timeout = setTimeout(() => {
      this.#run(() => {
        this.#wakeIfOverdue()
        this.#armed = undefined
      })
    }, delay)
  }
}

function isTimer(effect: Tagged): effect is TimerEffect {
  return effect.type === 'timer'
}
