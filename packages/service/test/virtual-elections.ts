import { compareReigns, type Reign } from '../src/core/history.ts'
import type { Node } from './virtual-node.ts'
import type { World } from './world.ts'

/**
 * Elections as an oracle. It tells each member of a winner at a time of its own, and at times of
 * two winners for a moment.
 */
export class VirtualElections {
  readonly #world: World
  /** The share of elections with two winners for a moment. */
  readonly #doubleWinners: number
  /** The greatest reign of each side. */
  readonly #reigns = new Map<number, Reign>()
  readonly #electing = new Set<number>()

  constructor(world: World, doubleWinners: number) {
    this.#world = world
    this.#doubleWinners = doubleWinners
  }

  /** The network is cut: both sides know the present reign. */
  cut(): void {
    const whole = this.#reigns.get(0)
    if (whole !== undefined) this.#reigns.set(1, whole)
    for (const side of [0, 1]) this.elect(side)
  }

  /** The sides come together. Returns the reign that stands. */
  heal(): Reign | undefined {
    const [one, other] = [this.#reigns.get(0), this.#reigns.get(1)]
    const greater = one === undefined || (other !== undefined && compareReigns(other, one) > 0) ? other : one
    if (greater !== undefined) this.#reigns.set(0, greater)
    this.#reigns.delete(1)
    return greater
  }

  /** A newcomer hears of the present reign. */
  greet(node: Node): void {
    const reign = this.#reigns.get(0)
    if (reign !== undefined) this.#world.after(this.#world.between(1, 300), () => this.tell(node, reign))
  }

  /** Elects a winner of a side soon, if it has none. */
  elect(side: number): void {
    const world = this.#world
    if (this.#electing.has(side)) return
    const present = this.#reigns.get(side)
    const isReigning = (): boolean => {
      const winner = world.nodes.find(({ id }) => id === this.#reigns.get(side)?.winner)
      return winner !== undefined && winner.isAlive && winner.side === side && winner.isStanding
    }
    if (present !== undefined && isReigning()) return
    this.#electing.add(side)
    world.after(world.between(100, 600), () => {
      this.#electing.delete(side)
      if (isReigning()) return
      const candidates = world.alive.filter((node) => node.side === side && node.isStanding)
      if (candidates.length === 0) return
      const epoch = (this.#reigns.get(side)?.epoch ?? 0) + 1
      const [winner, rival] = candidates as [Node, Node?]
      const reign = { epoch, winner: winner.id, incarnation: 1 }
      this.#reigns.set(side, reign)
      const members = world.alive.filter((node) => node.side === side)
      if (rival !== undefined && world.random() < this.#doubleWinners) {
        const other = { epoch, winner: rival.id, incarnation: 1 }
        for (const node of members)
          if (node === rival || world.random() < 0.6) world.after(world.between(0, 50), () => this.tell(node, other))
      }
      for (const node of members) world.after(world.between(0, 300), () => this.tell(node, reign))
      // A winner that dies at once has no successor yet.
      world.after(400, () => this.elect(side))
    })
  }

  tell(node: Node, reign: Reign): void {
    const world = this.#world
    if (!node.isAlive) return
    if (node.reign !== undefined && compareReigns(reign, node.reign) <= 0) return
    // A reign counts while its winner is a member.
    if (!node.view.has(reign.winner) && node.id !== reign.winner) {
      const winner = world.node(reign.winner)
      if (winner.isAlive && winner.side === node.side) world.after(50, () => this.tell(node, reign))
      return
    }
    node.reign = reign
    world.feed(node, { type: 'elected', reign })
  }
}
