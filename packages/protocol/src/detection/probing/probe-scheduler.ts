/**
 * The probe scheduler: the times at which this node probes its ring neighbours (SWIM §3.1). Unlike
 * in SWIM, the probed member deals out the turns.
 *
 * Each answer of a member states this node's next turn (see `observer-turns.ts`). The failure
 * detector handles missing answers.
 *
 * The time-out grows with the time that answers take. If most members answer late, then this node,
 * its network or a shared machine is slow. Suspicions would make that worse. Missing answers don't
 * count, so dead members get no more time.
 */
import { earliest } from '../../base/earliest.ts'
import type { Milliseconds, NodeId } from '../../base/values.ts'
import type { Context } from '../../context/context.ts'
import { HealthMultiplier } from './health-multiplier.ts'
import { turnMoved } from './observer-turns.ts'

/**
 * An answer is late after this multiple of the usual time. Guess: TCP waits for about three round
 * trips before it sends again.
 */
const latencies = 3

/** Upper bound of the time after which an answer is late, ms. Guess: a slower pool is of no use. */
const longestWait = 60_000

interface Probe {
  sequence: number
  /** Time of the next probe. */
  nextAt: Milliseconds
  /** The time at which this node sent the pending probe; undefined: no probe is pending. */
  sentAt: Milliseconds | undefined
  /**
   * The time at which this node first sent the unanswered probe, even if it has given the probe up;
   * undefined: no answer is missing.
   */
  askedAt: Milliseconds | undefined
  /** Duration of the last answer, even if it came too late; undefined: no answer came. */
  took: Milliseconds | undefined
}

export class ProbeScheduler {
  readonly #context: Context
  readonly #health: HealthMultiplier
  readonly #probes = new Map<NodeId, Probe>()
  #observed: ReadonlySet<NodeId> = new Set()
  #sequence = 0
  /** Median duration of the members' last answers, and their third quartile. */
  #latency: Milliseconds = 0
  #longLatency: Milliseconds = 0

  constructor(context: Context) {
    this.#context = context
    this.#health = new HealthMultiplier(context)
  }

  /** The factor on this node's own time-outs. */
  get multiplier(): number {
    return this.#health.value
  }

  /** Takes in a sign that this node itself is slow, or cut off. */
  degrade(): void {
    this.#health.degrade()
    this.#arm()
  }

  /** Takes in a sign that all is well. */
  recover(): void {
    this.#health.recover()
    this.#arm()
  }

  /** Members that this node observes, with or without a link. */
  get observed(): ReadonlySet<NodeId> {
    return this.#observed
  }

  /** An answer that takes longer is late, ms. This time follows the median duration of answers. */
  get late(): Milliseconds {
    return Math.min(this.#latency * latencies, longestWait)
  }

  /**
   * Third quartile of the members' answer times, ms. So distant members of other sites count, but a
   * single slow member does not.
   */
  get roundTrip(): Milliseconds {
    return this.#longLatency
  }

  /** Returns the duration of this member's last answer to a probe, ms. */
  took(id: NodeId): Milliseconds | undefined {
    return this.#probes.get(id)?.took
  }

  /** This node gives a probe up after this time, ms. */
  get timeout(): Milliseconds {
    const { probeTimeout, unresponsive } = this.#context.config.detection
    return Math.max(probeTimeout, Math.min(this.late, unresponsive)) * this.multiplier
  }

  /** True if answers take so long that one more late answer proves little. */
  get isSlow(): boolean {
    return this.late > this.#context.config.detection.probeTimeout
  }

  observe(members: ReadonlySet<NodeId>): void {
    const hasLost = [...this.#observed].some((id) => !members.has(id) && this.#context.view.ending(id)?.says === 'died')
    this.#observed = members
    for (const id of this.#probes.keys()) if (!members.has(id)) this.#probes.delete(id)
    if (hasLost) this.#advanceTurns()
    for (const id of members) if (this.#context.links.has(id)) this.#schedule(id)
    this.#arm()
  }

  linkUp(peer: NodeId): void {
    if (this.#observed.has(peer)) this.#schedule(peer)
    this.#arm()
  }

  forget(id: NodeId): void {
    if (this.#probes.delete(id)) this.#arm()
  }

  /** Probes now, outside the turns. */
  ask(id: NodeId): void {
    const { now } = this.#context
    const probe = this.#probes.get(id) ?? this.#newProbe(now)
    if (probe.sentAt !== undefined) return
    // If this node gave the last probe up, it repeats the probe with the same number. So a late
    // answer to the first probe still shows its duration.
    if (probe.askedAt === undefined) {
      this.#sequence = (this.#sequence % 0xffffffff) + 1
      probe.sequence = this.#sequence
      probe.askedAt = now
    }
    probe.sentAt = now
    this.#probes.set(id, probe)
    this.#context.send(id, { probe: { sequence: probe.sequence } })
    this.#arm()
  }

  /** Takes in an answer, with the time until this node's next turn, ms. */
  acknowledged(from: NodeId, sequence: number, nextInMs: number): void {
    const probe = this.#probes.get(from)
    if (probe === undefined) return
    if (sequence === turnMoved && probe.sentAt === undefined) {
      probe.nextAt = Math.min(probe.nextAt, this.#context.now + nextInMs)
      this.#arm()
      return
    }
    if (probe.sequence !== sequence || probe.askedAt === undefined) return
    const { now, config } = this.#context
    const { period } = config.detection
    // A member could escape its observers by dealing out distant turns. So the next turn comes
    // after at most one and a half periods for each ring neighbour.
    const latest = period * config.links.rings * 4 * 1.5
    probe.sentAt = undefined
    probe.nextAt = now + Math.min(Math.max(nextInMs, period / 2), latest)
    this.#note(probe)
    probe.askedAt = undefined
    this.recover()
  }

  /**
   * Takes in a sign of life of a suspect. The suspect's pending answer has taken at least until
   * now.
   */
  heard(id: NodeId): void {
    const probe = this.#probes.get(id)
    if (probe === undefined) return
    this.#note(probe)
    this.#arm()
  }

  /**
   * This process stalled for `lateness`: each wait for an answer starts again. The stall does not
   * count in the duration of answers.
   */
  stalled(lateness: Milliseconds): void {
    for (const probe of this.#probes.values()) {
      if (probe.sentAt !== undefined) probe.sentAt = this.#context.now
      if (probe.askedAt !== undefined) probe.askedAt += lateness
    }
    this.#arm()
  }

  /** Sends the probes that are due. Returns the probed members that did not answer in time. */
  due(): NodeId[] {
    const { now, config } = this.#context
    const { timeout } = this
    const silent: NodeId[] = []
    for (const [id, probe] of this.#probes) {
      if (probe.sentAt === undefined) {
        if (now >= probe.nextAt) this.ask(id)
      } else if (now - probe.sentAt >= timeout) {
        probe.sentAt = undefined
        probe.nextAt = now + config.detection.period
        silent.push(id)
      }
    }
    this.#arm()
    return silent
  }

  /** Sets the timer to the next probe or time-out. */
  #arm(): void {
    const { timeout } = this
    const next = earliest(this.#probes.values(), ({ nextAt, sentAt }) => (sentAt === undefined ? nextAt : sentAt + timeout))
    this.#context.timers.set('probe', next)
  }

  #schedule(id: NodeId): void {
    if (this.#probes.has(id)) return
    const { now, config } = this.#context
    const round = config.detection.period * this.#observed.size
    this.#probes.set(id, this.#newProbe(now + this.#context.random() * Math.max(round, config.detection.period)))
  }

  #newProbe(nextAt: Milliseconds): Probe {
    return { sequence: 0, nextAt, sentAt: undefined, askedAt: undefined, took: undefined }
  }

  #note(probe: Probe): void {
    if (probe.askedAt === undefined) return
    probe.took = this.#context.now - probe.askedAt
    this.#measure()
  }

  #measure(): void {
    const all = [...this.#probes.values()].flatMap(({ took }) => took ?? []).sort((a, b) => a - b)
    this.#latency = all[all.length >> 1] ?? 0
    this.#longLatency = all[Math.floor(all.length * 0.75)] ?? 0
  }

  /**
   * Moves this node's next probe of each member to a time within a period. Often a whole rack dies:
   * the observers that have the next turns may be dead, too.
   */
  #advanceTurns(): void {
    const { now, config } = this.#context
    for (const probe of this.#probes.values()) probe.nextAt = Math.min(probe.nextAt, now + this.#context.random() * config.detection.period)
  }
}
