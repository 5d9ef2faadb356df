/** A pool of nodes on any platform. The fidelity trial is written against this interface. */

import type { Tally } from '../swarm/tally.ts'

export interface Started {
  readonly id: string
  /**
   * When the call to start was made, and when the node had entered the pool, ms by the swarm's
   * clock.
   */
  readonly called: number
  readonly entered: number
}

export interface Swarm {
  /**
   * Starts a node that has the first one's address, and waits until it has entered. `mortal`: it
   * will be killed.
   */
  start(mortal: boolean): Promise<Started>
  /** Lets time pass. */
  rest(ms: number): Promise<void>
  /** Returns the time of the call to leave, or of the kill. */
  leave(id: string): Promise<number>
  kill(id: string): Promise<number>
  /** When each living node received this event about the subject. */
  sightings(type: 'joined' | 'left' | 'died', subject: string): Promise<number[]>
  tally(): Promise<Tally>
  stop(): Promise<void>
}
