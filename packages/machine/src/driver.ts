import type { Machine, Milliseconds, Tagged, TimerEffect, TimerInput } from './machine.ts'

/**
 * The handlers that carry out effects. The key of a handler is the type of its effect. The driver
 * itself carries out effects of the type `timer`.
 */
export type EffectHandlers<Effect extends Tagged> = {
  readonly [Type in Exclude<Effect['type'], 'timer'>]: (effect: Extract<Effect, { type: Type }>) => void
}

/** A clock that never runs backwards. */
export interface Clock {
  now(): Milliseconds
}

/** The longest delay that setTimeout takes, ms: more than 24 days. */
const longestDelay = 2 ** 31 - 1

/**
 * Runs a state machine in real time. Inputs go in one at a time. The driver carries out the effects
 * of an input before the next input. An input that arises meanwhile waits for its turn.
 *
 * If a handler throws, the driver drops the later effects of that input, except the effect `timer`.
 * If the machine throws, that input has no effects. In both cases the driver goes on with the next
 * input. It throws the error when no input waits any more.
 */
export class Driver<Input extends Tagged, Effect extends Tagged> {
  readonly #machine: Machine<Input, Effect>
  readonly #handlers: EffectHandlers<Effect>
  readonly #clock: Clock
  readonly #queue: ({ readonly input: Input } | { readonly effects: readonly (Effect | TimerEffect)[] })[] = []
  #isRunning = false
  #isStopped = false
  /** The time at which the driver must wake the machine. Undefined: it need not. */
  #due: Milliseconds | undefined
  /**
   * The running timeout. It was set for a wake at `due`, and it fires at `end`.
   *
   * Usually `end` is up to 1 ms later than `due`: setTimeout takes whole milliseconds, at least
   * one. `end` is later by more than 1 ms if `due` was past already. It is earlier than `due` if
   * `due` is further away than `longestDelay`.
   */
  #armed: { readonly end: Milliseconds; readonly due: Milliseconds } | undefined
  #timeout: NodeJS.Timeout | undefined
  /** The errors of the present run. */
  readonly #errors: unknown[] = []

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
    } catch (error) {
      this.#errors.push(error)
    }
    for (let next = this.#queue.shift(); next && !this.#isStopped; next = this.#queue.shift()) {
      if ('effects' in next) this.#carryOut(next.effects)
      else {
        this.#wakeIfOverdue()
        this.#handle(next.input)
      }
    }
    this.#isRunning = false
    this.#arm()
    const errors = this.#errors.splice(0)
    if (errors.length > 1) throw new AggregateError(errors, 'several inputs failed')
    if (errors.length === 1) throw errors[0]
  }

  /**
   * Wakes the machine before the next input if its wake is overdue.
   *
   * This is for stops of the process (SIGSTOP, a suspended laptop, a blocked event loop). After a
   * stop the kernel's buffers are full of old input, and Node.js may handle that input before the
   * timeout. The machine must get its wake first: it learns of the stop from the lateness of that
   * wake.
   *
   * A wake is overdue if its time is past and the running timeout should have fired. If the end of
   * that timeout is still to come, the timeout wakes the machine. If no timeout runs, `#arm` sets
   * one at the end of this run.
   */
  #wakeIfOverdue(): void {
    const now = this.#clock.now()
    if (this.#due === undefined || this.#armed === undefined || now < Math.max(this.#due, this.#armed.end)) return
    this.#due = undefined
    this.#handle({ type: 'timer' })
  }

  #handle(input: Input | TimerInput): void {
    try {
      this.#carryOut(this.#machine.handle(input, this.#clock.now()))
    } catch (error) {
      this.#errors.push(error)
    }
  }

  /** After an error it carries out the effect `timer` only: a lost wake would stop the machine. */
  #carryOut(effects: readonly (Effect | TimerEffect)[]): void {
    let hasFailed = false
    for (const effect of effects) {
      if (this.#isStopped) return
      if (isTimer(effect)) this.#due = effect.at === Infinity ? undefined : effect.at
      else if (!hasFailed) {
        try {
          ;(this.#handlers[effect.type as keyof EffectHandlers<Effect>] as (effect: Effect) => void)(effect)
        } catch (error) {
          this.#errors.push(error)
          hasFailed = true
        }
      }
    }
  }

  /**
   * Sets a timeout for the next wake, unless the running one was set for an earlier wake. Most
   * inputs move the wake to a slightly later time. Then the running timeout fires early, and the
   * driver sets a new one.
   */
  #arm(): void {
    if (this.#isStopped || this.#due === undefined || (this.#armed !== undefined && this.#armed.due <= this.#due)) return
    clearTimeout(this.#timeout)
    const now = this.#clock.now()
    // setTimeout waits for at least a millisecond.
    const delay = Math.min(Math.max(Math.ceil(this.#due - now), 1), longestDelay)
    this.#armed = { end: now + delay, due: this.#due }
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
