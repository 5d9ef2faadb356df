/**
 * Direct probes: a node's own attempts to reach a member that it suspects, before it asks others.
 *
 * The node probes over the link first, if a link is up, and then the host. If the kernel accepts
 * but the process is silent, the node dials. Each pause before the next probe of a member is twice
 * as long as the last. The pause is longer if the node suspects many members: the cause may be an
 * overloaded machine, and probes must not keep that machine busy.
 */
import type { DialFailure, HostProbeOutcome } from '../../base/input.ts'
import type { Milliseconds, NodeId } from '../../base/values.ts'
import type { Context } from '../../context/context.ts'
import { probeLinkTime } from '../../context/links.ts'
import type { Contacts } from '../probing/contacts.ts'
import type { ProbeScheduler } from '../probing/probe-scheduler.ts'
import { suspicionTimeout, type Evidence } from './suspicion-timeout.ts'
import type { Suspicion } from './suspicion.ts'
import { probesAtOnce, reprobe, type Suspicions } from './suspicions.ts'

/**
 * A linked member gets this time to answer over the link before this node probes its host, ms.
 * Often only other nodes miss the member. Measured (simulated, three hosts of ten nodes, a firewall
 * between two of the hosts): 516 host probes instead of 1,303. The time is a guess: an answer takes
 * a few ms, and the silence so far took a second.
 */
const linkFirst = 100

/** Longest pause between two direct probes of a member, ms. Guess. */
const longestPause = 4_000

/**
 * Most dials under way at a time. Measured: without a bound, a pool of 100 hosts once never came to
 * rest.
 */
const dialsAtOnce = 4

/** A dial of a silent host takes this time, ms: the overlay's time-out for a connection. */
const silentDial = 2_000

/**
 * A node may open more links than usual for probes. This share of the additional links stays free
 * for nodes that probe this node. Guess.
 */
const freeShare = 0.25

export interface DirectProbeParts {
  readonly suspicions: Suspicions
  readonly scheduler: ProbeScheduler
  readonly contacts: Contacts
}

export class DirectProbes {
  readonly #context: Context
  readonly #parts: DirectProbeParts
  readonly #onTimeout: (suspicion: Suspicion) => void
  /**
   * Start times of links that probes brought up. This node keeps such a link for a moment, and
   * counts it as a probe meanwhile. So the number of links is bounded.
   */
  #probeLinks: Milliseconds[] = []

  /** `onTimeout`: the member did not answer in time. */
  constructor(context: Context, parts: DirectProbeParts, onTimeout: (suspicion: Suspicion) => void) {
    this.#context = context
    this.#parts = parts
    this.#onTimeout = onTimeout
  }

  /** Begins to suspect a member, and probes it at once. */
  begin(suspicion: Suspicion): void {
    const { now } = this.#context
    suspicion.enter('probing', now)
    suspicion.missedSince = now
    suspicion.evidence = 'none'
    suspicion.probes = 0
    suspicion.hostProbing = undefined
    suspicion.dialling = undefined
    suspicion.schedule('probe', now)
  }

  /**
   * True if this node may probe one more member because of a hint. It probes few members at once,
   * and fewer if it has many links: each probe may bring one more link. One probe is always
   * allowed. Otherwise a peer could prevent all probes by opening many links.
   */
  get mayLook(): boolean {
    const { now, config, links } = this.#context
    this.#probeLinks = this.#probeLinks.filter((since) => now - since < probeLinkTime)
    const { probing } = this.#parts.suspicions
    if (probing + this.#probeLinks.length === 0) return true
    return probing + this.#probeLinks.length < probesAtOnce && probing + links.size < config.links.max + probesAtOnce * (1 - freeShare)
  }

  linkUp(peer: NodeId): void {
    const link = this.#context.links.get(peer)
    if (link !== undefined && this.#parts.suspicions.get(peer)?.dialling !== undefined) {
      link.isProbeLink = true
      this.#probeLinks.push(link.since)
    }
  }

  linkLost(peer: NodeId): void {
    this.#parts.suspicions.get(peer)?.schedule('probe', this.#context.now)
  }

  /** Takes in a failed dial. Each failed dial is evidence, whatever its purpose was. */
  failed(suspicion: Suspicion, failure: DialFailure, isFirst: boolean): void {
    if (isFirst && failure === 'silent') suspicion.delay(-silentDial)
    suspicion.dialling = undefined
    this.#found(suspicion, failure === 'refused' || failure === 'impostor' ? 'refused' : failure === 'silent' ? 'silent' : 'unresponsive')
  }

  hostProbed(suspicion: Suspicion, outcome: HostProbeOutcome): void {
    suspicion.hostProbing = undefined
    const isLinked = this.#context.links.has(suspicion.id)
    this.#found(suspicion, outcome === 'accepted' ? 'unresponsive' : outcome)
    if (outcome === 'accepted' && !isLinked && suspicion.isOwn) this.#dial(suspicion)
  }

  /**
   * This process stalled for `lateness`. Frames that did not come meanwhile prove nothing about
   * members.
   */
  stalled(lateness: Milliseconds): void {
    for (const suspicion of this.#parts.suspicions.values()) suspicion.delay(lateness)
  }

  due(): void {
    for (const suspicion of this.#parts.suspicions.due())
      if (suspicion.isOwn && this.#context.now >= suspicion.at('probe')) this.#probe(suspicion)
  }

  #probe(suspicion: Suspicion): void {
    const { now, config, links, view, effects } = this.#context
    const { suspicions, scheduler } = this.#parts
    const { id } = suspicion
    const isLinkFirst = links.has(id) && suspicion.probes === 0
    const pause = Math.min(reprobe * 2 ** Math.min(suspicion.probes, 16), longestPause)
    suspicion.schedule('probe', now + (isLinkFirst ? linkFirst : Math.max(pause, suspicions.pace)))
    suspicion.probes += 1
    const { unresponsive } = config.detection
    if (!isLinkFirst && (suspicion.hostProbing === undefined || now - suspicion.hostProbing >= unresponsive)) {
      suspicion.hostProbing = now
      effects.push({ type: 'probeHost', peer: id, addresses: view.get(id)?.addresses ?? [] })
    }
    if (links.has(id)) scheduler.ask(id)
    else if (suspicion.evidence === 'unresponsive' || this.#parts.contacts.isDialable(id) === false) this.#dial(suspicion)
    this.#consider(suspicion)
  }

  /** Takes in new evidence. The time-out may be over before the next probe. */
  #found(suspicion: Suspicion, evidence: Evidence): void {
    suspicion.evidence = evidence
    this.#consider(suspicion)
  }

  #consider(suspicion: Suspicion): void {
    const { now, config, links } = this.#context
    if (suspicion.state !== 'probing') return
    const { scheduler, contacts } = this.#parts
    const { id, evidence } = suspicion
    const situation = { evidence, isLinked: links.has(id), isDialable: contacts.isDialable(id) !== false, late: scheduler.late }
    const ends = suspicion.since + suspicionTimeout(situation, config.detection) * scheduler.health.value
    if (now >= ends) this.#onTimeout(suspicion)
    else suspicion.advance('probe', Math.ceil(ends))
  }

  /**
   * Dials a few members at a time. A dial costs both ends a handshake. So the kernel must have
   * accepted a host probe, or the member must be one that host probes can't reach.
   */
  #dial(suspicion: Suspicion): void {
    const { now, config, effects, view } = this.#context
    const { suspicions, scheduler } = this.#parts
    const isWaiting = suspicion.dialling !== undefined && now - suspicion.dialling < config.detection.unresponsive
    if (isWaiting || suspicions.dialling >= (scheduler.isSlow ? 1 : dialsAtOnce)) return
    suspicion.dialling = now
    effects.push({ type: 'connect', peer: suspicion.id, addresses: view.get(suspicion.id)?.addresses ?? [] })
  }
}
