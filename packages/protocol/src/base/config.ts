/**
 * What an operator may set, with what follows from it, and the bounds on what is accepted from others. Constants that nobody should have to
 * think about stand beside the code that they belong to.
 *
 * "paper" names the paper, "measured" was found on real hosts (docs/benchmarks.md repeats it), "target" follows from a figure that
 * docs/protocol.md promises, "guess" is an honest guess that nothing has contradicted yet.
 */
import type { Milliseconds } from './io.ts'

export const defaultConfig = {
  /** Entering a pool. */
  introduction: {
    /** Go on alone when all introducers failed, or after this long in any case, ms. Measured: of 100 newcomers at once some wait for seconds for their first dial. */
    aloneAfter: 20_000,
  },
  /** Links that are kept up. */
  links: {
    /** Rings that members stand on, each linked with two successors and two predecessors. Guess between Rapid's 10 one-way rings and the cost of a link. */
    rings: 2,
    /** Links to random members beside these: they make the graph hard to surround. Guess (ARRG keeps its cache random for the same reason). */
    random: 2,
    /** A random link is replaced after about this long, ms. From the cost: 2.4 KB in ten minutes are 4 B/s. */
    randomLifetime: 600_000,
    /** Links beyond those wanted are closed only above this number. Guess: idle links cost nothing but memory. */
    max: 24,
  },
  detection: {
    /** A member is probed about this often by one of its observers in turn, ms. Target: 0.3 KB/s idle at 236 bytes a probe. */
    period: 2_000,
    /** A probe unanswered for this long raises suspicion, ms. Guess: ten round trips of a slow wide area. */
    probeTimeout: 1_000,
    /** A process that its kernel accepts for but that says nothing gets this long, ms. Design: a 5 s stop is no death. */
    unresponsive: 15_000,
  },
  /** Finding the other side of a partition again. */
  healing: {
    /** A lost member is remembered this long, ms. Design: a day. */
    memory: 86_400_000,
    /** Rounds of attempts, ms. Target: 20 s to heal. */
    interval: 4_000,
    /** Attempts a round in the whole pool, on average. Guess: one success heals everything. */
    attempts: 4,
  },
  /** Memory of ended lives. */
  tombstones: {
    /** Must outlive `healing.memory`, ms. Design. */
    lifetime: 100_000_000,
  },
  /** What is accepted from others. */
  limits: {
    /** Bytes a frame or broadcast. Guess: 1,500 joined-statements. */
    frameBytes: 262_144,
    /** Bytes of facts put in one frame. Guess. */
    chunkBytes: 49_152,
    factsPerFrame: 4_096,
    /** A broadcast; if more wait, reconciliation carries them. Measured: 200 joins as messages cost 20 s of processor time, reconciled 14 % of it. */
    factsPerBroadcast: 48,
    rangesPerFrame: 512,
    /** Members a view. Design. */
    members: 50_000,
    /** Lost members remembered. Guess. */
    lost: 10_000,
    /** Design. */
    tagBytes: 1_024,
    /** Constants of a member, names included. Design. */
    constantsBytes: 512,
    /** Guess: some programs with some each. */
    constants: 32,
    /** Guess. */
    locationBytes: 256,
    addresses: 8,
    /** Guess: a DNS name and a port fit. */
    addressBytes: 160,
    /** A certificate. Guess: twice the quorum. */
    accusers: 8,
    /** Suspicions, refutations or ids in a frame of failure detection. Guess. */
    entriesPerAlarm: 64,
    /** Election names a pool. Guess. */
    elections: 256,
    /** Statements of kinds unknown to this version that are passed on. Guess. */
    unknown: 4_096,
    unknownBodyBytes: 4_096,
    /** Such a statement is forgotten after, ms. Guess. */
    unknownLifetime: 3_600_000,
    /** Records a pool, of all owners. Guess: 4 MiB of the longest. */
    records: 4_096,
    /** Bytes of one. Guess: the description of a job fits. */
    recordBytes: 1_024,
    /** Bytes of what an event, a query or an answer carries. Design: as Serf's user events and queries. */
    payloadBytes: 1_024,
    /** Events and queries held, of all members: the oldest make way. Guess: 2 MiB of the longest. */
    events: 1_024,
    /** Events are held so long, ms: those who were cut off meanwhile are told them. Guess: twice as much as calendars differ. */
    eventLifetime: 600_000,
    /** A record lives this long at most, ms. Guess: a month. */
    recordLifetime: 2_678_400_000,
    /** So long after it entered a node takes as many signatures and members as come, ms: a pool is told it all at once. Guess. */
    credulity: 60_000,
    /** Forged or unreadable frames from one peer before it is disconnected. Guess. */
    penalties: 3,
    /** Who was disconnected for that stays away this long, ms. Guess. */
    ban: 60_000,
    /** Such peers remembered at most. Guess. */
    bans: 1_024,
    /** Largest epoch and incarnation: 2^48. Keeps sums exact. */
    counter: 281_474_976_710_656,
    /** A death may be told of an incarnation at most so far beyond those known. Guess: nobody restarts a million times in a day. */
    incarnationJump: 1_000_000,
    /** Acknowledgement of a signal may take this long, ms. Guess. */
    signalTimeout: 10_000,
  },
}

export type Config = typeof defaultConfig

/** Every field optional, at every level. */
export type ConfigOverrides = { readonly [Section in keyof Config]?: Partial<Config[Section]> }

/** The defaults with some values replaced. Throws RangeError on a value that is no positive finite number. */
export function makeConfig(overrides: ConfigOverrides = {}): Config {
  const config = structuredClone(defaultConfig)
  for (const [section, values] of Object.entries(overrides)) {
    if (!(section in config)) throw new RangeError(`no such section of the configuration: ${section}`)
    const target = config[section as keyof Config] as Record<string, Milliseconds>
    for (const [key, value] of Object.entries(values)) {
      if (!(key in target)) throw new RangeError(`no such setting: ${section}.${key}`)
      if (typeof value !== 'number' || !Number.isFinite(value) || value < 0)
        throw new RangeError(`${section}.${key} must be a number ≥ 0, not ${String(value)}`)
      target[key] = value
    }
  }
  return config
}
