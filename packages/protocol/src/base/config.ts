/**
 * Every tunable of the protocol: its unit, its default and where the default comes from.
 *
 * "paper" names the paper, "measured" was found on real hosts (docs/benchmarks.md repeats it), "target" follows from a figure that
 * the design promises, "guess" is an honest guess that nothing has contradicted yet.
 */
import type { Milliseconds } from './io.ts'

export const defaultConfig = {
  /** Entering a pool. */
  introduction: {
    /** Go on alone when all introducers failed, or after this long in any case, ms. Measured: a crowd of 100 waits for seconds for its first dial. */
    aloneAfter: 20_000,
    /** A connection that is accepted but not answered, as by a busy introducer, makes a node go on alone only at this time. Guess. */
    mutePatience: 2,
    /** First wait before an introducer that did not answer is tried again, ms; doubles each time. Guess. */
    retryMin: 500,
    /** Longest such wait, ms. Guess. */
    retryMax: 30_000,
    /** Newcomers served in {@link crowdWindow} before the next are handed on to other members. Guess: being handed on costs a link more, 11 ms of processor time. */
    crowd: 64,
    /** ms. Guess. */
    crowdWindow: 1_000,
    /** Newcomers beyond that wait so long for somebody who can be named to them, ms. Guess: the first have entered after two round trips. */
    hold: 500,
    /** Members named to somebody who is handed on; the first is asked, the others are for the case that it does not answer. Guess. */
    referrals: 3,
    /** How long somebody handed on may stay connected, ms. Guess. */
    referralGrace: 3_000,
  },
  /** Links that are kept up. */
  links: {
    /** Rings that members stand on, each linked with two successors and two predecessors. Guess between Rapid's 10 one-way rings and the cost of a link. */
    rings: 2,
    /** Links to random members beside these: they make the graph hard to surround. Guess (ARRG keeps its cache random for the same reason). */
    random: 2,
    /** A random link is replaced after about this long, ms. From the cost: 9.4 KB in ten minutes are 16 B/s. */
    randomLifetime: 600_000,
    /** Links a node starts with, until its view has been quiet for {@link quiet}. Measured: with two, a flash join of 100 hosts takes twice as long. */
    early: 1,
    /** ms without a change of the view before the remaining links are built. Measured: a crowd on a busy machine pauses for half a second. */
    quiet: 1_200,
    /** In a pool that is never quiet they are built after this, ms. Guess. */
    quietAtMost: 20_000,
    /** Pause between two dials of one node, ms. Measured: 11 ms of processor time each, so a node alone uses a tenth of a core. */
    dialPause: 100,
    /** Longest such pause where dials take long, and how long one is waited for before the next, ms. Guess. */
    dialPauseMax: 2_000,
    /** The lower id dials; the higher one only after this, ms. Guess. */
    politeness: 1_500,
    /** A dial that gave nothing is not repeated for this long, ms; each later one for twice as long. Guess. */
    dialAgain: 2_000,
    /** Longest such wait, ms. Guess. */
    dialAgainMax: 32_000,
    /** Links beyond those wanted are closed only above this number. Guess: idle links cost nothing but memory. */
    max: 24,
    /** A link younger than this is never closed as surplus, ms. Guess. */
    settle: 10_000,
    /** The same for a link that was opened to look at a member in doubt, ms. Guess: what is said over it takes a few round trips. */
    look: 2_000,
  },
  /** Batching of news for the topic. */
  rumours: {
    /** A node this young is heard by few: it hands its news to its links as well, ms. Measured: a mesh takes a second or two to form. */
    youth: 3_000,
    /** Wait for company before news of one's own or of a newcomer is published, ms. Target: one join known in 0.3 s. */
    delay: 20,
    /** Where others have the same news, each waits this much longer than the one before, and keeps silent if it was published meanwhile, ms. Guess: a way across a continent. */
    patience: 40,
    /** Each batch within the last second doubles the wait up to this, ms. Guess. */
    delayMax: 1_000,
    /** More entries, or ends, than this within a second are not published but offered. Measured (simulated, 100 nodes): half the bytes of publishing them. */
    crowd: 4,
    /** The same for deaths, which come in heaps and are urgent. Guess. */
    deaths: 32,
    /** Facts a batch; if more wait, reconciliation carries them. Measured: 200 joins as messages cost 20 s of processor time, reconciled 14 % of it. */
    batch: 48,
  },
  /** Facts of a crowd, named along the links before they are told. */
  offers: {
    /** They are gathered for this long at each hop, ms. Guess. */
    delay: 100,
    /** Each batch within the last second adds as much to that, up to so many times. Guess: frames cost more than what they hold. */
    slowdown: 4,
    /** What was asked for and has not come is asked of somebody else after this, ms. Guess: 130 KB through a link of 1 Mbit/s take one second. */
    timeout: 3_000,
    /** Of the links that are not young so many hear of each batch. Guess: as many as a gossip mesh. */
    fanout: 6,
  },
  reconciliation: {
    /** Interval after something changed, ms; doubles while nothing changes. Target: flash join. */
    min: 250,
    /** Interval after a change that arrived as a broadcast, ms: spreading works, so look less soon. Guess. */
    afterBroadcast: 500,
    /**
     * In a pool larger than this such changes, and crowds, come more often, and the interval is longer in proportion, at most eight times. Measured
     * (simulated, 1,000 nodes, one-hour sessions): without, looking around was more than half of all bytes.
     */
    afterBroadcastMembers: 500,
    /** Interval after a change that is one of many, ms: offers bring the others, and what is under way must not be fetched twice. Guess. */
    inCrowd: 2_000,
    /** Longest interval, ms. Target: idle traffic. */
    max: 30_000,
    /** A range with no more facts than this is listed instead of compared. Guess: the dozen fingerprints of its parts are as long as 26 items. */
    list: 32,
    /** Where one side has so many times as many facts as the other, nearly all differ: the smaller side lists its own at once. Guess; measured with `list`: a flash join of 2,000 takes 6 % less bytes. */
    imbalance: 4,
    /** Into how many a differing range is split. Measured (simulated, 100 nodes): 8 to 16 differ by 5 %. */
    fanout: 12,
    /** Messages a reconciliation may take; at 50,000 facts 6 are usual. */
    rounds: 24,
    /**
     * While one that a node began is this young it begins no other, ms. Measured (simulated, 40 nodes on two processors of half the usual speed, after a
     * partition): whole after 8 to 11 s, with 1,000 after 8 to 15, without after 10 to 20.
     */
    patience: 2_500,
    /** No answer for this long ends one, ms. Guess. */
    timeout: 5_000,
  },
  detection: {
    /** A member is probed about this often by one of its observers in turn, ms. Target: 0.3 KB/s idle at 236 bytes a probe. */
    period: 2_000,
    /** A probe unanswered for this long raises doubt, ms. Guess: ten round trips of a slow wide area. */
    probeTimeout: 1_000,
    /** While in doubt, look again this often, ms. Guess. */
    recheck: 500,
    /** Each look at a member makes the wait for the next twice as long, up to this, ms. Guess. */
    recheckMax: 4_000,
    /** Silence of a host (no refusal, no acceptance) that makes a witness, ms from the first doubt. Target: 5 s in all. */
    silence: 1_200,
    /** A process that its kernel accepts for but that says nothing gets this long, ms. Design: a 5 s stop is no death. */
    mute: 15_000,
    /** A member that can't be dialled gets this long to come back by itself, ms. Guess. */
    undialable: 4_000,
    /** A member that this node never had a link with, and that nobody else misses, gets this long to be heard of, ms. Guess: just above `silence`. */
    stranger: 2_500,
    /** And this long after somebody missed it: for the suspicion to reach it and its refutation to come back, ms. Guess: four hops around the world and back. */
    objection: 1_000,
    /** Who never had a link with a silent member pronounces it dead only this long after somebody missed it, ms. Guess: by then most of a pool heard of it, and who has a link asked it. */
    strangersAlone: 8_000,
    /** A dial that finds silence has waited this long, ms. The overlay's time-out for a connection. */
    silentDial: 2_000,
    /** A refutation keeps such a member, or one that can't be dialled, above all doubt for this long, ms. Guess. */
    vouch: 60_000,
    /** Witnesses that make a death, if there are enough observers. Design. */
    quorum: 4,
    /** Who heard nobody for this long pronounces silent members dead by itself, ms. Guess: few outages of one's own network are longer. */
    alone: 3_600_000,
    /** The same for members whose kernels accept every knock while the processes say nothing, ms. Guess: no machine is starved for so long. */
    aloneAmongMute: 300_000,
    /** A suspicion that found no company for this long is void, ms. Guess: above `mute`. */
    suspicionLifetime: 30_000,
    /** Suspicions are gathered for this long before they are sent, ms. Measured: when 18 of 60 processes die at once, frames cost more than what they hold. */
    gather: 10,
    /** A suspicion that was not decided after this long is told to more members, ms; each later round waits twice as long. Guess: most often the observers suffice. */
    widen: 150,
    /** Longest wait between two such rounds, ms. Guess. */
    widenMax: 2_400,
    /** Links told in a round. Guess: each is a witness more, and one is missing most often. */
    roundPeers: 3,
    /** Suspects for which a round comes at a time; the others wait. Guess. */
    roundsAtOnce: 2,
    /** A foreign death of somebody we are in contact with waits this long for the new life, ms. Guess. */
    hold: 5_000,
    /** A timer this late says that this process stalled, ms. Measured: 20 processes starting on 2 cores are late by 100–300 ms. */
    stall: 400,
    /** Upper end of Lifeguard's local health score; time-outs grow by this factor plus one. Lifeguard (DSN'18) §3. */
    healthMax: 8,
    /** Dials of the detector under way at a time: doubts that come from overload must not add to it. Measured: without, 100 hosts once never calmed down. */
    dials: 4,
    /**
     * Members that a node looks at for itself at a time, on the word of others; and knocks each {@link recheck} where nobody answers. Measured (simulated, 60
     * nodes): with 16 the late suspicions of one lossy node gave a healthy one a dozen links more than it keeps; with 8 nothing is found out later.
     */
    checks: 8,
  },
  /** Finding the other side of a partition again. */
  healing: {
    /** A lost member is remembered this long, ms. Design: a day. */
    memory: 86_400_000,
    /** Rounds of attempts, ms. Target: 20 s to heal. */
    interval: 4_000,
    /** Attempts a round in the whole pool, on average. Guess: one success heals everything. */
    attempts: 4,
    /** Lost members remembered at most. Guess. */
    max: 10_000,
  },
  election: {
    /** Candidates settle this long after the last news of a candidate before the lowest claims, ms. Guess: two gossip hops over a wide area. */
    settle: 400,
    /** After the end of a reign the candidates are known already: they settle this long, ms. Target: detection + 0.5 s. */
    resettle: 200,
    /** Candidates remembered an election: the lowest. Who is not among them stands again when places become free. Guess. */
    candidates: 16,
    /** An epoch that skips some while a winner lives, or skips very many, counts only after so many peers told it. Guess. */
    confirmations: 3,
    /** The same peer counts again after this, ms. Guess: long enough for the others to be heard. */
    tellAgain: 5_000,
    /** So many more than the known epoch are believable after a time apart. Guess: a reign ends a thousand times in no partition. */
    epochJump: 1_000,
  },
  /** Memory of ended lives. */
  tombstones: {
    /** Must outlive `healing.memory`, ms. Design. */
    lifetime: 100_000_000,
    /** Share of the lifetime after which it is no longer told to others, so that expiry reinfects nobody. Guess. */
    shareUntil: 0.9,
  },
  /** What is accepted from others. */
  limits: {
    /** Bytes a frame or broadcast. Guess: 1,500 joined-statements. */
    frameBytes: 262_144,
    /** Bytes of facts put in one frame. Guess. */
    chunkBytes: 49_152,
    factsPerFrame: 4_096,
    rangesPerFrame: 512,
    /** Members a view. Design. */
    members: 50_000,
    /** Design. */
    tagBytes: 1_024,
    /** Guess. */
    locationBytes: 256,
    addresses: 8,
    /** Guess: a DNS name and a port fit. */
    addressBytes: 160,
    witnesses: 8,
    statementsPerAlarm: 64,
    /** Election names a pool. Guess. */
    elections: 256,
    /** Statements of kinds unknown to this version that are passed on. Guess. */
    unknown: 4_096,
    unknownBodyBytes: 4_096,
    /** Such a statement is forgotten after, ms. Guess. */
    unknownLifetime: 3_600_000,
    /** Frames a second from one peer, on average; bursts of 10 s are allowed. Guess: ten times the busiest moment of a flash join. */
    framesPerSecond: 200,
    /** Bytes of frames a second from one peer; the same bursts. Guess: the burst holds a pool of 150,000 members. */
    bytesPerSecond: 2_097_152,
    /** Bytes of facts a second that one peer may ask for; bursts of 10 s, or of twice all there is. Guess. */
    answersPerSecond: 262_144,
    /** Signatures a second that are checked for one peer; the same bursts. Measured: 0.2 ms each with the key imported, so 4 % of a core. */
    checksPerSecond: 200,
    /** Members a second that one peer may make known; bursts of 10 s, or of as many as are known already, as after a partition. Guess. */
    newcomersPerSecond: 50,
    /** So long after it entered a node takes as many signatures and members as come, ms: a pool is told it all at once. Guess. */
    credulity: 60_000,
    /** Members a second that this node looks after on the word of one peer; the same bursts. Guess: a rack goes down now and then. */
    hintsPerSecond: 10,
    /** Facts a second in broadcasts, whoever sent them; the same bursts. Guess: three times `checksPerSecond`. */
    broadcastFactsPerSecond: 600,
    /** A fact is forwarded on the topic once in this time, ms. Guess: far longer than any message travels. */
    forwardOnce: 60_000,
    /** Facts remembered for that. Guess. */
    forwarded: 8_192,
    /** Rule-breaking frames from one peer before it is disconnected. Guess. */
    strikes: 3,
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
