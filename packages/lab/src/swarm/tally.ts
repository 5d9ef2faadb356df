/** Counts of the nodes' messages. */

/** All messages of a swarm since the beginning, each counted once, at its sender. */
export interface Tally {
  /** Frames of the protocol, and their bytes without overhead. */
  readonly frames: number
  readonly frameBytes: number
  /** Messages published on the topic. */
  readonly published: number
  /**
   * Bytes written to sockets: gossip, encryption and handshakes included, TCP and IP headers not.
   */
  readonly streamBytes: number
  /** Links that were opened. */
  readonly links: number
  /** Processor time, ms; 0 where none was counted. */
  readonly processor: number
}

export const nothing: Tally = { frames: 0, frameBytes: 0, published: 0, streamBytes: 0, links: 0, processor: 0 }

/** `first + factor * second`. */
export function combine(first: Tally, second: Tally, factor = 1): Tally {
  const names = Object.keys(nothing) as (keyof Tally)[]
  return Object.fromEntries(names.map((name) => [name, first[name] + factor * second[name]])) as unknown as Tally
}
