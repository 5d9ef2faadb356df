import type { Milliseconds } from '@jel/protocol'
import { loopback, type Delay } from './delay.ts'
import { noCosts, type Costs } from './processing.ts'
import type { Topology } from './site.ts'

export interface NetworkOptions {
  /**
   * Default: the delay of the {@link topology}; without a topology, the delay between processes of
   * one machine.
   */
  readonly delay: Delay
  /** The sites of machines. Default: all in one place. */
  readonly topology: Topology | undefined
  /**
   * The share of packets that get lost, 0 to 1. On a connection, loss appears as delay: TCP sends
   * the packets again.
   */
  readonly loss: number
  /** The processor time of operations, on machines that have a processor. */
  readonly costs: Costs
  /** How long a dial waits for the other kernel before it fails as silent. */
  readonly connectTimeout: Milliseconds
  /**
   * How long the dial of an address may take, handshake included, before it fails as unresponsive.
   */
  readonly dialTimeout: Milliseconds
  /** How long a host probe waits for an answer. */
  readonly hostProbeTimeout: Milliseconds
  /**
   * One-way delays until the link is open at the listener: two for TCP, the rest for the handshakes
   * above TCP. The dialler needs one more delay.
   */
  readonly setupDelays: number
  /**
   * The bytes and packets that each end sends until the link is open and both ends can exchange
   * gossip. The bytes exclude TCP's own bytes.
   */
  readonly setupBytes: { readonly dialler: number; readonly listener: number }
  readonly setupPackets: number
}

export const defaultNetwork: NetworkOptions = {
  delay: loopback,
  topology: undefined,
  loss: 0,
  costs: noCosts,
  // The first and the last are the overlay's values. `dialTimeout` is a guess: the overlay gives 5
  // s to the handshake and 5 s to the opening of the link.
  connectTimeout: 2_000,
  dialTimeout: 8_000,
  hostProbeTimeout: 600,
  // Measured on two hosts (packages/lab/src/fidelity): TCP, then Noise, yamux and the link's stream
  // in two and a half round trips. The streams of gossipsub open along with later data.
  setupDelays: 7,
  setupBytes: { dialler: 558, listener: 646 },
  setupPackets: 3,
}
