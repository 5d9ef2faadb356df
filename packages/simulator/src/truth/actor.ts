import type { Milliseconds, NodeId } from '@jel/protocol'
import type { Place } from '../scenario/placement.ts'
import type { TestbedNode } from '../testbed-node.ts'

/** One node as the runner of the scenario knows it: the truth, not the beliefs of other nodes. */
export class Actor {
  /** Its name in scenarios: its position in the order of starting, from 0 on. */
  readonly number: number
  readonly node: TestbedNode
  readonly place: Place
  readonly nat: boolean
  readonly startedAt: Milliseconds
  /** The time when it crashed or announced its leave. */
  endedAt: Milliseconds | undefined
  end: 'crash' | 'leave' | undefined
  /** True while its cable is pulled. */
  silent = false
  /**
   * True if it reaches nobody although other members may live. It can't distinguish that from a
   * pulled cable of its own. It keeps its view. The run checks no promise for it.
   */
  alone = false
  /** True once its addresses have changed. */
  moved = false
  /** True while it loses packets. */
  lossy = false
  /** Its side of a partition. */
  side = 0
  /** The elections in which it is a candidate. */
  readonly candidacies = new Set<string>()
  /**
   * Returns the holder of the root of a job, as this node believes. Undefined if the scenario has
   * no jobs.
   */
  rootHolder: ((job: string) => NodeId | undefined) | undefined

  constructor({ number, node, place, nat, startedAt }: Pick<Actor, 'number' | 'node' | 'place' | 'nat' | 'startedAt'>) {
    this.number = number
    this.node = node
    this.place = place
    this.nat = nat
    this.startedAt = startedAt
  }
}

/** Returns true if the node has started, and has neither crashed nor left. */
export function lives(actor: Actor): boolean {
  return actor.endedAt === undefined && actor.node.state !== 'gone'
}

/** Returns true if the node lives, its process runs, and its cable is not pulled. */
export function answers(actor: Actor): boolean {
  return actor.endedAt === undefined && actor.node.state === 'running' && !actor.silent
}

/** Returns true if the node answers and is not alone. */
export function isActive(actor: Actor): boolean {
  return answers(actor) && !actor.alone
}
