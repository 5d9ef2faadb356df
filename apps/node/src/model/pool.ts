import type { HealthJson, ListedJson, MemberState, NodeEvent, NodeJson, ReignJson } from '../events/events.ts'
import type { LedgerJson } from '../events/ledger.ts'
import { AllocationModel } from './allocation.ts'
import { JobsModel } from './jobs.ts'

/** The number of gone members that are remembered. Guess: a page of names. */
const GONE_LIMIT = 1024
/**
 * The number of elections whose latest winner is remembered. Members may make elections up, so
 * there is a limit. A guess: four times as many as a node keeps at a time.
 */
const REIGNS_LIMIT = 1024

/** A life of a member (one incarnation), with texts that are derived from it. */
export type Life<Texts = unknown> = Texts & {
  readonly node: NodeJson
  readonly state: MemberState
  /** The time at which the node learned the state, Unix ms. */
  readonly since: number
}

/**
 * The pool, as a node's events describe it. The node itself, its command `members`, the terminal
 * and the page follow the pool with this model. It has no clock, and runs in a browser, too.
 */
export class PoolModel<Texts = unknown> {
  self: NodeJson | undefined
  /** The time at which the node entered the pool, Unix ms. */
  entered: number | undefined
  /** Whether the node has left. */
  stopped = false
  health: HealthJson | undefined
  /** The ledger of the pool, if the node takes part in one. */
  ledger: LedgerJson | undefined
  /** The number of members that are here. */
  here = 0
  /** The numbers of members that left and died while the model followed. */
  left = 0
  died = 0
  /** The latest life of each member, by id. */
  readonly members = new Map<string, Life<Texts>>()
  /** The latest reign of each election, the most recent last. */
  readonly reigns = new Map<string, ReignJson>()
  /** The jobs of the pool, if the node was asked for them. */
  readonly jobs = new JobsModel()
  /** The leases, groups and services of the pool, if the node was asked for them. */
  readonly allocation = new AllocationModel()
  readonly #gone = new Map<string, Life<Texts>>()
  readonly #textsOf: (node: NodeJson) => Texts

  constructor(textsOf: (node: NodeJson) => Texts = () => ({}) as Texts) {
    this.#textsOf = textsOf
  }

  /** The lives that ended, the latest last. */
  get gone(): IterableIterator<Life<Texts>> {
    return this.#gone.values()
  }

  /**
   * Takes an event, or the answer to a command. `now`: Unix ms. Returns false for a reign that is
   * known already.
   */
  take(event: NodeEvent, now: number): boolean {
    switch (event.event) {
      case 'started':
        this.self = event.node
        this.entered = now
        break
      case 'joined':
        this.#put(event.node, 'here', now)
        break
      case 'updated':
        this.#put(event.node, 'here', this.members.get(event.node.id)?.since ?? now)
        break
      case 'left':
      case 'died':
        this[event.event] += 1
        this.#put(event.node, event.event, now)
        break
      case 'elected':
        return this.#elect(event)
      case 'health':
        this.health = event
        break
      case 'ledger':
        this.ledger = event
        break
      case 'ordered':
        this.#applied(event.index)
        break
      case 'members':
        for (const member of event.nodes.toReversed()) this.#correct(member)
        break
      case 'status':
        this.self = event.node
        this.entered = event.started
        this.health = event.health
        this.ledger = event.ledger
        break
      case 'jobs':
        this.jobs.take(event, now)
        break
      case 'leases':
      case 'services':
        this.allocation.take(event, now)
        break
      case 'stopped':
        this.stopped = true
        break
      default:
    }
    return true
  }

  /** Forgets everything. */
  clear(): void {
    Object.assign(this, {
      self: undefined,
      entered: undefined,
      stopped: false,
      health: undefined,
      ledger: undefined,
      here: 0,
      left: 0,
      died: 0,
    })
    for (const known of [this.members, this.reigns, this.jobs, this.allocation, this.#gone]) known.clear()
  }

  /** Forgets the members that went before this time, Unix ms. Returns whether there were any. */
  forget(before: number): boolean {
    let found = false
    for (const life of this.#gone.values()) {
      if (life.since >= before) continue
      found = true
      this.#drop(life)
    }
    return found
  }

  /** The node reports its ledger when the state changes, but not at each entry. */
  #applied(index = 0): void {
    if (this.ledger !== undefined && index > this.ledger.index) this.ledger = { ...this.ledger, index }
  }

  #put(node: NodeJson, state: MemberState, since: number): void {
    this.#applied(node.index)
    const known = this.members.get(node.id)
    const life: Life<Texts> = { ...this.#textsOf(node), node, state, since }
    if (state !== 'here') {
      this.#gone.set(keyOf(node), life)
      const [oldest] = this.#gone.values()
      if (this.#gone.size > GONE_LIMIT && oldest !== undefined) this.#drop(oldest)
    }
    // A later life of the same id may already be here.
    if (known !== undefined && known.node.incarnation > node.incarnation) return
    if (node.id === this.self?.id) this.self = node
    this.here += Number(state === 'here') - Number(known?.state === 'here')
    this.members.set(node.id, life)
  }

  /**
   * Takes a member of a list. A list has the time of a state; an event has only the state. But a
   * later event takes precedence.
   */
  #correct({ state, since, ...node }: ListedJson): void {
    const known = this.members.get(node.id)
    const isSame = known !== undefined && isSameLife(known.node, node) && known.state === state
    if (known === undefined || isSame || known.node.incarnation < node.incarnation) this.#put(node, state, since)
  }

  #elect({ election, epoch, node }: ReignJson): boolean {
    const known = this.reigns.get(election)
    if (known?.epoch === epoch && isSameLife(known.node, node)) return false
    this.reigns.delete(election)
    this.reigns.set(election, { election, epoch, node })
    const [oldest] = this.reigns.keys()
    if (this.reigns.size > REIGNS_LIMIT && oldest !== undefined) this.reigns.delete(oldest)
    return true
  }

  #drop(life: Life<Texts>): void {
    this.#gone.delete(keyOf(life.node))
    if (this.members.get(life.node.id) === life) this.members.delete(life.node.id)
  }
}

/** Returns a key of a life. */
export function keyOf({ id, incarnation }: NodeJson): string {
  return `${id} ${incarnation}`
}

function isSameLife(one: NodeJson, other: NodeJson): boolean {
  return one.id === other.id && one.incarnation === other.incarnation
}
