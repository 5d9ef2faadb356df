/** Counts of the messages and the cost of nodes. */

/** Counts of a swarm since its start. Each message counts once, at its sender. */
export interface Tally {
  /** Number of frames of the protocol, and their bytes without overhead. */
  readonly frames: number
  readonly frameBytes: number
  /** Number of messages published on the topic. */
  readonly published: number
  /**
   * Bytes written to sockets. These include gossip, encryption and handshakes, but not TCP and IP
   * headers.
   */
  readonly streamBytes: number
  /** Number of opened links. */
  readonly links: number
  /** Processor time, ms; 0 if nothing counted it. */
  readonly processor: number
}

export const nothing: Tally = { frames: 0, frameBytes: 0, published: 0, streamBytes: 0, links: 0, processor: 0 }

/** Returns `first + factor * second` for each count. */
export function combine(first: Tally, second: Tally, factor = 1): Tally {
  const names = Object.keys(nothing) as (keyof Tally)[]
  return Object.fromEntries(names.map((name) => [name, first[name] + factor * second[name]])) as unknown as Tally
}
