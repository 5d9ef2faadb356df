import type { Milliseconds, NodeId, Notification } from '@jel/protocol'
import { lives, type Actor } from '../truth/actor.ts'
import type { Expectation } from '../scenario/expectation.ts'
import { select } from '../truth/selection.ts'
import type { GroundTruth } from '../truth/ground-truth.ts'
import { Agreement } from './agreement.ts'
import { Deaths } from './deaths.ts'
import { Episodes } from './episodes.ts'
import { columns, type Samples } from './result.ts'
import { Views } from './views.ts'

/** The time from a change to the check of the agreement on winners, ms. */
const look = 10

type RateExpectation = Extract<Expectation, { type: 'bytesPerSecond' }>

type Columns = { -readonly [Column in Exclude<keyof Samples, 'winners'>]: number[] }

/** Watches one run: it compares the notifications of nodes with the truth. */
export class Metrics {
  readonly views: Views
  readonly crashes: Deaths
  /** Detection of members whose cable was pulled. */
  readonly silences: Deaths
  readonly allKnowAll = new Episodes()
  readonly elections: ReadonlyMap<string, { readonly agreement: Agreement; readonly episodes: Episodes }>
  readonly columns = Object.fromEntries(['time', ...columns].map((name) => [name, []])) as unknown as Columns
  readonly winners: Readonly<Record<string, number[]>>
  /** Dials and host probes in the whole pool, by second. */
  readonly dialsBySecond: number[] = []
  readonly hostProbesBySecond: number[] = []
  /** The bytes a second that each selected node received, by expectation. */
  readonly rates = new Map<RateExpectation, readonly number[]>()
  readonly #truth: GroundTruth
  /** The ids of all actors. */
  readonly #ids = new Set<NodeId>()
  /**
   * The most members that any node ever had in its view. Counted only if the scenario has an
   * expectation about this number.
   */
  mostMembers = 0
  #looking = false
  readonly #dialsASecond = this.#growth('dials')
  readonly #dialsASample = this.#growth('dials')
  readonly #hostProbesASecond = this.#growth('hostProbes')
  readonly #hostProbesASample = this.#growth('hostProbes')

  constructor(truth: GroundTruth, elections: readonly string[]) {
    this.#truth = truth
    this.views = new Views(truth.actors)
    this.crashes = new Deaths(truth.actors, this.views, truth.testbed.contact)
    this.silences = new Deaths(truth.actors, this.views, truth.testbed.contact)
    this.elections = new Map(
      elections.map((name) => [name, { agreement: new Agreement(name, truth.actors, truth.hostile), episodes: new Episodes() }]),
    )
    this.winners = Object.fromEntries(elections.map((name) => [name, []]))
    truth.testbed.subscribe((node, notification, time) => this.#notified(truth.actorOf(node), notification, time))
    truth.listen({
      started: (actor) => void this.#ids.add(actor.node.id),
      ended: (actor) => {
        if (actor.end === 'crash') this.crashes.lost(actor, truth.testbed.now)
      },
      silenced: (actor) => {
        if (actor.silent) this.silences.lost(actor, truth.testbed.now)
        else this.silences.back(actor)
      },
      changed: () => this.#changed(),
    })
  }

  /**
   * Begins to measure. Call it before the first node starts. `samples`: adds a row to the table at
   * the `sample` interval of the scenario.
   */
  start(samples: boolean): void {
    if (samples) this.#each(this.#truth.scenario.sample, () => this.sample())
    this.#each(1_000, () => this.#second())
    if (this.#truth.scenario.expect.some(({ type }) => type === 'membersPerView')) this.#each(1_000, () => this.#countMembers())
    for (const expectation of this.#truth.scenario.expect) if (expectation.type === 'bytesPerSecond') this.#measureRate(expectation)
  }

  /** The most links that any node ever had, also between two samples. */
  get mostLinks(): number {
    return Math.max(0, ...this.#truth.actors.map(({ node }) => node.endpoint.mostLinks))
  }

  /** Adds one row to the table. */
  sample(): void {
    const { testbed, actors } = this.#truth
    const living = actors.filter(lives)
    const links = living.map(({ node }) => node.endpoint.connections.size)
    const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)
    const table = this.columns
    table.time.push(testbed.now)
    table.nodes.push(living.length)
    table.perceived.push(living.length === 0 ? 0 : sum(living.map(({ number }) => this.views.size(number))) / living.length)
    table.right.push(this.views.right())
    table.bytes.push(actors.length === 0 ? 0 : sum(actors.map(({ node }) => node.traffic.received.bytes)) / actors.length)
    table.links.push(living.length === 0 ? 0 : sum(links) / living.length)
    table.mostLinks.push(Math.max(0, ...links))
    table.dials.push(this.#dialsASample())
    table.hostProbes.push(this.#hostProbesASample())
    table.endedLives.push(testbed.endedLives.total)
    for (const [name, { agreement }] of this.elections) this.winners[name]?.push(agreement.winners())
  }

  #measureRate(expectation: RateExpectation): void {
    const { testbed, actors, random } = this.#truth
    const { from, until, nodes } = expectation
    testbed.after(from, () => {
      const chosen = select(actors, nodes, random)
      const before = chosen.map(({ node }) => node.traffic.received.bytes)
      testbed.after(until - from, () => {
        const rates = chosen.map(({ node }, i) => ((node.traffic.received.bytes - (before[i] as number)) * 1_000) / (until - from))
        this.rates.set(expectation, rates)
      })
    })
  }

  #countMembers(): void {
    for (const actor of this.#truth.actors) {
      if (lives(actor)) this.mostMembers = Math.max(this.mostMembers, actor.node.protocol.members().length)
    }
  }

  #second(): void {
    this.dialsBySecond.push(this.#dialsASecond())
    this.hostProbesBySecond.push(this.#hostProbesASecond())
  }

  /**
   * Returns a function. Each call of the function returns the growth of a sum over all nodes since
   * its last call.
   */
  #growth(what: 'dials' | 'hostProbes'): () => number {
    let before = 0
    return () => {
      const now = this.#truth.actors.reduce((sum, { node }) => sum + node.traffic[what], 0)
      const by = now - before
      before = now
      return by
    }
  }

  #notified(actor: Actor | undefined, notification: Notification, now: Milliseconds): void {
    if (actor === undefined || actor.endedAt !== undefined) return
    if (notification.type === 'elected') {
      this.elections.get(notification.reign.election)?.agreement.notified(notification.reign)
      this.#lookSoon()
      return
    }
    if (notification.type !== 'joined' && notification.type !== 'left' && notification.type !== 'died') return
    // Attackers and the members that they make up do not count.
    if (!this.#ids.has(notification.member.id)) return
    if (notification.type === 'died') for (const losses of [this.crashes, this.silences]) losses.notified(actor, notification.member, now)
    this.views.notified(actor.number, actor.node.id, notification)
    this.allKnowAll.set(this.views.allKnowAll(), now)
    // The end of a winner also ends its reign.
    this.#lookSoon()
  }

  #changed(): void {
    this.views.changed()
    this.allKnowAll.set(this.views.allKnowAll(), this.#truth.testbed.now)
    // A winner that is gone is no winner any more, so this check can't wait.
    this.#look()
  }

  #lookSoon(): void {
    if (this.#looking || this.elections.size === 0) return
    this.#looking = true
    this.#truth.testbed.after(look, () => {
      this.#looking = false
      this.#look()
    })
  }

  #look(): void {
    const { now } = this.#truth.testbed
    for (const { agreement, episodes } of this.elections.values()) {
      const before = agreement.name
      const holds = agreement.holds()
      if (holds && before !== '' && before !== agreement.name) episodes.restart(now)
      else episodes.set(holds, now)
    }
  }

  #each(interval: Milliseconds, act: () => void): void {
    this.#truth.testbed.after(interval, () => {
      act()
      this.#each(interval, act)
    })
  }
}
