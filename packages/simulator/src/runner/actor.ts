import type { Milliseconds, NodeId } from '@jel/protocol'
import type { Place } from '../scenario/placement.ts'
import type { TestbedNode } from '../testbed-node.ts'

/**
 * One node as the runner of the scenario knows it: the truth about it, not the beliefs of others.
 */
export class Actor {
  /** Its name in scenarios: its position in the order of starting, from 0 on. */
  readonly number: number
  readonly node: TestbedNode
  readonly place: Place
  readonly nat: boolean
  readonly startedAt: Milliseconds
  /** When it crashed or announced its leave. */
  endedAt: Milliseconds | undefined
  end: 'crash' | 'leave' | undefined
  /** Its cable is pulled. */
  silent = false
  /**
   * It reaches no one although many others may live, and it can't distinguish that from a pulled
   * cable of its own. It keeps its view, and nothing is promised of it.
   */
  alone = false
  /** Its addresses changed. */
  moved = false
  /** It loses packets. */
  lossy = false
  /** Its side of a partition. */
  side = 0
  /** The elections in which it stands. */
  readonly candidacies = new Set<string>()
  /**
   * Returns the node that keeps the root of a job, in the eyes of this one; undefined if nothing
   * computes.
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

/** It has started, and has neither crashed nor left. */
export function lives(actor: Actor): boolean {
  return actor.endedAt === undefined && actor.node.state !== 'gone'
}

/** It has started, has neither crashed nor left, runs, and its cable is not pulled. */
export function answers(actor: Actor): boolean {
  return actor.endedAt === undefined && actor.node.state === 'running' && !actor.silent
}

/** It answers and is not alone. */
export function isActive(actor: Actor): boolean {
  return answers(actor) && !actor.alone
}
