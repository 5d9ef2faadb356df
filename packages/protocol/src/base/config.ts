/**
 * The settings of operators, with the values that follow from them, and the bounds on input from
 * others. All other constants stand beside the code that uses them.
 *
 * The source of a value:
 *
 * - "paper" names the paper.
 * - "measured" was found on real hosts, or "simulated" in the simulator. See docs/benchmarks.md.
 * - "target" follows from a figure that docs/specification.md states.
 * - "design" follows from a decision.
 * - "guess" is an honest guess that nothing has contradicted yet.
 */
import type { Milliseconds } from './values.ts'

export const defaultConfig = {
  /** Entering a pool. */
  introduction: {
    /**
     * A node goes on alone when all introducers have failed. It also goes on alone if no member has
     * let it in after this time, ms. Measured: if 100 newcomers come at once, some wait for seconds
     * for their first dial.
     */
    aloneAfter: 20_000,
  },
  /** Links that a node keeps up. */
  links: {
    /**
     * Number of rings. On each ring a member links with two successors and two predecessors. Guess:
     * a compromise between Rapid's 10 one-way rings and the cost of links.
     */
    rings: 2,
    /**
     * Additional links to random members. They make the graph hard to surround. Guess (ARRG keeps
     * its cache random for the same reason).
     */
    random: 2,
    /**
     * Longest lifetime of a random link, ms; the shortest is half. Guess from the cost of a link:
     * 2.4 KB in ten minutes are 4 B/s.
     */
    randomLifetime: 600_000,
    /**
     * A node closes unwanted links only if it has more links than this. Guess: idle links cost
     * nothing but memory.
     */
    max: 24,
  },
  detection: {
    /**
     * Interval of the probes of one member, by its observers in turn, ms. Target: 0.3 KB/s idle at
     * 236 bytes a probe.
     */
    period: 2_000,
    /**
     * A probe without an answer raises suspicion after this time, ms. Guess: ten round trips of a
     * slow wide area.
     */
    probeTimeout: 1_000,
    /**
     * Wait for a silent process whose kernel accepts connections, ms. Design: a 5 s stop is no
     * death.
     */
    unresponsive: 15_000,
  },
  /** The search for the other side of a partition. */
  healing: {
    /** A node remembers a lost member for this time, ms. Design: a day. */
    memory: 86_400_000,
    /** Interval of the rounds of attempts, ms. Target: 20 s to heal. */
    interval: 4_000,
    /**
     * Average number of attempts in a round, in the whole pool. Guess: one success heals
     * everything.
     */
    attempts: 4,
  },
  /** Memory of ended lives. */
  tombstones: {
    /** Lifetime of a tombstone, ms. Design: longer than `healing.memory`. */
    lifetime: 100_000_000,
  },
  /** Bounds on input from others. */
  limits: {
    /** Bytes of a frame or broadcast. Guess: room for 1,500 joined-statements. */
    frameBytes: 262_144,
    /** Bytes of facts in one frame. Guess. */
    chunkBytes: 49_152,
    factsPerFrame: 4_096,
    /**
     * Facts in a broadcast. Reconciliation carries the rest. Measured: 200 joins took 20 s of
     * processor time as broadcasts, and 14 % of that by reconciliation.
     */
    factsPerBroadcast: 48,
    rangesPerFrame: 512,
    /** Members of a view. Design. */
    members: 50_000,
    /** Lost members that a node remembers. Guess. */
    lost: 10_000,
    /** Bytes of a tag. Design. */
    tagBytes: 1_024,
    /** Bytes of a member's constants, names included. Design. */
    constantsBytes: 512,
    /** Constants of a member. Guess: a few programs with a few each. */
    constants: 32,
    /** Bytes of a location. Guess. */
    locationBytes: 256,
    addresses: 8,
    /** Bytes of an address. Guess: a DNS name and a port fit. */
    addressBytes: 160,
    /** Accusers in a certificate. Guess: twice the quorum. */
    accusers: 8,
    /** Accusations, refutations or ids in a frame of failure detection. Guess. */
    entriesPerAlarm: 64,
    /** Election names in a pool. Guess. */
    elections: 256,
    /** Statements of unknown kinds that a node passes on. Guess. */
    unknown: 4_096,
    unknownBodyBytes: 4_096,
    /** A node forgets a statement of an unknown kind after this time, ms. Guess. */
    unknownLifetime: 3_600_000,
    /** Records in a pool, of all owners. Guess: records of full length take 4 MiB. */
    records: 4_096,
    /** Bytes of a record. Guess: the description of a job fits. */
    recordBytes: 1_024,
    /** Bytes of the payload of an event, query or answer. Design: as in Serf. */
    payloadBytes: 1_024,
    /**
     * Events and queries of all members that a node holds. The node evicts the oldest ones. Guess:
     * events of full length take 2 MiB.
     */
    events: 1_024,
    /**
     * A node holds an event for this time, ms, so that members that were cut off meanwhile still
     * receive it. Guess: twice the tolerated difference of calendars.
     */
    eventLifetime: 600_000,
    /** Longest lifetime of a record, ms. Guess: a month. */
    recordLifetime: 2_678_400_000,
    /**
     * For this time after its entry, ms, a node accepts any number of signatures and members. It
     * receives the whole pool at once. Guess.
     */
    bootstrapTime: 60_000,
    /** A node disconnects a peer at this number of forged or unreadable frames. Guess. */
    penalties: 3,
    /** A node that disconnects a peer for faults also bans the peer for this time, ms. Guess. */
    ban: 60_000,
    /** Banned peers that a node remembers. Guess. */
    bans: 1_024,
    /** Largest epoch and incarnation: 2^48. Keeps sums exact. */
    counter: 281_474_976_710_656,
    /**
     * A node believes an incarnation that exceeds the known ones by at most this much. Guess: no
     * node restarts a million times in a day.
     */
    incarnationJump: 1_000_000,
    /** Longest wait for the acknowledgement of a signal, ms. Guess. */
    signalTimeout: 10_000,
  },
}

export type Config = typeof defaultConfig

/** A configuration in which each section and each setting is optional. */
export type ConfigOverrides = { readonly [Section in keyof Config]?: Partial<Config[Section]> }

/**
 * Returns the defaults with some values replaced. Throws RangeError on an unknown setting, or a
 * value that is no finite number ≥ 0.
 */
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
