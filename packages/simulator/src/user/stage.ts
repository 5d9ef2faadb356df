import type { Milliseconds, NodeId } from '@jel/protocol'
import { pickOne } from '@jel/protocol'
import type { AttackerOptions } from '../hostile/attacker.ts'
import type { AttackName } from '../hostile/index.ts'
import { Placement, type Place } from '../scenario/placement.ts'
import type { Scenario } from '../scenario/scenario.ts'
import type { Testbed, TestbedNode } from '../testbed.ts'
import { answers, lives, type Actor } from './actor.ts'
import { findAlone } from './alone.ts'

/** What the stage tells of. */
export interface StageEvents {
  /** Someone takes part from now on. */
  started(actor: Actor): void
  /** Someone crashed, or said that it leaves. */
  ended(actor: Actor): void
  /** The scenario changed who is there, or who reaches whom. */
  changed(what: string): void
  /** Somebody's cable was pulled, or is back. */
  silenced?(actor: Actor): void
  /** Somebody is about to withdraw. */
  withdraws?(actor: Actor, election: string): void
}

/** The pool of one scenario as its director sees it: brings nodes in, takes them out, and knows the truth about them. */
export class Stage {
  readonly testbed: Testbed
  readonly actors: Actor[] = []
  /** Nodes that attack the pool: members, but not those to whom something is promised. */
  readonly hostile = new Set<NodeId>()
  readonly #byIndex = new Map<number, Actor>()
  readonly scenario: Scenario
  readonly #placement: Placement
  readonly #listeners: StageEvents[] = []
  /** When the scenario last changed something, and when the last node came. */
  lastChange: Milliseconds = 0
  lastArrival: Milliseconds = 0
  /** When it last changed who reaches whom, or which processes run. */
  lastTrouble: Milliseconds = -1
  /** How many ways from one node to another are cut now. */
  cuts = 0

  constructor(testbed: Testbed, scenario: Scenario) {
    this.testbed = testbed
    this.scenario = scenario
    this.#placement = new Placement(scenario)
  }

  get random(): () => number {
    return this.testbed.random
  }

  /** Who that node is; undefined where it is no member. */
  actorOf({ index }: Pick<TestbedNode, 'index'>): Actor | undefined {
    return this.#byIndex.get(index)
  }

  listen(events: StageEvents): void {
    this.#listeners.push(events)
  }

  /** Starts one more node now. */
  bringIn(site?: string): Actor {
    const { network, elections, introducers } = this.scenario
    const number = this.actors.length
    const place = this.#placement.next(site)
    // The first node is the introducer of the others.
    const nat = this.random() < network.nat && number > 0
    const canIntroduce = (other: Actor): boolean =>
      // Newcomers are on the first side.
      answers(other) && other.side === 0 && isDialable(other, place.site)
    const member = introducers === 'oldest' ? this.actors.find(canIntroduce) : pickOne(this.random, this.actors.filter(canIntroduce))
    const node = this.testbed.spawn({
      place,
      nat,
      introducer: member?.node,
      location: locationOf(number, place),
      onStarted: () => this.#arrived(number, 'has started'),
    })
    const now = this.testbed.now
    const actor: Actor = {
      number,
      node,
      place,
      nat,
      startedAt: now,
      endedAt: undefined,
      end: undefined,
      silent: false,
      alone: false,
      moved: false,
      lossy: false,
      side: 0,
      candidacies: new Set(),
      rootKeeper: undefined,
    }
    this.actors.push(actor)
    this.#byIndex.set(node.index, actor)
    for (const [election, share] of Object.entries(elections)) {
      // In the same instant, but after the start.
      if (this.random() < share) this.testbed.after(0, () => this.elect(actor, election))
    }
    for (const listener of this.#listeners) listener.started(actor)
    this.#arrived(number, 'starts')
    return actor
  }

  #arrived(number: number, how: string): void {
    this.lastArrival = this.testbed.now
    this.changed(`node ${number} ${how}`)
  }

  /** An attacker enters, through any member. */
  bringInHostile(name: AttackName, options: Omit<AttackerOptions, 'attack'>): void {
    const node = this.testbed.spawnAttacker(name, options, pickOne(this.random, this.actors.filter(answers))?.node)
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

  /** Ids are for machines; people know nodes by their numbers, and lives after the first by theirs. */
  numbered(text: string): string {
    return text.replaceAll(/(12D3\w+)#(\d+)/gu, (whole, id: string, incarnation: string) => {
      const actor = this.actors.find(({ node }) => node.id === id)
      return actor === undefined ? whole : `node ${actor.number}${incarnation === '1' ? '' : ` (life ${incarnation})`}`
    })
  }

  /** True while nothing keeps some that are there from seeing the same as others: nobody stands still or loses packets, no way is cut. */
  get isUndisturbed(): boolean {
    return (
      this.cuts === 0 && this.actors.every((actor) => !lives(actor) || actor.silent || (actor.node.state === 'running' && !actor.lossy))
    )
  }

  /** To be called for whatever changes who reaches whom, or which processes run. */
  troubled(what: string): void {
    this.lastTrouble = this.testbed.now
    this.changed(what)
  }

  /** To be called for whatever changes who is there or who reaches whom, and for what it may take time to settle after. */
  changed(what: string): void {
    this.lastChange = this.testbed.now
    findAlone(this.actors)
    for (const listener of this.#listeners) listener.changed(what)
  }

  #takeOut(actor: Actor, how: 'crash' | 'leave'): void {
    if (!lives(actor)) return
    actor.endedAt = this.testbed.now
    actor.end = how
    if (how === 'crash') this.testbed.kill(actor.node)
    else this.testbed.leave(actor.node)
    for (const listener of this.#listeners) listener.ended(actor)
    this.changed(`node ${actor.number} ${how === 'crash' ? 'crashes' : 'leaves'}`)
  }
}

/** Levels from fine to coarse. */
export function locationOf(number: number, { site, machine, rack }: Place): string {
  return [`node${number}`, `machine${machine}`, `rack${rack}`, ...(site === undefined ? [] : [site])].join('@')
}

function isDialable({ node, place }: Actor, from: string | undefined): boolean {
  const { dialable } = node.endpoint
  return dialable === 'site' ? place.site === from : dialable
}
