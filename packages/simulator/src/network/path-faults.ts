import type { Milliseconds } from '@jel/protocol'
import type { Contact } from './contact.ts'
import type { CutKind, PathEnd, Reachability } from './reachability.ts'

/** The faults of one node's own line. An omitted field ends that fault. */
export interface Impairment {
  /** The share of its packets that get lost, both ways, 0 to below 1. */
  readonly loss?: number
  /** The additional delay of each of its packets, both ways, ms. */
  readonly lag?: Milliseconds
}

/**
 * The loss and lag above which a node counts as cut off, because TCP waits ever longer. A guess.
 */
const uselessLoss = 0.5
const uselessLag: Milliseconds = 1_000

/** A node whose line and paths can fail. */
interface FaultyNode {
  readonly state: 'running' | 'standing' | 'gone'
  readonly endpoint: PathEnd & { silent: boolean; side: number; loss: number; lag: Milliseconds }
}

/**
 * The faults of lines and paths on any testbed, with a record of the nodes that could communicate.
 * `Simulation` describes each fault.
 */
export abstract class PathFaults<Node extends FaultyNode> {
  readonly contact: Contact
  readonly reachability: Reachability
  readonly #nodes: readonly Node[]
  readonly #now: () => Milliseconds

  constructor(nodes: readonly Node[], contact: Contact, reachability: Reachability, now: () => Milliseconds) {
    this.#nodes = nodes
    this.contact = contact
    this.reachability = reachability
    this.#now = now
  }

  /**
   * Called after each change. `mends`: some packets were lost until this change. From now on they
   * get through, or a host refuses them.
   */
  protected abstract changed(mends: boolean): void

  silence(node: Node, silent: boolean): void {
    node.endpoint.silent = silent
    this.noteWorks(node)
    this.changed(!silent)
  }

  cut(from: Node, to: Node, kind: CutKind): void {
    this.reachability.cut(from.endpoint, to.endpoint, kind)
    this.contact.path(from.endpoint, to.endpoint, false, this.#now())
    this.changed(kind === 'reject')
  }

  mend(from: Node, to: Node, kind: CutKind): void {
    const { reachability } = this
    reachability.mend(from.endpoint, to.endpoint, kind)
    if (!reachability.isCut(from.endpoint, to.endpoint)) this.contact.path(from.endpoint, to.endpoint, true, this.#now())
    this.changed(true)
  }

  impair(node: Node, { loss = 0, lag = 0 }: Impairment): void {
    if (!(loss >= 0 && loss < 1) || !(lag >= 0))
      throw new RangeError(`a line loses from 0 to less than 1 and lags by 0 ms or more, not ${loss} and ${lag}`)
    node.endpoint.loss = loss
    node.endpoint.lag = lag
    this.noteWorks(node)
    this.changed(false)
  }

  partition(groups: readonly (readonly Node[])[]): void {
    const sides = new Map<Node, number>()
    for (const [side, group] of groups.entries()) for (const node of group) if (!sides.has(node)) sides.set(node, side)
    for (const node of this.#nodes) node.endpoint.side = sides.get(node) ?? 0
    this.#noteSides()
    this.changed(true)
  }

  heal(): void {
    for (const node of this.#nodes) node.endpoint.side = 0
    this.#noteSides()
    this.contact.mended(this.#now())
    this.reachability.mendAll()
    this.changed(true)
  }

  /** Records whether the node works. Call it after any change to the node's process or own line. */
  noteWorks({ state, endpoint }: Node): void {
    const works = state === 'running' && !endpoint.silent && endpoint.loss <= uselessLoss && endpoint.lag < uselessLag
    this.contact.node(endpoint, works, this.#now())
  }

  #noteSides(): void {
    const ends = this.#nodes.map(({ endpoint }) => endpoint)
    this.contact.split(ends, this.#now())
  }
}
