import type { Sessions, TraceEvent } from '../scenario/population.ts'
import { lives, type Actor } from '../truth/actor.ts'
import { exponential, lifetime, residualLifetime } from '../scenario/distributions.ts'
import type { GroundTruth } from '../truth/ground-truth.ts'

/** Starts the initial nodes and ends the sessions of all nodes, each in its time. */
export class Population {
  readonly #truth: GroundTruth
  readonly #sessions: Sessions | undefined

  constructor(truth: GroundTruth) {
    this.#truth = truth
    this.#sessions = truth.scenario.sessions
    if (this.#sessions !== undefined) {
      truth.listen({ started: (actor) => this.#begin(actor), ended: (actor) => this.#replace(actor) })
    }
  }

  /** Schedules the arrivals. Arrivals that are due at once happen at once. */
  start(): void {
    const { nodes, arrivals } = this.#truth.scenario
    const { testbed, random } = this.#truth
    switch (arrivals.type) {
      case 'atOnce':
        for (let i = 0; i < nodes; i++) this.#truth.bringIn()
        return
      case 'every':
        this.#truth.bringIn()
        for (let i = 1; i < nodes; i++) testbed.after(i * arrivals.interval, () => this.#truth.bringIn())
        return
      case 'within':
        this.#truth.bringIn()
        for (let i = 1; i < nodes; i++) testbed.after(random() * arrivals.span, () => this.#truth.bringIn())
        return
      case 'poisson': {
        this.#truth.bringIn()
        let at = 0
        for (let i = 1; i < nodes; i++) {
          at += exponential(1_000 / arrivals.rate, random)
          testbed.after(at, () => this.#truth.bringIn())
        }
        return
      }
      case 'trace':
        this.#follow(arrivals.events)
    }
  }

  #follow(events: readonly TraceEvent[]): void {
    const actors: Actor[] = []
    for (const { at, event, node } of events) {
      this.#truth.testbed.after(at, () => {
        if (event === 'join') {
          actors[node] = this.#truth.bringIn()
          return
        }
        const actor = actors[node]
        if (actor === undefined) return
        if (event === 'crash') this.#truth.crash(actor)
        else this.#truth.leave(actor)
      })
    }
  }

  #begin(actor: Actor): void {
    const sessions = this.#sessions
    if (sessions === undefined || (sessions.keepFirst && actor.number === 0)) return
    const { testbed, random } = this.#truth
    // A node that is present when sessions begin has been there for some time.
    const length = (testbed.now <= sessions.from ? residualLifetime : lifetime)(sessions.length, random)
    const crashes = random() < sessions.crash
    const end = Math.max(testbed.now, sessions.from) + length
    if (end > (sessions.until ?? Infinity)) return
    testbed.after(end - testbed.now, () => {
      if (!lives(actor)) return
      if (crashes) this.#truth.crash(actor)
      else this.#truth.leave(actor)
    })
  }

  #replace(actor: Actor): void {
    const { replaced, until = Infinity } = this.#sessions ?? {}
    const { testbed, random } = this.#truth
    if (replaced === undefined) return
    const after = exponential(replaced, random)
    if (testbed.now + after <= until) testbed.after(after, () => this.#truth.bringIn(actor.place.site))
  }
}
