/**
 * The failure detector: what doubts are worth.
 *
 * Each member is probed about once in two seconds, by one of its observers in turn (`probes.ts`, `turns.ts`). A first failure makes all
 * observers look. What counts is the kind of failure: a connection refused is a dead process; no answer at all a silent host, believed after a
 * second or two; a kernel that accepts for a process that says nothing is a stopped or busy process, and gets fifteen seconds. A member that
 * can't be dialled (behind a NAT) is only missed: it gets some time to come back by itself. And a member that this node never had a link with
 * may be one of those: a dial that fails proves nothing until somebody who did know it suspects it, too.
 *
 * A node that stalled itself trusts its own time-outs less (`local-health.ts`), and one of many that reaches nobody not at all (`isolation.ts`).
 */
import type { DialFailure, KnockOutcome, Milliseconds, NodeId } from '../base/io.ts'
import type { Context, Timed } from '../context/context.ts'
import { observersOf } from '../topology/rings.ts'
import { Doubts, type Doubt } from './doubts.ts'
import { Isolation } from './isolation.ts'
import { LocalHealth } from './local-health.ts'
import { Probes } from './probes.ts'
import { Turns } from './turns.ts'

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
  readonly #health: LocalHealth
  readonly #turns: Turns
  readonly #probes: Probes
  readonly #doubts: Doubts
  readonly #isolation: Isolation
  /**
   * By what its links showed, of each life: whether a member can be dialled. Not in here: nobody knows. It comes from elsewhere than it
   * announces if it can't.
   */
  readonly #dialable = new Map<NodeId, boolean>()
  /** Who gave a sign of life through others: until when that counts. */
  readonly #vouched = new Map<NodeId, Milliseconds>()
  /** Whom others were told to look at, and when. */
  readonly #alarms = new Map<NodeId, Milliseconds>()
  /** When links came up by which it looked at somebody. They are kept for a moment, and until then count among its looks: so links are bounded. */
  #looks: Milliseconds[] = []
  /** When all links were looked at, as no observed member answered. */
  #lookedAround: Milliseconds = -Infinity

  constructor(context: Context, events: DetectorEvents) {
    this.#context = context
    this.#events = events
    this.#health = new LocalHealth(context)
    this.#turns = new Turns(context)
    this.#probes = new Probes(context, this.#health, (id) => this.#fellSilent(id))
    this.#doubts = new Doubts(context)
    this.#isolation = new Isolation(context, this.#doubts)
  }

  get nextDue(): Milliseconds {
    return Math.min(this.#health.nextDue, this.#probes.nextDue, this.#doubts.nextCheck)
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

  /** What this node found out is worth a death without another witness. */
  isSureAlone(id: NodeId): boolean {
    return this.#isolation.trusts(this.#doubts.get(id))
  }

  /** A link is up and nothing speaks against the member. */
  isInContact(id: NodeId): boolean {
    return this.#context.links.has(id) && !this.#doubts.has(id)
  }

  /** Whom to probe. */
  observe(members: ReadonlySet<NodeId>): void {
    this.#probes.observe(members)
  }

  linkUp(peer: NodeId): void {
    const link = this.#context.links.get(peer)
    const dialable = link?.dialable === true
    if (link !== undefined && this.#doubts.get(peer)?.dialling !== undefined) {
      link.isLook = true
      this.#looks.push(link.since)
    }
    // Once dialled, dialable: the other end of a link can't tell when it is the one who was dialled.
    this.#dialable.set(peer, dialable || this.#dialable.get(peer) === true)
    this.#vouched.delete(peer)
    this.#reached(peer)
    this.#probes.linkUp(peer)
  }

  /** A link broke. Deliberate ends (`goodbye`) raise no doubt. */
  linkLost(peer: NodeId, goodbye: boolean): void {
    this.#probes.forget(peer)
    this.#turns.linkLost(peer)
    // Who is no member, or none any more: of others it is remembered for as long as they live.
    if (this.#context.view.get(peer) === undefined) this.#dialable.delete(peer)
    const doubt = this.#doubts.get(peer)
    if (doubt !== undefined) doubt.nextCheck = this.#context.now
    else if (!goodbye) this.#doubt(peer)
  }

  /** Any frame is a sign of life. */
  heard(peer: NodeId): void {
    this.#isolation.heard(peer)
    if (this.#doubts.has(peer)) this.#reached(peer)
  }

  /** Answers a probe. */
  answer(sequence: number, from: NodeId): void {
    this.#turns.answer(sequence, from)
  }

  acknowledged(from: NodeId, sequence: number, nextInMs: number): void {
    this.#probes.acknowledged(from, sequence, nextInMs)
  }

  /** A hint that this member may be gone (`maybeDead`, an observer's doubt, a death with few witnesses): look now. */
  suspect(id: NodeId): void {
    const { view, now } = this.#context
    if (id === this.#context.id || view.get(id) === undefined) return
    const doubt = this.#doubts.get(id)
    if (doubt !== undefined) {
      if (!this.#dialable.has(id)) doubt.nextCheck = now // what it found out counts now
      return
    }
    if (this.#mayLook()) this.#doubt(id)
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
    if (this.#doubts.has(id) || this.#probes.isSlow) return
    this.suspect(id)
    if (this.#doubts.has(id) && this.#probes.observed.has(id)) this.#alarm(id)
  }

  /** The member let others know that it is alive (a refutation). That counts for who can't look for itself. */
  vouched(id: NodeId): void {
    if (this.#context.links.has(id) || this.#dialable.get(id) === true) return
    this.#vouched.set(id, this.#context.now + this.#context.config.detection.vouch)
    this.#doubts.drop(id)
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
    // Where all are slow a handshake that did not end in time proves nothing.
    if (known === undefined && failure === 'mute' && this.#probes.isSlow) return
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
    this.#doubts.drop(id)
    this.#probes.forget(id)
    this.#vouched.delete(id)
    const link = this.#context.links.get(id)
    if (link === undefined) this.#dialable.delete(id)
    else this.#dialable.set(id, link.dialable)
  }

  /** This process did nothing for `lateness`: what it missed says nothing about others. */
  stalled(lateness: Milliseconds): void {
    this.#health.stalled()
    this.#isolation.stalled(lateness)
    this.#probes.stalled(lateness)
    this.#doubts.stalled(lateness)
  }

  due(): void {
    this.#health.due()
    this.#probes.due()
    this.#isolation.look()
    for (const [id, doubt] of this.#doubts.entries()) if (this.#context.now >= doubt.nextCheck) this.#check(id, doubt)
    if (this.#doubts.size > 0) this.#lookAround()
  }

  /**
   * On the word of others it looks at few members at once, and at fewer where it has many links, as each look may bring one more. A quarter of that
   * room is left to those who look at this node (guess). One look is always free, so that nobody blinds it with links.
   */
  #mayLook(): boolean {
    const { now, config, links } = this.#context
    const { checks } = config.detection
    this.#looks = this.#looks.filter((since) => now - since < config.links.look)
    const { open } = this.#doubts
    const looks = this.#looks.length
    if (open + looks === 0) return true
    return open + looks < checks && open + links.size < config.links.max + checks * 0.75
  }

  /** An observed member did not answer in time. */
  #fellSilent(id: NodeId): void {
    if (this.#doubts.has(id)) return
    this.#doubt(id)
    this.#alarm(id)
  }

  /** Where no observed member answers, perhaps nobody does: looks at the other links, which are not probed otherwise. */
  #lookAround(): void {
    const { now, config, links } = this.#context
    if (now - this.#lookedAround < config.detection.recheck) return
    const isInDoubt = [...this.#probes.observed].every((id) => !links.has(id) || this.#doubts.has(id))
    if (!isInDoubt) return
    this.#lookedAround = now
    for (const id of links.keys()) this.suspect(id)
  }

  #doubt(id: NodeId): Doubt | undefined {
    const { now, view } = this.#context
    const member = view.get(id)
    if (member === undefined || id === this.#context.id || now < (this.#vouched.get(id) ?? 0)) return undefined
    return this.#doubts.raise(member)
  }

  /** New evidence: patience may end before the next look. */
  #reconsider(id: NodeId, doubt: Doubt): void {
    const patienceEnds = doubt.since + this.#patience(id, doubt) * this.#distrust()
    if (!doubt.convicted) doubt.nextCheck = Math.min(doubt.nextCheck, Math.max(Math.ceil(patienceEnds), this.#context.now))
  }

  #check(id: NodeId, doubt: Doubt): void {
    const { now, config, links, view } = this.#context
    const member = view.get(id)
    if (member === undefined || member.incarnation !== doubt.incarnation) {
      this.#doubts.drop(id)
      return
    }
    const { detection } = config
    doubt.nextCheck = now + this.#pause(doubt)
    doubt.looks += 1
    if (this.#isolation.isCutOff && !this.#isolation.trusts(doubt)) doubt.since = now
    const elapsed = (now - doubt.since) / this.#distrust()
    if (elapsed >= this.#patience(id, doubt)) this.#convict(id, doubt)
    if (doubt.knocking === undefined || now - doubt.knocking >= detection.mute) {
      doubt.knocking = now
      this.#context.effects.push({ type: 'knock', peer: id, addresses: member.addresses })
    }
    if (links.has(id)) this.#probes.ask(id)
    else if (doubt.evidence === 'mute' || this.#dialable.get(id) === false) this.#dial(id, doubt)
  }

  /**
   * Between two looks at one member: ever longer, and longer where many are in doubt. Where that comes from a machine that has too much to do looks
   * must not be what keeps it busy. It loses no time: who is gone refuses the first, or makes its patience end.
   */
  #pause({ looks }: Doubt): Milliseconds {
    const { recheck, recheckMax } = this.#context.config.detection
    return Math.max(Math.min(recheck * 2 ** Math.min(looks, 16), recheckMax), this.#isolation.pause)
  }

  /** A dial costs both ends a handshake: only where a knock was answered, or nothing can be learned from one, and few at a time. */
  #dial(id: NodeId, doubt: Doubt): void {
    const { now, config, effects, view } = this.#context
    const { mute, dials } = config.detection
    const isWaiting = doubt.dialling !== undefined && now - doubt.dialling < mute
    if (isWaiting || this.#doubts.dialling >= (this.#probes.isSlow ? 1 : dials)) return
    doubt.dialling = now
    effects.push({ type: 'connect', peer: id, addresses: view.get(id)?.addresses ?? [] })
  }

  #patience(id: NodeId, { evidence, since }: Doubt): Milliseconds {
    const { probeTimeout, silence, undialable, stranger, objection } = this.#context.config.detection
    const mute = Math.max(this.#context.config.detection.mute, this.#probes.late)
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
    if (!this.#doubts.drop(id)) return
    this.#probes.heard(id)
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

  /** By how much to stretch one's own time-outs. */
  #distrust(): number {
    return this.#health.stretch * this.#isolation.stretch
  }
}
