/** A pool of nodes that can be told what to do, whatever they run on: what the fidelity trial is written against. */

import type { Tally } from '../swarm/tally.ts'

export interface Started {
  readonly id: string
  /** When its start was asked for, and when it had entered the pool, ms by the swarm's clock. */
  readonly called: number
  readonly entered: number
}

export interface Swarm {
  /** Starts a node that knows the first one's address, and waits until it has entered. `mortal`: it will be killed. */
  start(mortal: boolean): Promise<Started>
  /** Lets time pass. */
  rest(ms: number): Promise<void>
  /** The time at which it was asked to leave, or killed. */
  leave(id: string): Promise<number>
  kill(id: string): Promise<number>
  /** When each living node was told this of the subject. */
  sightings(type: 'joined' | 'left' | 'died', subject: string): Promise<number[]>
  tally(): Promise<Tally>
  stop(): Promise<void>
}
