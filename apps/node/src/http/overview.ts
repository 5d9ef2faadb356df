import type { Agent } from '../agent/agent.ts'
import { inBackground } from '../base/timers.ts'
import type { NodeEvent } from '../events/events.ts'
import { pauseFor } from '../model/allocation.ts'

/**
 * While there are streams, asks the members for leases, groups and services, and reports the
 * answers that changed.
 */
export class Overview {
  readonly #agent: Agent
  readonly #tell: (event: NodeEvent) => void
  /** The last answers, by kind. */
  readonly #last = new Map<string, NodeEvent>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #isRunning = false
  #isAsking = false

  constructor(agent: Agent, tell: (event: NodeEvent) => void) {
    this.#agent = agent
    this.#tell = tell
  }

  /** The last answers, for streams that come later. */
  get events(): Iterable<NodeEvent> {
    return this.#last.values()
  }

  start(): void {
    if (this.#isRunning) return
    this.#isRunning = true
    void this.#ask()
  }

  /** Stops, and drops the answers: they would become out of date. */
  stop(): void {
    this.#isRunning = false
    clearTimeout(this.#timer)
    this.#last.clear()
  }

  /** Asks, and asks again after a pause. */
  async #ask(): Promise<void> {
    const { overview, stopping, pool } = this.#agent
    if (overview === undefined || stopping || this.#isAsking) return
    this.#isAsking = true
    try {
      for (const event of await overview()) this.#take(event)
    } catch {
      // The pool has ended meanwhile.
    } finally {
      this.#isAsking = false
    }
    if (!this.#isRunning) return
    this.#timer = inBackground(setTimeout(() => void this.#ask(), pauseFor(pool.members().length)))
  }

  #take(event: NodeEvent): void {
    if (!this.#isRunning || JSON.stringify(event) === JSON.stringify(this.#last.get(event.event))) return
    this.#last.set(event.event, event)
    this.#tell(event)
  }
}
