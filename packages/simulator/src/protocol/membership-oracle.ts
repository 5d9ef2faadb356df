import type { Milliseconds, NodeId } from '@jel/protocol'
import type { Simulation } from '../simulation.ts'
import type { SimulatedNode } from './node.ts'
import type { OracleNode } from './oracle-node.ts'

/** A process that the oracle notifies. */
type Node = SimulatedNode<OracleNode>

/**
 * Members learn of a newcomer, and the newcomer learns of members, in any order within this time,
 * ms. Measured: a record reaches all members within this time.
 */
export const SPREAD = 200

/** Least and most time until a member detects a death, ms (measured). */
const [FASTEST, SLOWEST] = [70, 190]

/**
 * Membership without messages. The oracle knows which processes live. It notifies the other members
 * of joins, deaths and partitions after a delay.
 */
export class MembershipOracle {
  readonly #simulation: Simulation<OracleNode>
  readonly #random: () => number
  readonly #delay: (from: NodeId, to: NodeId) => Milliseconds
  /** The living members, without clients. */
  readonly #members = new Map<NodeId, Node>()

  /** @param delay one-way delay between two members, ms */
  constructor(simulation: Simulation<OracleNode>, random: () => number, delay: (from: NodeId, to: NodeId) => Milliseconds) {
    this.#simulation = simulation
    this.#random = random
    this.#delay = delay
  }

  joined(node: Node): void {
    for (const other of this.#members.values()) {
      this.#sees(other, node, this.#delay(node.id, other.id) + this.#random() * SPREAD)
      this.#sees(node, other, this.#random() * SPREAD)
    }
    this.#members.set(node.id, node)
  }

  /** A client sees all members. Members see the client once it sends a message. */
  clientEntered(client: Node): void {
    for (const other of this.#members.values()) this.#sees(client, other, this.#random() * SPREAD)
  }

  /** Each other member detects the death of the process. */
  died({ id }: Node): void {
    this.#members.delete(id)
    for (const other of this.#members.values()) {
      const after = FASTEST + this.#random() * (SLOWEST - FASTEST) + this.#delay(id, other.id)
      this.#simulation.after(after, () => this.#loses(other, id))
    }
  }

  /** @param after time until the member sends its left-statement, ms */
  left({ id }: Node, after: Milliseconds): void {
    this.#members.delete(id)
    for (const other of this.#members.values()) this.#simulation.after(after + this.#delay(id, other.id), () => this.#loses(other, id))
  }

  /** Returns true if a message arrives. Then the receiver sees the sender from now on. */
  passes(from: Node, to: Node): boolean {
    if (!lives(to) || isApart(from, to) || to.protocol.holdsDead.has(from.id)) return false
    if (lives(from) && !to.protocol.view.has(from.id)) this.#see(to, from)
    return true
  }

  /** Cuts these processes from all others. Members of different sides pronounce each other dead. */
  cut(others: readonly Node[]): void {
    this.#simulation.partition([], others)
    for (const [a, b] of this.#pairs()) {
      if (isApart(a, b)) this.#simulation.after(1000 + this.#random() * 1000, () => isApart(a, b) && this.#loses(a, b.id))
    }
  }

  heal(): void {
    const pairs = this.#pairs().filter(([a, b]) => isApart(a, b))
    this.#simulation.heal()
    for (const [a, b] of pairs) this.#sees(a, b, 1000 + this.#random() * 3000)
  }

  /**
   * Heals as real members do. Each member re-enters once it learns that others pronounced it dead,
   * after up to `span` ms. Members that are back see each other. They pronounce dead the members of
   * their own half that are not back yet, and drop the messages of those members. Measured on two
   * busy processors: `span` 10 s.
   */
  healInWaves(span: Milliseconds): void {
    this.#simulation.heal()
    for (const [a, b] of this.#pairs()) if (!a.protocol.view.has(b.id)) a.protocol.holdsDead.add(b.id)
    const back = new Set<Node>()
    const lose = (node: Node, other: Node): void => {
      if (back.has(other) || !lives(node)) return
      node.protocol.holdsDead.add(other.id)
      this.#loses(node, other.id)
    }
    const reenter = (node: Node): void => {
      node.protocol.reenter()
      notify(node)
      for (const other of back) {
        this.#sees(node, other, this.#random() * SPREAD)
        this.#sees(other, node, this.#random() * SPREAD)
      }
      back.add(node)
      for (const other of this.#members.values())
        if (!back.has(other)) this.#simulation.after((this.#random() * span) / 4, () => lose(node, other))
    }
    for (const node of this.#members.values()) this.#simulation.after(this.#random() * span, () => lives(node) && reenter(node))
  }

  #pairs(): [Node, Node][] {
    const living = [...this.#members.values()]
    return living.flatMap((a) => living.filter((b) => b !== a).map((b): [Node, Node] => [a, b]))
  }

  #sees(node: Node, other: Node, after: Milliseconds): void {
    this.#simulation.after(after, () => {
      if (lives(node) && lives(other) && !isApart(node, other) && !node.protocol.view.has(other.id)) this.#see(node, other)
    })
  }

  #see(node: Node, other: Node): void {
    if (node.protocol.heldDeadBy.has(other.id)) node.protocol.reenter()
    node.protocol.see(other.protocol.self)
    notify(node)
  }

  #loses(node: Node, other: NodeId): void {
    if (!lives(node) || !node.protocol.lose(other)) return
    const lost = this.#members.get(other)
    if (lost !== undefined) lost.protocol.heldDeadBy.add(node.id)
    notify(node)
  }
}

function lives({ state, leaves }: Node): boolean {
  return state !== 'gone' && !leaves
}

function isApart(a: Node, b: Node): boolean {
  return a.endpoint.side !== b.endpoint.side
}

/** Makes the process pass on its news. */
function notify(node: Node): void {
  node.inject({ type: 'timer' })
}
