/** A swarm that measures itself: simulated nodes, or hosts in a few processes. */
import type { Swarm, SwarmNode, SwarmSpawnOptions } from '@jel/conformance'
import type { Tally } from './tally.ts'

/** When a node began and ended. Times are ms by the swarm's clock. */
export interface Lifetime {
  /** Time of the call to start the node. */
  readonly called: number
  /** Time at which the node had entered the pool. */
  readonly entered: number
  /** Time of the call to leave, or of the kill. Undefined while the node runs. */
  endedAt: number | undefined
}

export type MeasuredNode = Pick<SwarmNode, 'id' | 'leave' | 'kill'> & Lifetime

export interface MeasuredSpawnOptions<Node = MeasuredNode> extends Pick<SwarmSpawnOptions<Node>, 'introducers'> {
  /** True if the node gets a process or a machine of its own. Only such a node can be killed. */
  readonly killable?: boolean
}

export interface MeasuredSwarm<Node extends MeasuredNode = MeasuredNode> extends Pick<Swarm, 'pass'> {
  /** Starts a node. Resolves when it has entered the pool. */
  spawn(options?: MeasuredSpawnOptions<Node>): Promise<Node>
  /** Returns the times at which other running nodes received this event about the subject. */
  sightings(type: string, subject: string): Promise<readonly number[]>
  /** Returns the counts since the start. */
  tally(): Promise<Tally>
}
