import type { Milliseconds, NodeId } from '@jel/protocol'
import type { Place } from '../scenario/placement.ts'
import type { TestbedNode } from '../testbed.ts'

/** One node as whoever directs the scenario knows it: what really happened to it, not what others believe. */
export interface Actor {
  /** In the order of starting, from 0 on: what scenarios call it. */
  readonly number: number
  readonly node: TestbedNode
  readonly place: Place
  readonly nat: boolean
  readonly startedAt: Milliseconds
  /** When it crashed or said that it leaves. */
  endedAt: Milliseconds | undefined
  end: 'crash' | 'leave' | undefined
  /** Its cable is pulled. */
  silent: boolean
  /** It reaches nobody of many, and can't tell that from a pulled cable of its own: it keeps its view, and nothing is promised of it. */
  alone: boolean
  /** Its addresses changed. */
  moved: boolean
  /** It loses packets. */
  lossy: boolean
  /** On which side of a partition it is. */
  side: number
  /** The elections in which it stands. */
  readonly candidacies: Set<string>
  /** Who keeps the root of a job, in its eyes; undefined where nothing computes. */
  rootKeeper: ((job: string) => NodeId | undefined) | undefined
}

/** It takes part: it has started, and has neither crashed nor left. */
export function lives(actor: Actor): boolean {
  return actor.endedAt === undefined && actor.node.state !== 'gone'
}

/** It takes part, runs, and its cable is not pulled. */
export function answers(actor: Actor): boolean {
  return actor.endedAt === undefined && actor.node.state === 'running' && !actor.silent
}

/** It takes part, runs, and has a network. */
export function isActive(actor: Actor): boolean {
  return answers(actor) && !actor.alone
}
