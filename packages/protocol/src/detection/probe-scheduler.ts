/**
 * The probe scheduler: when this node probes its neighbours on the rings (SWIM §3.1, but that the member says whose turn it is).
 *
 * Each observed member is asked for a sign of life when it is this node's turn, which the member's last answer said (see `probe-turns.ts`). What comes
 * of an answer that fails to come is the failure detector's business.
 *
 * How long to wait follows from how long answers take: where most members answer late, this node, its network or the machine that all of them share is
 * slow, and suspicions would make it slower. Answers that never come don't count, so the dead are not waited for any longer.
 */
import type { Milliseconds, NodeId } from '../base/io.ts'
import type { Context, Timed } from '../context/context.ts'
import type { HealthMultiplier } from './health-multiplier.ts'
import { turnMoved } from './probe-turns.ts'

/** An answer is late after so many times what is usual. Guess: TCP waits for about three round trips before it sends again. */
const latencies = 3

/** No answer is waited for any longer than this, ms. Guess: with more the pool is of no use. */
const longestWait = 60_000

interface Probe {
  sequence: number
  /** When the next one is sent. */
  nextAt: Milliseconds
  /** When the unanswered one was sent; undefined: none is. */
  sentAt: Milliseconds | undefined
  /** Since when an answer is missing, also where it is not waited for any longer; undefined: none is. */
  askedAt: Milliseconds | undefined
  /** How long the last answer took, also one that came too late; undefined: there was none. */
  took: Milliseconds | undefined
}

export class ProbeScheduler implements Timed {
  readonly #context: Context
  readonly #health: HealthMultiplier
  readonly #onSilence: (id: NodeId) => void
  readonly #probes = new Map<NodeId, Probe>()
  #observed: ReadonlySet<NodeId> = new Set()
  #sequence = 0
  /** How long the answers of half of the members took, and of three quarters. */
  #latency: Milliseconds = 0
  #longLatency: Milliseconds = 0

  /** `onSilence`: an observed member did not answer in time. */
  constructor(context: Context, health: HealthMultiplier, onSilence: (id: NodeId) => void) {
    this.#context = context
    this.#health = health
    this.#onSilence = onSilence
  }

  get nextDue(): Milliseconds {
    let next = Infinity
    const { timeout } = this
    for (const { nextAt, sentAt } of this.#probes.values()) next = Math.min(next, sentAt === undefined ? nextAt : sentAt + timeout)
    return next
  }

  /** Members whom this node observes, whether it has a link with them or not. */
  get observed(): ReadonlySet<NodeId> {
    return this.#observed
  }

  /** An answer that takes longer is late, by how long others take, ms. */
  get late(): Milliseconds {
    return Math.min(this.#latency * latencies, longestWait)
  }

  /** How long three quarters of the members take to answer at most, ms: of several sites the distant ones count, one that is slow does not. */
  get roundTrip(): Milliseconds {
    return this.#longLatency
  }

  /** How long this member took to answer the last probe, ms. */
  took(id: NodeId): Milliseconds | undefined {
    return this.#probes.get(id)?.took
  }

  /** A probe is given up after this, ms. */
  get timeout(): Milliseconds {
    const { probeTimeout, unresponsive } = this.#context.config.detection
    return Math.max(probeTimeout, Math.min(this.late, unresponsive)) * this.#health.value
  }

  /** Answers take so long that one more late says little. */
  get isSlow(): boolean {
    return this.late > this.#context.config.detection.probeTimeout
  }

  observe(members: ReadonlySet<NodeId>): void {
    const hasLost = [...this.#observed].some((id) => !members.has(id) && this.#context.view.ending(id)?.says === 'died')
    this.#observed = members
    for (const id of this.#probes.keys()) if (!members.has(id)) this.#probes.delete(id)
    if (hasLost) this.#advanceTurns()
    for (const id of members) if (this.#context.links.has(id)) this.#schedule(id)
  }

  linkUp(peer: NodeId): void {
    if (this.#observed.has(peer)) this.#schedule(peer)
  }

  forget(id: NodeId): void {
    this.#probes.delete(id)
  }

  /** Probes now, whoever's turn it is. */
  ask(id: NodeId): void {
    const { now } = this.#context
    const probe = this.#probes.get(id) ?? this.#newProbe(now)
    if (probe.sentAt !== undefined) return
    // One that was given up is sent again as it was: so an answer to the first tells how long it took.
    if (probe.askedAt === undefined) {
      this.#sequence = (this.#sequence % 0xffffffff) + 1
      probe.sequence = this.#sequence
      probe.askedAt = now
    }
    probe.sentAt = now
    this.#probes.set(id, probe)
    this.#context.send(id, { probe: { sequence: probe.sequence } })
  }

  /** An answer, with the time until this node's next turn, ms. */
  acknowledged(from: NodeId, sequence: number, nextInMs: number): void {
    const probe = this.#probes.get(from)
    if (probe === undefined) return
    if (sequence === turnMoved && probe.sentAt === undefined) {
      probe.nextAt = Math.min(probe.nextAt, this.#context.now + nextInMs)
      return
    }
    if (probe.sequence !== sequence || probe.askedAt === undefined) return
    const { now, config } = this.#context
    const { period } = config.detection
    // A member that deals out turns far ahead could escape its observers: no turn is later than if all had one and a half.
    const latest = period * config.links.rings * 4 * 1.5
    probe.sentAt = undefined
    probe.nextAt = now + Math.min(Math.max(nextInMs, period / 2), latest)
    this.#note(probe)
    probe.askedAt = undefined
    this.#health.recover()
  }

  /** A suspect says something: its answer takes at least that long. */
  heard(id: NodeId): void {
    const probe = this.#probes.get(id)
    if (probe !== undefined) this.#note(probe)
  }

  /** This process did nothing for so long: the time for answers begins anew, and theirs is not how long others took. */
  stalled(lateness: Milliseconds): void {
    for (const probe of this.#probes.values()) {
      if (probe.sentAt !== undefined) probe.sentAt = this.#context.now
      if (probe.askedAt !== undefined) probe.askedAt += lateness
    }
  }

  due(): void {
    const { now, config } = this.#context
    const { timeout } = this
    for (const [id, probe] of this.#probes) {
      if (probe.sentAt === undefined) {
        if (now >= probe.nextAt) this.ask(id)
      } else if (now - probe.sentAt >= timeout) {
        probe.sentAt = undefined
        probe.nextAt = now + config.detection.period
        this.#onSilence(id)
      }
    }
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

  /** Silence comes to racks, not to single hosts: the next turns may be those of observers who died along. So all get a turn soon. */
  #advanceTurns(): void {
    const { now, config } = this.#context
    for (const probe of this.#probes.values()) probe.nextAt = Math.min(probe.nextAt, now + this.#context.random() * config.detection.period)
  }
}
