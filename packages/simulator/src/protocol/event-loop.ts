import type { Milliseconds } from '@jel/protocol'
import type { VirtualClock } from '../engine/clock.ts'
import type { EventHandle } from '../engine/event-queue.ts'

export interface EventLoopEvents {
  /** The loop stands still, or goes on. */
  changed(): void
  timer(): void
  /** The loop goes on, and has caught up. */
  woken(): void
}

/** The event loop of a process, with its one timer. It can be stopped, be busy, and end. */
export class EventLoop {
  /** Runs, stands still, or is gone. */
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

  /** SIGSTOP. */
  stop(): void {
    this.#stopped = true
    this.#standStill()
  }

  /** SIGCONT. */
  continue(): void {
    this.#stopped = false
    this.#wakeUp()
  }

  /** Keeps the loop busy for so long. */
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

  /** Calls the action now, or once a standing loop goes on. */
  whenAwake(action: () => void): void {
    if (this.state === 'running') action()
    else if (this.state === 'standing') this.#inbox.push(action)
  }

  /** Sets the timer, in place of the one before. */
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
    // A resumed event loop looks at its timers first, then at its sockets.
    if (this.#timerDue) {
      this.#timerDue = false
      this.#events.timer()
    }
    for (const action of this.#inbox.splice(0)) action()
    this.#events.woken()
  }
}
