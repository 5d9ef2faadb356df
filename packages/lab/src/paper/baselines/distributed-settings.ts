import type { Milliseconds } from '@jel/protocol'

/**
 * Settings of the distributed implementation (§5.2). They are the original's unless a comment gives
 * another source.
 */
export interface DistributedSettings {
  /** The interval between two gossips is 0 to 1 times this, 0.5 on average. */
  readonly gossipInterval: Milliseconds
  /**
   * Members, chosen at random, in one message. The paper gives no number, the published default is
   * 30,000. Fitted to Table II.
   */
  readonly gossipSize: number
  readonly arrgInterval: Milliseconds
  readonly arrgSize: number
  readonly cacheSize: number
  /** A member that is not seen for so long is suspected (§6.3: 120 s). */
  readonly deadTimeout: Milliseconds
  /** More members than this must have failed to reach a suspect. */
  readonly witnesses: number
  readonly pingInterval: Milliseconds
  /**
   * Suspects that can't be reached are tried until the time-out, one after the other. With this
   * setting practically no crash is noticed: see docs/jel-paper.md.
   */
  readonly persistentPings: boolean
  /** Suspects that are called in one round. */
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
