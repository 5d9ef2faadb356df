/** A node of a swarm. Times are ms by the swarm's clock. */
export interface Started {
  readonly id: string
  /** When the call to start it was made. */
  readonly called: number
  /** When it had entered the pool. */
  readonly entered: number
}
