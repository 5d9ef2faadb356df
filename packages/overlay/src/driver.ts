/**
 * Runs the protocol's state machine: inputs go in one at a time together with the time, effects are carried out in order.
 */
import type { BroadcastVerdict, Effect, Input, Milliseconds } from '@jel/protocol'
import type { Clock } from './base/clock.ts'

/** What the driver needs of the protocol. */
export interface Machine {
  handle(input: Input, now: Milliseconds): Effect[]
  handleBroadcast(data: Uint8Array, now: Milliseconds): { verdict: BroadcastVerdict; effects: Effect[] }
}

type EffectOf<Type extends Effect['type']> = Extract<Effect, { type: Type }>

/** Carries effects out, each by a method of its name. The timer is the driver's own. */
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
  /** When the protocol wants to be woken; undefined: not at all. */
  #due: Milliseconds | undefined
  /** When the running timeout ends; it may be earlier than `#due`, never later. */
  #armed: Milliseconds | undefined
  #timeout: NodeJS.Timeout | undefined

  constructor(machine: Machine, carrier: Carrier, clock: Clock) {
    this.#machine = machine
    this.#carrier = carrier
    this.#clock = clock
  }

  /** Hands an input to the protocol. One that comes up while effects are carried out waits until they are. */
  deliver(input: Input): void {
    if (this.#stopped) return
    this.#queue.push(input)
    this.#run()
  }

  /** Hands a broadcast to the protocol and tells what to do with it. */
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

  /** No input is taken and no effect carried out any more. */
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
   * After a stop (SIGSTOP, a suspended laptop, a blocked event loop) the kernel's buffers are full of old frames, and sockets come before
   * timers. The protocol learns of the stop from the lateness of its timer, so it must hear of that first.
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

  /** Most inputs move the timer back a little: one that is set already is left to fire early and is then set again. */
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
