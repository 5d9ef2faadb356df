/**
 * The failure detector: probes, doubts, and what they are worth.
 *
 * Each member is probed about once in two seconds, by one of its observers in turn; the member itself deals out the turns in its
 * answers, so nobody has to agree on a schedule. A first failure makes all observers look. What counts is the kind of failure:
 * a connection refused is a dead process; no answer at all a silent host, believed after a second or two; a kernel that accepts for
 * a process that says nothing is a stopped or busy process, and gets fifteen seconds. A member that can't be dialled (behind a NAT) is only
 * missed: it gets some time to come back by itself. And a member that this node never had a link with may be one of those: a dial
 * that fails proves nothing until somebody who did know it suspects it, too.
 *
 * A node that stalled itself trusts its own time-outs less (Lifeguard, DSN'18 §3). One of many that reaches nobody does not trust them at all: most
 * likely it is the one that is cut off. Refusals it trusts.
 */
import type { Context, Timed } from './context.ts'
import type { DialFailure, KnockOutcome, Milliseconds, NodeId } from './io.ts'
import { observersOf } from './rings.ts'

/** Who reaches nobody stretches its time-outs by this: most likely the fault is its own. Guess: a sick node shall not bury a healthy pool. */
const isolated = 6

/** Longest pause between two looks at one member where nobody answers, ms. Guess: half of what a pool may take to heal. */
const recheckMax = 10_000

/** Knocks in a row that are accepted where nobody else answers: then the network does its part. Guess: with 80 % loss one in twenty-five is. */
const answers = 10

/** In a pool of more than so many it does not count them at all: one against many. Design: two and three members can't ask for a second witness. */
export const few = 3

/** In place of the number of a probe: this answers none, but moves the observer's next turn forward. */
const turnMoved = 0

interface Probe {
  sequence: number
  /** When the next one is sent. */
  nextAt: Milliseconds
  /** When the unanswered one was sent; undefined: none is. */
  sentAt: Milliseconds | undefined
}

interface Doubt {
  readonly raised: Milliseconds
  /** From when on its time counts. */
  since: Milliseconds
  readonly incarnation: number
  /** Latest thing that was found out about its host. */
  evidence: 'none' | 'refused' | 'silent' | 'mute'
  /** Knocks in a row that were accepted. */
  accepted: number
  /** A knock is under way since. */
  knocking: Milliseconds | undefined
  /** A dial is under way since. */
  dialling: Milliseconds | undefined
  nextCheck: Milliseconds
  convicted: boolean
}

export interface DetectorEvents {
  /** This node is sure that it can't reach the member. */
  onUnreachable(id: NodeId): void
  /** The member answered after all. */
  onReached(id: NodeId): void
  /** Since when somebody is known to have failed to reach the member; undefined: nobody is. */
  suspectedSince(id: NodeId): Milliseconds | undefined
}

export class Detector implements Timed {
  readonly #context: Context
  readonly #events: DetectorEvents
  readonly #probes = new Map<NodeId, Probe>()
  readonly #doubts = new Map<NodeId, Doubt>()
  /**
   * By what its links showed, of each life: whether a member can be dialled. Not in here: nobody knows. It comes from elsewhere than it
   * announces if it can't.
   */
  readonly #dialable = new Map<NodeId, boolean>()
  /** Who gave a sign of life through others: until when that counts. */
  readonly #vouched = new Map<NodeId, Milliseconds>()
  /** Whom others were told to look at, and when. */
  readonly #alarms = new Map<NodeId, Milliseconds>()
  #observed: ReadonlySet<NodeId> = new Set()
  #sequence = 0
  /** Lifeguard's local health score: 0 is well. */
  #score = 0
  #scoreFallsAt = Infinity
  /** The turns dealt out to observers: when each will probe this node next. */
  readonly #turns = new Map<NodeId, Milliseconds>()
  /** When a member was last heard. */
  #heardAt: Milliseconds = 0
  /** Nobody answers, so that silence proves nothing. */
  #isCutOff = false
  /** When all links were looked at, as no observed member answered. */
  #lookedAround: Milliseconds = -Infinity

  constructor(context: Context, events: DetectorEvents) {
    this.#context = context
    this.#events = events
  }

  get nextDue(): Milliseconds {
    let next = this.#scoreFallsAt
    const timeout = this.#timeout()
    for (const { nextAt, sentAt } of this.#probes.values()) next = Math.min(next, sentAt === undefined ? nextAt : sentAt + timeout)
    if (this.#doubts.size > 0) for (const { nextCheck } of this.#doubts.values()) next = Math.min(next, nextCheck)
    return next
  }

  /** Members whose state is unsure. */
  get doubted(): number {
    return this.#doubts.size
  }

  isDoubted(id: NodeId): boolean {
    return this.#doubts.has(id)
  }

  isConvicted(id: NodeId): boolean {
    return this.#doubts.get(id)?.convicted === true
  }

  /** This node never had a link with the member, and nothing refuses for it: it may stand behind a NAT. */
  isHidden(id: NodeId): boolean {
    return !this.#dialable.has(id) && this.#doubts.get(id)?.evidence !== 'refused'
  }

  /**
   * What this node found out is worth a death without another witness. A refusal is an answer; silence may be its own, and only after a long
   * time in which it heard no member at all it holds the others for gone, sooner if their kernels accept all the time. (Not at once: on a machine
   * that is starved all look like that.)
   */
  isSureAlone(id: NodeId): boolean {
    const { now, config } = this.#context
    const doubt = this.#doubts.get(id)
    const patience = (doubt?.accepted ?? 0) >= answers ? config.detection.aloneAmongMute : config.detection.alone
    return doubt?.evidence === 'refused' || now - this.#heardAt >= patience
  }

  /** A link is up and nothing speaks against the member. */
  isInContact(id: NodeId): boolean {
    return this.#context.links.has(id) && !this.#doubts.has(id)
  }

  /** Whom to probe. */
  observe(members: ReadonlySet<NodeId>): void {
    const isBereaved = [...this.#observed].some((id) => !members.has(id) && this.#context.view.ending(id)?.says === 'died')
    this.#observed = members
    for (const id of this.#probes.keys()) if (!members.has(id)) this.#probes.delete(id)
    if (isBereaved) this.#hurry()
    for (const id of members) if (this.#context.links.has(id)) this.#schedule(id)
  }

  /** Silence comes to racks, not to single hosts: the next turns may be those of observers who died along. So all get a turn soon. */
  #hurry(): void {
    const { now, config } = this.#context
    for (const probe of this.#probes.values()) probe.nextAt = Math.min(probe.nextAt, now + this.#context.random() * config.detection.period)
  }

  linkUp(peer: NodeId): void {
    const dialable = this.#context.links.get(peer)?.dialable === true
    // Once dialled, dialable: the other end of a link can't tell when it is the one who was dialled.
    this.#dialable.set(peer, dialable || this.#dialable.get(peer) === true)
    this.#vouched.delete(peer)
    this.#reached(peer)
    if (this.#observed.has(peer)) this.#schedule(peer)
  }

  /** A link broke. Deliberate ends (`goodbye`) raise no doubt. */
  linkLost(peer: NodeId, goodbye: boolean): void {
    this.#probes.delete(peer)
    this.#dealAgain(peer)
    const doubt = this.#doubts.get(peer)
    if (doubt !== undefined) doubt.nextCheck = this.#context.now
    else if (!goodbye) this.#doubt(peer)
  }

  /** Any frame is a sign of life. */
  heard(peer: NodeId): void {
    if (this.#context.view.get(peer) !== undefined) this.#heardAt = this.#context.now
    if (this.#doubts.has(peer)) this.#reached(peer)
  }

  /** Answers a probe, with the time of this observer's next turn. */
  answer(sequence: number, from: NodeId): void {
    const { now, config } = this.#context
    const { period } = config.detection
    this.#turns.delete(from)
    for (const [observer, at] of this.#turns) if (at < now) this.#turns.delete(observer)
    // The first gap between the turns of the others, so that answers to a heap of late probes don't push turns ever further away.
    let turn = now + period
    while (this.#isDealt(turn)) turn += period / 4
    this.#deal(from, sequence, turn)
  }

  /** Whether another observer has its turn about then. */
  #isDealt(turn: Milliseconds): boolean {
    const near = this.#context.config.detection.period * 0.75
    for (const at of this.#turns.values()) if (Math.abs(at - turn) < near) return true
    return false
  }

  #deal(observer: NodeId, sequence: number, turn: Milliseconds): void {
    this.#turns.set(observer, turn)
    this.#context.send(observer, { ack: { sequence, nextInMs: Math.round(turn - this.#context.now) } })
  }

  /** An observer is gone: who has the last turn gets its turn, or a silence in that time would go unnoticed. */
  #dealAgain(gone: NodeId): void {
    const free = this.#turns.get(gone)
    this.#turns.delete(gone)
    if (free === undefined || free <= this.#context.now) return
    let last: NodeId | undefined
    for (const [observer, turn] of this.#turns) if (turn > ((last === undefined ? free : this.#turns.get(last)) ?? free)) last = observer
    if (last !== undefined) this.#deal(last, turnMoved, free)
  }

  acknowledged(from: NodeId, sequence: number, nextInMs: number): void {
    const probe = this.#probes.get(from)
    if (probe === undefined) return
    if (sequence === turnMoved && probe.sentAt === undefined) {
      probe.nextAt = Math.min(probe.nextAt, this.#context.now + nextInMs)
      return
    }
    if (probe.sequence !== sequence) return
    const { now, config } = this.#context
    const { period } = config.detection
    // A member that deals out turns far ahead could escape its observers: no turn is later than if all had one and a half.
    const latest = period * config.links.rings * 4 * 1.5
    probe.sentAt = undefined
    probe.nextAt = now + Math.min(Math.max(nextInMs, period / 2), latest)
    this.#relax()
  }

  /** A hint that this member may be gone (`maybeDead`, an observer's doubt, a death with few witnesses): look now. */
  suspect(id: NodeId): void {
    const { view, config, now } = this.#context
    if (id === this.#context.id || view.get(id) === undefined) return
    const doubt = this.#doubts.get(id)
    if (doubt !== undefined) {
      if (!this.#dialable.has(id)) doubt.nextCheck = now // what it found out counts now
      return
    }
    let checking = 0
    for (const { convicted } of this.#doubts.values()) if (!convicted) checking += 1
    if (checking < config.detection.checks) this.#doubt(id)
  }

  /** Enough others certified that this member is silent: one unanswered probe more is enough. */
  confirm(id: NodeId): void {
    const { silence, recheck } = this.#context.config.detection
    if (this.#doubts.has(id)) return
    const doubt = this.#doubt(id)
    if (doubt === undefined) return
    doubt.since -= Math.max(silence - recheck, 0)
    doubt.evidence = 'silent'
  }

  /** An observer lost sight of a member: look, and tell the next observers, since those of a member are not all linked with each other. */
  alarmed(id: NodeId): void {
    if (this.#doubts.has(id)) return
    this.suspect(id)
    if (this.#doubts.has(id) && this.#observed.has(id)) this.#alarm(id)
  }

  /** The member let others know that it is alive (a refutation). That counts for who can't look for itself. */
  vouched(id: NodeId): void {
    if (this.#context.links.has(id) || this.#dialable.get(id) === true) return
    this.#vouched.set(id, this.#context.now + this.#context.config.detection.vouch)
    this.#doubts.delete(id)
    this.#events.onReached(id)
  }

  /** What the member said may be out of date. */
  unvouch(id: NodeId): void {
    this.#vouched.delete(id)
  }

  /** A dial to a member came to nothing: every one is evidence, whatever it was for. */
  unreachable(id: NodeId, failure: DialFailure): void {
    if (this.#context.links.has(id) || this.#context.view.get(id) === undefined) return
    const known = this.#doubts.get(id)
    const doubt = known ?? this.#doubt(id)
    if (doubt === undefined) return
    if (known === undefined && failure === 'silent') doubt.since -= this.#context.config.detection.silentDial
    doubt.dialling = undefined
    doubt.evidence = failure === 'refused' || failure === 'impostor' ? 'refused' : failure === 'silent' ? 'silent' : 'mute'
    if (doubt.evidence === 'refused' && this.#provesDeath(id)) this.#convict(id, doubt)
    else this.#reconsider(id, doubt)
  }

  knocked(id: NodeId, outcome: KnockOutcome): void {
    const doubt = this.#doubts.get(id)
    if (doubt === undefined) return
    doubt.knocking = undefined
    doubt.evidence = outcome === 'accepted' ? 'mute' : outcome
    doubt.accepted = outcome === 'accepted' ? doubt.accepted + 1 : 0
    // Over a link that is up it may answer yet, whatever listens at the address it announced.
    if (this.#context.links.has(id)) {
      if (outcome === 'silent') this.#reconsider(id, doubt)
      return
    }
    if (outcome === 'refused' && this.#provesDeath(id)) this.#convict(id, doubt)
    else this.#reconsider(id, doubt)
    if (outcome === 'accepted') this.#dial(id, doubt)
  }

  /** A life ended or a new one began. */
  forget(id: NodeId): void {
    this.#doubts.delete(id)
    this.#probes.delete(id)
    this.#vouched.delete(id)
    const link = this.#context.links.get(id)
    if (link === undefined) this.#dialable.delete(id)
    else this.#dialable.set(id, link.dialable)
  }

  /** This process did nothing for `lateness`: what it missed says nothing about others. */
  stalled(lateness: Milliseconds): void {
    const { now, config } = this.#context
    this.#score = Math.min(config.detection.healthMax, this.#score + 1)
    this.#scoreFallsAt = now + config.detection.period
    this.#heardAt += lateness
    for (const probe of this.#probes.values()) if (probe.sentAt !== undefined) probe.sentAt = now
    for (const doubt of this.#doubts.values()) {
      doubt.since += lateness
    }
  }

  due(): void {
    const { now, config } = this.#context
    if (now >= this.#scoreFallsAt) this.#relax()
    const timeout = this.#timeout()
    for (const [id, probe] of this.#probes) {
      if (probe.sentAt === undefined) {
        if (now >= probe.nextAt) this.#probe(id)
      } else if (now - probe.sentAt >= timeout) {
        probe.sentAt = undefined
        probe.nextAt = now + config.detection.period
        if (!this.#doubts.has(id)) {
          this.#doubt(id)
          this.#alarm(id)
        }
      }
    }
    if (this.#doubts.size > 0 || this.#isCutOff) this.#lookForCut()
    for (const [id, doubt] of this.#doubts) if (now >= doubt.nextCheck) this.#check(id, doubt)
    if (this.#doubts.size > 0) this.#doubtAll()
  }

  /**
   * Who reaches nobody among many can't tell which side is cut off, and what it finds out meanwhile says nothing about others: when somebody
   * answers again, all doubts begin anew.
   */
  #lookForCut(): void {
    const { now, config, view } = this.#context
    const { alone, probeTimeout } = config.detection
    const silence = now - this.#heardAt
    const wasCutOff = this.#isCutOff
    const pause = this.#pause()
    // Whoever is there answers within that: a short doubt of all links at a time is none.
    const isSilent = silence >= probeTimeout && silence < alone
    this.#isCutOff = isSilent && view.size > few && this.#reachesNobody(probeTimeout)
    if (this.#isCutOff || !wasCutOff) return
    for (const doubt of this.#doubts.values()) {
      doubt.since = now
      if (doubt.evidence !== 'refused') doubt.evidence = 'none'
      doubt.nextCheck = Math.min(doubt.nextCheck, now + this.#context.random() * pause)
    }
  }

  /** Between two looks at a member in doubt. Where nobody answers, which lasts, they come at a bounded rate in all, and ever more rarely. */
  #pause(): Milliseconds {
    const { recheck, checks } = this.#context.config.detection
    if (!this.#isCutOff) return recheck
    const patience = Math.min((this.#context.now - this.#heardAt) / 8, recheckMax)
    return Math.max(recheck * Math.ceil(this.#doubts.size / checks), patience)
  }

  /** Where no observed member answers, perhaps nobody does: looks at the other links, which are not probed otherwise. */
  #doubtAll(): void {
    const { now, config, links } = this.#context
    if (now - this.#lookedAround < config.detection.recheck) return
    const isInDoubt = [...this.#observed].every((id) => !links.has(id) || this.#doubts.has(id))
    if (!isInDoubt) return
    this.#lookedAround = now
    for (const id of links.keys()) this.suspect(id)
  }

  #schedule(id: NodeId): void {
    if (this.#probes.has(id)) return
    const { now, config } = this.#context
    const round = config.detection.period * this.#observed.size
    this.#probes.set(id, {
      sequence: 0,
      nextAt: now + this.#context.random() * Math.max(round, config.detection.period),
      sentAt: undefined,
    })
  }

  #probe(id: NodeId): void {
    const { now } = this.#context
    const probe = this.#probes.get(id) ?? { sequence: 0, nextAt: now, sentAt: undefined }
    if (probe.sentAt !== undefined) return
    this.#sequence = (this.#sequence % 0xffffffff) + 1
    probe.sequence = this.#sequence
    probe.sentAt = now
    this.#probes.set(id, probe)
    this.#context.send(id, { probe: { sequence: probe.sequence } })
  }

  /** New evidence: patience may end before the next look. */
  #reconsider(id: NodeId, doubt: Doubt): void {
    const patienceEnds = doubt.since + this.#patience(id, doubt) * this.#distrust()
    if (!doubt.convicted) doubt.nextCheck = Math.min(doubt.nextCheck, Math.max(Math.ceil(patienceEnds), this.#context.now))
  }

  #doubt(id: NodeId): Doubt | undefined {
    const { now, view } = this.#context
    const member = view.get(id)
    if (member === undefined || id === this.#context.id || now < (this.#vouched.get(id) ?? 0)) return undefined
    const doubt: Doubt = {
      raised: now,
      since: now,
      incarnation: member.incarnation,
      evidence: 'none',
      accepted: 0,
      knocking: undefined,
      dialling: undefined,
      nextCheck: now,
      convicted: false,
    }
    this.#doubts.set(id, doubt)
    return doubt
  }

  #check(id: NodeId, doubt: Doubt): void {
    const { now, config, links, view } = this.#context
    const member = view.get(id)
    if (member === undefined || member.incarnation !== doubt.incarnation) {
      this.#doubts.delete(id)
      return
    }
    const { detection } = config
    doubt.nextCheck = now + this.#pause()
    if (this.#isCutOff && !this.isSureAlone(id)) doubt.since = now
    const elapsed = (now - doubt.since) / this.#distrust()
    if (elapsed >= this.#patience(id, doubt)) this.#convict(id, doubt)
    if (doubt.knocking === undefined || now - doubt.knocking >= detection.mute) {
      doubt.knocking = now
      this.#context.effects.push({ type: 'knock', peer: id, addresses: member.addresses })
    }
    if (links.has(id)) this.#probe(id)
    else if (doubt.evidence === 'mute' || this.#dialable.get(id) === false) this.#dial(id, doubt)
  }

  /** A dial costs both ends a handshake: only where a knock was answered, or nothing can be learned from one, and few at a time. */
  #dial(id: NodeId, doubt: Doubt): void {
    const { now, config, effects, view } = this.#context
    const { mute, dials } = config.detection
    const isWaiting = doubt.dialling !== undefined && now - doubt.dialling < mute
    if (isWaiting || this.#dialling() >= dials) return
    doubt.dialling = now
    effects.push({ type: 'connect', peer: id, addresses: view.get(id)?.addresses ?? [] })
  }

  /** Dials of this detector under way. */
  #dialling(): number {
    let count = 0
    for (const { dialling } of this.#doubts.values()) if (dialling !== undefined) count += 1
    return count
  }

  #patience(id: NodeId, { evidence, since }: Doubt): Milliseconds {
    const { probeTimeout, silence, mute, undialable, stranger, objection } = this.#context.config.detection
    // Where nothing but itself could bring it back, its absence counts; while a link is up it may only be stopped.
    if (this.#dialable.get(id) === false) return this.#context.links.has(id) ? mute : undialable
    // A process that its kernel accepts for may only be stopped, too.
    if (evidence === 'mute' || evidence === 'none') return mute
    if (!this.#dialable.has(id)) {
      // Who is in contact with it gets the time to hear of the suspicion and to let it refute.
      const suspected = this.#events.suspectedSince(id)
      return suspected === undefined ? stranger : Math.max(suspected - since, 0) + objection
    }
    // Refused over and over, with a link that is up but silent.
    if (evidence === 'refused') return probeTimeout
    return evidence === 'silent' ? silence : mute
  }

  /** Whether a refusal says that the member is gone: it could be dialled before, or somebody who knew it misses it. */
  #provesDeath(id: NodeId): boolean {
    return this.#dialable.get(id) ?? this.#events.suspectedSince(id) !== undefined
  }

  #convict(id: NodeId, doubt: Doubt): void {
    doubt.convicted = true
    this.#events.onUnreachable(id)
  }

  #reached(id: NodeId): void {
    const doubt = this.#doubts.get(id)
    if (doubt === undefined) return
    this.#doubts.delete(id)
    this.#events.onReached(id)
  }

  /** Tells the other observers to look; seldom enough that nobody can make them busy with it. */
  #alarm(id: NodeId): void {
    const { now, config, facts, view } = this.#context
    for (const [other, at] of this.#alarms) if (now - at >= config.detection.period) this.#alarms.delete(other)
    if (this.#alarms.has(id)) return
    this.#alarms.set(id, now)
    const observers = observersOf(id, config.links.rings, facts.registry, view)
    for (const peer of observers) this.#context.send(peer, { alarm: { statements: [], doubted: [id] } })
  }

  #timeout(): Milliseconds {
    return this.#context.config.detection.probeTimeout * (1 + this.#score)
  }

  /** By how much to stretch one's own time-outs: the local health, and more when nobody is in contact. */
  #distrust(): number {
    return (1 + this.#score) * (this.#reachesNobody(0) && this.#context.view.size > 2 ? isolated : 1)
  }

  /** All members with a link have been in doubt for so long. */
  #reachesNobody(long: Milliseconds): boolean {
    const { now, links, view } = this.#context
    for (const peer of links.keys()) {
      const doubt = this.#doubts.get(peer)
      if (doubt === undefined ? view.get(peer) !== undefined : now - doubt.raised < long) return false
    }
    return true
  }

  #relax(): void {
    this.#score = Math.max(0, this.#score - 1)
    this.#scoreFallsAt = this.#score === 0 ? Infinity : this.#context.now + this.#context.config.detection.period
  }
}
