import type { Milliseconds, NodeId } from '@jel/protocol'
import { pickOne } from '@jel/protocol'
import type { AttackerOptions } from '../hostile/attacker.ts'
import type { AttackName } from '../hostile/index.ts'
import { Placement, type Place } from '../scenario/placement.ts'
import type { Scenario } from '../scenario/scenario.ts'
import type { TestbedNode } from '../testbed-node.ts'
import type { Testbed } from '../testbed.ts'
import { Actor, answers, lives } from './actor.ts'
import { findIsolated } from './isolated.ts'

/** Events of the pool. */
export interface GroundTruthEvents {
  /** A node started. */
  started?(actor: Actor): void
  /** A node crashed, or announced its leave. */
  ended?(actor: Actor): void
  /** The scenario changed the population or the connectivity. */
  changed?(what: string): void
  /** A node's cable was pulled, or plugged in again. */
  silenced?(actor: Actor): void
  /** A node is about to withdraw. */
  withdraws?(actor: Actor, election: string): void
}

/**
 * The pool of one scenario as its runner sees it. This class starts and ends nodes, and knows the
 * truth about them.
 */
export class GroundTruth {
  readonly testbed: Testbed
  readonly actors: Actor[] = []
  /** Nodes that attack the pool. They are members, but the run checks no promises to them. */
  readonly hostile = new Set<NodeId>()
  readonly #byIndex = new Map<number, Actor>()
  readonly scenario: Scenario
  readonly #placement: Placement
  readonly #listeners: GroundTruthEvents[] = []
  /** The times of the scenario's last change and of the last arrival. */
  lastChange: Milliseconds = 0
  lastArrival: Milliseconds = 0
  /** The time of the last change to connectivity or running processes. */
  lastTrouble: Milliseconds = -1
  /** The number of one-way paths that are cut. */
  cuts = 0

  constructor(testbed: Testbed, scenario: Scenario) {
    this.testbed = testbed
    this.scenario = scenario
    this.#placement = new Placement(scenario)
  }

  get random(): () => number {
    return this.testbed.random
  }

  /** Returns the actor of a node, or undefined if the node is no member. */
  actorOf({ index }: Pick<TestbedNode, 'index'>): Actor | undefined {
    return this.#byIndex.get(index)
  }

  listen(events: GroundTruthEvents): void {
    this.#listeners.push(events)
  }

  /** Starts a further node. */
  bringIn(site?: string): Actor {
    const { network, elections, introducers } = this.scenario
    const number = this.actors.length
    const place = this.#placement.next(site)
    // Other nodes enter through the first node, so it is dialable.
    const nat = this.random() < network.nat && number > 0
    const canIntroduce = (other: Actor): boolean =>
      // Newcomers are on the first side, so their introducer must be there, too.
      answers(other) && other.side === 0 && isDialable(other, place.site)
    const member = introducers === 'oldest' ? this.actors.find(canIntroduce) : pickOne(this.random, this.actors.filter(canIntroduce))
    const node = this.testbed.start({
      place,
      nat,
      introducer: member?.node,
      location: locationOf(number, place),
      onStarted: () => this.#arrived(number, 'has started'),
    })
    const actor = new Actor({ number, node, place, nat, startedAt: this.testbed.now })
    this.actors.push(actor)
    this.#byIndex.set(node.index, actor)
    for (const [election, share] of Object.entries(elections)) {
      // The command comes in the same instant, but after the start.
      if (this.random() < share) this.testbed.after(0, () => this.elect(actor, election))
    }
    for (const listener of this.#listeners) listener.started?.(actor)
    this.#arrived(number, 'starts')
    return actor
  }

  #arrived(number: number, how: string): void {
    this.lastArrival = this.testbed.now
    this.changed(`node ${number} ${how}`)
  }

  /** Starts an attacker that enters through a random member. */
  bringInHostile(name: AttackName, options: Omit<AttackerOptions, 'attack'>): void {
    const node = this.testbed.startAttacker(name, options, pickOne(this.random, this.actors.filter(answers))?.node)
    this.hostile.add(node.id)
    this.changed(`an attacker enters (${name})`)
  }

  crash(actor: Actor): void {
    this.#takeOut(actor, 'crash')
  }

  leave(actor: Actor): void {
    this.#takeOut(actor, 'leave')
  }

  silence(actor: Actor, silent: boolean): void {
    actor.silent = silent
    this.testbed.silence(actor.node, silent)
    for (const listener of this.#listeners) listener.silenced?.(actor)
  }

  elect(actor: Actor, election: string): void {
    actor.candidacies.add(election)
    actor.node.command({ type: 'elect', election })
    this.changed(`node ${actor.number} stands for ${election}`)
  }

  withdraw(actor: Actor, election: string): void {
    for (const listener of this.#listeners) listener.withdraws?.(actor, election)
    actor.candidacies.delete(election)
    actor.node.command({ type: 'withdraw', election })
    this.changed(`node ${actor.number} withdraws from ${election}`)
  }

  /**
   * Replaces ids by the numbers of nodes, for people. Adds the number of the life if it is not the
   * first.
   */
  numbered(text: string): string {
    return text.replaceAll(/(12D3\w+)#(\d+)/gu, (whole, id: string, incarnation: string) => {
      const actor = this.actors.find(({ node }) => node.id === id)
      return actor === undefined ? whole : `node ${actor.number}${incarnation === '1' ? '' : ` (life ${incarnation})`}`
    })
  }

  /**
   * True while nothing keeps present nodes from agreeing: no node is stopped or loses packets, and
   * no path is cut.
   */
  get isUndisturbed(): boolean {
    return (
      this.cuts === 0 && this.actors.every((actor) => !lives(actor) || actor.silent || (actor.node.state === 'running' && !actor.lossy))
    )
  }

  /** Call it after any change to connectivity or running processes. */
  troubled(what: string): void {
    this.lastTrouble = this.testbed.now
    this.changed(what)
  }

  /**
   * Call it after any change to the population or connectivity, and after any other change that may
   * take time to settle.
   */
  changed(what: string): void {
    this.lastChange = this.testbed.now
    findIsolated(this.actors)
    for (const listener of this.#listeners) listener.changed?.(what)
  }

  #takeOut(actor: Actor, how: 'crash' | 'leave'): void {
    if (!lives(actor)) return
    actor.endedAt = this.testbed.now
    actor.end = how
    if (how === 'crash') this.testbed.kill(actor.node)
    for (const listener of this.#listeners) listener.ended?.(actor)
    // An application ends before its node leaves.
    if (how === 'leave') this.testbed.leave(actor.node)
    this.changed(`node ${actor.number} ${how === 'crash' ? 'crashes' : 'leaves'}`)
  }
}

/** Returns the levels of a location, from fine to coarse. */
export function locationOf(number: number, { site, machine, rack }: Place): string {
  return [`node${number}`, `machine${machine}`, `rack${rack}`, ...(site === undefined ? [] : [site])].join('@')
}

function isDialable({ node, place }: Actor, from: string | undefined): boolean {
  const { dialable } = node.endpoint
  return dialable === 'site' ? place.site === from : dialable
}
