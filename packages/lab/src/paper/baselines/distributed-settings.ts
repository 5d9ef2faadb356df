import type { Milliseconds } from '@jel/protocol'

/** Settings of the distributed implementation (§5.2), as the original has them where nothing else is said. */
export interface DistributedSettings {
  /** A gossip follows the one before after 0 to 1 times this, 0.5 on average. */
  readonly gossipInterval: Milliseconds
  /** How many members, chosen at random, a node tells in one message. The paper says no number, the published default is 30,000. Fitted to Table II. */
  readonly gossipSize: number
  readonly arrgInterval: Milliseconds
  readonly arrgSize: number
  readonly cacheSize: number
  /** Not seen for so long: suspected (§6.3: 120 s). */
  readonly deadTimeout: Milliseconds
  /** More than so many must have failed to reach a suspect. */
  readonly witnesses: number
  readonly pingInterval: Milliseconds
  /** A suspect that can't be reached is tried until the time-out, one after the other. With it practically no crash is noticed: see docs/jel-paper.md. */
  readonly persistentPings: boolean
  /** Suspects that are called in one round. */
  readonly pingCount: number
  /** Whom a leaving node tells. */
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
