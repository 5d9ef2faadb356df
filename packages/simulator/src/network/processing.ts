import type { Milliseconds } from '@jel/protocol'

/**
 * The processor time of a node's operations, ms, if its machine has a processor (`speed`). The cost
 * of receiving includes sending, because a node answers and forwards while it handles an input.
 */
export interface Costs {
  /** A frame of the protocol, and each kilobyte of it in addition. */
  readonly frame: Milliseconds
  readonly frameKilobyte: Milliseconds
  /**
   * `broadcast`: a new broadcast, with handling and forwarding. `duplicate`: a repeated broadcast.
   */
  readonly broadcast: Milliseconds
  readonly duplicate: Milliseconds
  /** Subscriptions, grafts and lazy gossip of the topic. */
  readonly control: Milliseconds
  /** Opening a link, at the dialler and at the listener. */
  readonly dial: Milliseconds
  readonly accept: Milliseconds
  /** A link that the other end closed, or that ended with its process. */
  readonly lost: Milliseconds
  /** A refused dial or host probe. */
  readonly refused: Milliseconds
}

/**
 * The costs of a real host. Measured: a dial costs 11 ms, both ends together. A delivery of
 * gossipsub costs about 1 ms, and a duplicate costs a third of that. Twelve links lost at once,
 * each with a refused host probe, cost 26 to 39 ms. The other costs are guesses from idle pools
 * (1.9 ms per second and host, with 1.2 frames sent and 1.2 received).
 */
export const measuredCosts: Costs = {
  frame: 0.7,
  frameKilobyte: 0.5,
  broadcast: 1,
  duplicate: 0.3,
  control: 0.3,
  dial: 6,
  accept: 5,
  lost: 1.7,
  refused: 1,
}

export const noCosts: Costs = {
  frame: 0,
  frameKilobyte: 0,
  broadcast: 0,
  duplicate: 0,
  control: 0,
  dial: 0,
  accept: 0,
  lost: 0,
  refused: 0,
}
