/**
 * Runs the protocol's state machine: feeds inputs one at a time together with the time, and
 * executes the effects in order.
 */
import type { BroadcastVerdict, Effect, Input, Milliseconds } from '@jel/protocol'
import type { Clock } from './base/clock.ts'

/** The part of the protocol that the driver uses. */
export interface Machine {
  handle(input: Input, now: Milliseconds): Effect[]
  handleBroadcast(data: Uint8Array, now: Milliseconds): { verdict: BroadcastVerdict; effects: Effect[] }
}

type EffectOf<Type extends Effect['type']> = Extract<Effect, { type: Type }>

/** Executes effects, each type by a method of its name. The driver handles the timer itself. */
export type Carrier = { readonly [Type in Exclude<Effect['type'], 'timer'>]: (effect: EffectOf<Type>) => void }

/** The longest delay that setTimeout takes, ms. */
const maxDelay = 2 ** 31 - 1

export class Driver {
  readonly #machine: Machine
  readonly #carrier: Carrier
  readonly #clock: Clock
  readonly #queue: (Input | { readonly type: 'effects'; readonly effects: readonly Effect[] })[] = []
  #running = false
  #stopped = false
  /** When the protocol wants to be woken. Undefined: not at all. */
  #due: Milliseconds | undefined
  /** When the running timeout ends. It may be earlier than `#due`, never later. */
  #armed: Milliseconds | undefined
  #timeout: NodeJS.Timeout | undefined

  constructor(machine: Machine, carrier: Carrier, clock: Clock) {
    this.#machine = machine
    this.#carrier = carrier
    this.#clock = clock
  }

  /**
   * Feeds an input to the protocol. An input that arises while effects are executed waits for their
   * end.
   */
  deliver(input: Input): void {
    if (this.#stopped) return
    this.#queue.push(input)
    this.#run()
  }

  /** Feeds a broadcast to the protocol and returns its verdict. */
  judge(data: Uint8Array): BroadcastVerdict {
    let verdict: BroadcastVerdict = 'ignore'
    const judge = (): void => {
      const judged = this.#machine.handleBroadcast(data, this.#clock.now())
      verdict = judged.verdict
      this.#queue.push({ type: 'effects', effects: judged.effects })
    }
    if (this.#stopped) return verdict
    if (this.#running) judge()
    else {
      this.#run(() => {
        this.#wakeIfOverdue()
        judge()
      })
    }
    return verdict
  }

  /** Accepts no more inputs and executes no more effects. */
  stop(): void {
    this.#stopped = true
    this.#queue.length = 0
    clearTimeout(this.#timeout)
  }

  #run(first?: () => void): void {
    if (this.#running) return
    this.#running = true
    try {
      first?.()
      for (let next = this.#queue.shift(); next && !this.#stopped; next = this.#queue.shift()) {
        if (next.type === 'effects') this.#carryOut(next.effects)
        else {
          this.#wakeIfOverdue()
          this.#carryOut(this.#machine.handle(next, this.#clock.now()))
        }
      }
    } finally {
      this.#running = false
    }
    this.#arm()
  }

  /**
   * After a stop (SIGSTOP, a suspended laptop, a blocked event loop) the kernel's buffers are full
   * of old frames, and sockets come before timers. The protocol detects the stop by the lateness of
   * its timer, so the timer must come first.
   */
  #wakeIfOverdue(): void {
    const now = this.#clock.now()
    if (this.#due === undefined || now < this.#due) return
    this.#due = undefined
    this.#carryOut(this.#machine.handle({ type: 'timer' }, now))
  }

  #carryOut(effects: readonly Effect[]): void {
    for (const effect of effects) {
      if (this.#stopped) return
      if (effect.type === 'timer') this.#due = effect.at
      else (this.#carrier[effect.type] as (effect: Effect) => void)(effect)
    }
  }

  /**
   * Most inputs postpone the timer a little. A pending timeout is left to fire early, and is then
   * set again.
   */
  #arm(): void {
    if (this.#stopped || this.#due === undefined || (this.#armed !== undefined && this.#armed <= this.#due)) return
    clearTimeout(this.#timeout)
    const now = this.#clock.now()
    const delay = Math.min(Math.max(this.#due - now, 0), maxDelay)
    this.#armed = now + delay
    this.#timeout = setTimeout(() => {
      this.#armed = undefined
      this.#run(() => this.#wakeIfOverdue())
    }, delay)
  }
}
