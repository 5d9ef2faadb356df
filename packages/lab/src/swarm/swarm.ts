/** Nodes to experiment on: simulated ones, hosts in a few processes, or a process each. */
import type { Usage } from '../base/usage.ts'

/** A node of a swarm. Times are ms by the swarm's clock. */
export interface Started {
  readonly id: string
  /** When the call to start it was made. */
  readonly called: number
  /** When it had entered the pool. */
  readonly entered: number
}

export interface Swarm {
  /**
   * Starts nodes at once, which join through the first one, and waits until they have entered.
   * `mortal`: they will be killed.
   */
  start(count: number, options?: { readonly mortal?: boolean }): Promise<readonly Started[]>
  /** Lets time pass. */
  rest(ms: number): Promise<void>
  /** Lets a node leave. Returns the time of the call. */
  leave(id: string): Promise<number>
  /** Kills a node without notice. Returns the time of the kill. */
  kill(id: string): Promise<number>
}

/** A swarm that takes time and resources of this machine. */
export interface RealSwarm extends Swarm {
  /** The nodes that run. */
  readonly ids: readonly string[]
  /**
   * The latest time, by the nodes' own clocks, at which a running node reported this event about
   * any of `subjects`; Infinity if some did not in time.
   */
  knownByAll(type: string, subjects: readonly string[], timeout: number): Promise<number>
  /** Reported deaths of nodes that were not killed, and notifications that came twice. */
  wrongs(): Promise<{ readonly deaths: number; readonly repeats: number }>
  usage(): Usage
  stop(): Promise<void>
}
