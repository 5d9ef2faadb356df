import type { Milliseconds } from '@jel/protocol'

/**
 * Settings of the distributed implementation (§5.2). They are the original's, unless a comment
 * gives another source.
 */
export interface DistributedSettings {
  /**
   * Bound on the interval between two gossips. The interval is a random share of it, on average
   * half.
   */
  readonly gossipInterval: Milliseconds
  /**
   * Number of random members in one message. The paper gives no number, and the published default
   * is 30,000. Fitted to Table II.
   */
  readonly gossipSize: number
  readonly arrgInterval: Milliseconds
  readonly arrgSize: number
  readonly cacheSize: number
  /** A member becomes a suspect after this time without a sighting (§6.3: 120 s). */
  readonly deadTimeout: Milliseconds
  /**
   * Number of witnesses. A node declares a suspect dead if more members than this could not reach
   * the suspect.
   */
  readonly witnesses: number
  readonly pingInterval: Milliseconds
  /**
   * True if a node tries an unreachable suspect until the time-out, before it tries the next
   * suspect. With this setting nodes notice practically no crash: see docs/jel-paper.md.
   */
  readonly persistentPings: boolean
  /** Number of suspects that a node calls in one round. */
  readonly pingCount: number
  /** Number of nodes that receive a leave. */
  readonly leavesSent: number
  readonly connectTimeout: Milliseconds
  readonly leaveConnectTimeout: Milliseconds
  readonly arrgConnectTimeout: Milliseconds
  readonly serviceConnectTimeout: Milliseconds
}

export const distributedSettings: DistributedSettings = {
  gossipInterval: 1_000,
  gossipSize: 25,
  arrgInterval: 1_000,
  arrgSize: 30,
  cacheSize: 100,
  deadTimeout: 120_000,
  witnesses: 5,
  pingInterval: 1_000,
  persistentPings: false,
  pingCount: 10,
  leavesSent: 10,
  connectTimeout: 5_000,
  leaveConnectTimeout: 1_000,
  arrgConnectTimeout: 30_000,
  serviceConnectTimeout: 120_000,
}
