import type { Sessions, TraceEvent } from '../scenario/population.ts'
import { lives, type Actor } from './actor.ts'
import { exponential } from './chance.ts'
import { lifetime, residualLifetime } from './lifetime.ts'
import type { Stage } from './stage.ts'

/** Starts the initial nodes and ends the sessions of all nodes, each in its time. */
export class Population {
  readonly #stage: Stage
  readonly #sessions: Sessions | undefined

  constructor(stage: Stage) {
    this.#stage = stage
    this.#sessions = stage.scenario.sessions
    if (this.#sessions !== undefined) {
      stage.listen({ started: (actor) => this.#begin(actor), ended: (actor) => this.#replace(actor), changed: () => {} })
    }
  }

  /** Schedules the arrivals. Those due at once happen at once. */
  start(): void {
    const { nodes, arrivals } = this.#stage.scenario
    const { testbed, random } = this.#stage
    switch (arrivals.type) {
      case 'atOnce':
        for (let i = 0; i < nodes; i++) this.#stage.bringIn()
        return
      case 'every':
        this.#stage.bringIn()
        for (let i = 1; i < nodes; i++) testbed.after(i * arrivals.interval, () => this.#stage.bringIn())
        return
      case 'within':
        this.#stage.bringIn()
        for (let i = 1; i < nodes; i++) testbed.after(random() * arrivals.span, () => this.#stage.bringIn())
        return
      case 'poisson': {
        this.#stage.bringIn()
        let at = 0
        for (let i = 1; i < nodes; i++) {
          at += exponential(1_000 / arrivals.rate, random)
          testbed.after(at, () => this.#stage.bringIn())
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
      this.#stage.testbed.after(at, () => {
        if (event === 'join') {
          actors[node] = this.#stage.bringIn()
          return
        }
        const actor = actors[node]
        if (actor === undefined) return
        if (event === 'crash') this.#stage.crash(actor)
        else this.#stage.leave(actor)
      })
    }
  }

  #begin(actor: Actor): void {
    const sessions = this.#sessions
    if (sessions === undefined || (sessions.keepFirst && actor.number === 0)) return
    const { testbed, random } = this.#stage
    // A node that is present when sessions begin has been there for some time.
    const length = (testbed.now <= sessions.from ? residualLifetime : lifetime)(sessions.length, random)
    const crashes = random() < sessions.crash
    const end = Math.max(testbed.now, sessions.from) + length
    if (end > (sessions.until ?? Infinity)) return
    testbed.after(end - testbed.now, () => {
      if (!lives(actor)) return
      if (crashes) this.#stage.crash(actor)
      else this.#stage.leave(actor)
    })
  }

  #replace(actor: Actor): void {
    const { replaced, until = Infinity } = this.#sessions ?? {}
    const { testbed, random } = this.#stage
    if (replaced === undefined) return
    const after = exponential(replaced, random)
    if (testbed.now + after <= until) testbed.after(after, () => this.#stage.bringIn(actor.place.site))
  }
}
