/** Nodes of one pool to measure: simulated ones, or hosts in a few processes. */
import type { Tally } from './tally.ts'

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
  /** When each living node received this event about the subject. */
  sightings(type: 'joined' | 'left' | 'died', subject: string): Promise<number[]>
  /** The messages of all nodes so far. */
  tally(): Promise<Tally>
}
