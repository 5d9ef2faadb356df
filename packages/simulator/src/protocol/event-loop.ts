import type { Milliseconds } from '@jel/protocol'
import type { EventHandle, VirtualClock } from '@jel/machine'

export interface EventLoopEvents {
  /** The loop stopped or continued. */
  changed(): void
  timer(): void
  /** The loop continued and has caught up. */
  woken(): void
}

/** The event loop of a process, with its one timer. The loop can stop, be busy, and end. */
export class EventLoop {
  /** `standing`: stopped or busy. `gone`: ended. */
  state: 'running' | 'standing' | 'gone' = 'running'
  readonly #clock: VirtualClock
  readonly #events: EventLoopEvents
  readonly #inbox: (() => void)[] = []
  #timer: EventHandle | undefined
  #timerDue = false
  #stopped = false
  #stalledUntil: Milliseconds = 0

  constructor(clock: VirtualClock, events: EventLoopEvents) {
    this.#clock = clock
    this.#events = events
  }

  /** Stops the loop, as SIGSTOP does. */
  stop(): void {
    this.#stopped = true
    this.#standStill()
  }

  /** Continues the loop, as SIGCONT does. */
  continue(): void {
    this.#stopped = false
    this.#wakeUp()
  }

  /** Keeps the loop busy for this time. */
  stall(ms: Milliseconds): void {
    this.#stalledUntil = Math.max(this.#stalledUntil, this.#clock.now + ms)
    this.#clock.at(this.#stalledUntil, () => this.#wakeUp())
    this.#standStill()
  }

  /** Ends the loop for good. */
  end(): void {
    this.state = 'gone'
    this.#inbox.length = 0
    if (this.#timer !== undefined) this.#clock.cancel(this.#timer)
  }

  /** Calls the action now, or when the loop continues. */
  whenAwake(action: () => void): void {
    if (this.state === 'running') action()
    else if (this.state === 'standing') this.#inbox.push(action)
  }

  /** Sets the timer. It replaces the timer set before. */
  setTimer(at: Milliseconds): void {
    if (this.#timer !== undefined) this.#clock.cancel(this.#timer)
    this.#timerDue = false
    this.#timer = this.#clock.at(at, this.#timerFired)
  }

  readonly #timerFired = (): void => {
    this.#timer = undefined
    if (this.state === 'running') this.#events.timer()
    else this.#timerDue = true
  }

  #standStill(): void {
    if (this.state !== 'running') return
    this.state = 'standing'
    this.#events.changed()
  }

  #wakeUp(): void {
    if (this.state !== 'standing' || this.#stopped || this.#clock.now < this.#stalledUntil) return
    this.state = 'running'
    this.#events.changed()
    // A resumed event loop handles its timers first, then its sockets.
    if (this.#timerDue) {
      this.#timerDue = false
      this.#events.timer()
    }
    for (const action of this.#inbox.splice(0)) action()
    this.#events.woken()
  }
}
