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
import type { Contacts } from '../probing/contacts.ts'
import type { ProbeScheduler } from '../probing/probe-scheduler.ts'
import { suspicionTimeout, type Evidence } from './suspicion-timeout.ts'
import type { Suspicion } from './suspicion.ts'
import { reprobe, type Suspicions } from './suspicions.ts'
import type { Finding } from './transitions.ts'

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
 * Maximum number of dials under way at a time. Measured: without a bound, a pool of 100 hosts once
 * never came to rest.
 */
const dialsAtOnce = 4

/** A dial of a silent host takes this time, ms: the overlay's time-out for a connection. */
const silentDial = 2_000

export interface DirectProbeParts {
  readonly suspicions: Suspicions
  readonly scheduler: ProbeScheduler
  readonly contacts: Contacts
}

export class DirectProbes {
  readonly #context: Context
  readonly #parts: DirectProbeParts

  constructor(context: Context, parts: DirectProbeParts) {
    this.#context = context
    this.#parts = parts
  }

  /** Begins to suspect a member that this node missed. */
  begin(id: NodeId): void {
    const suspicion = this.#parts.suspicions.open(id)
    if (suspicion !== undefined) this.restart(suspicion, 'missed')
  }

  /** Probes the member from the start, now, unless it is suspected already. */
  restart(suspicion: Suspicion, finding: Finding): void {
    const { now } = this.#context
    if (!suspicion.enter(finding, now)) return
    suspicion.missedSince = now
    suspicion.evidence = 'none'
    suspicion.probes = 0
    suspicion.hostProbing = undefined
    suspicion.dialling = undefined
    suspicion.schedule('probe', now)
  }

  linkLost(peer: NodeId): void {
    this.#parts.suspicions.get(peer)?.schedule('probe', this.#context.now)
  }

  /**
   * Takes in a failed dial. Each failed dial is evidence, whatever its purpose was. Returns true if
   * the time-out is over.
   */
  failed(suspicion: Suspicion, failure: DialFailure, isFirst: boolean): boolean {
    // A silent host lets a dial take `silentDial`, so this node began to miss the member that much
    // earlier. The relays of a hidden member answer at once.
    if (isFirst && failure === 'silent' && !this.#parts.contacts.isHidden(suspicion.id)) suspicion.delay(-silentDial)
    suspicion.dialling = undefined
    return this.#found(
      suspicion,
      failure === 'refused' || failure === 'impostor' ? 'refused' : failure === 'silent' ? 'silent' : 'unresponsive',
    )
  }

  /** Takes in the result of a host probe. Returns true if the time-out is over. */
  hostProbed(suspicion: Suspicion, outcome: HostProbeOutcome): boolean {
    suspicion.hostProbing = undefined
    return this.#found(suspicion, outcome === 'accepted' ? 'unresponsive' : outcome)
  }

  /** The member's kernel accepted a host probe, so a dial may reach its process. */
  accepted(suspicion: Suspicion): void {
    if (!this.#context.links.has(suspicion.id) && suspicion.isOwn) this.#dial(suspicion)
  }

  /** True if this node can find out without helpers whether the member is gone. */
  canTell(id: NodeId): boolean {
    const suspicion = this.#parts.suspicions.get(id)
    return this.#parts.contacts.canTell(id, suspicion?.isOwn === true ? suspicion.missedSince : this.#context.now)
  }

  /**
   * The only process that reaches the member may have stood still since this node began to miss the
   * member. Returns the time by which that process is back or dead.
   */
  waitsUntil(id: NodeId): Milliseconds {
    const { unresponsive } = this.#context.config.detection
    return (this.#parts.suspicions.get(id)?.missedSince ?? this.#context.now) + Math.max(unresponsive, this.#parts.scheduler.late)
  }

  /**
   * This process stalled for `lateness`. Frames that did not come meanwhile prove nothing about
   * members.
   */
  stalled(lateness: Milliseconds): void {
    for (const suspicion of this.#parts.suspicions.values()) suspicion.stalled(lateness)
  }

  /** Probes a suspect whose next probe is due. Returns true if the time-out is over. */
  probe(suspicion: Suspicion): boolean {
    if (!suspicion.isOwn || this.#context.now < suspicion.at('probe')) return false
    const { now, config, links, view, effects } = this.#context
    const { suspicions, scheduler } = this.#parts
    const { id } = suspicion
    const isLinkFirst = links.has(id) && suspicion.probes === 0
    const pause = Math.min(reprobe * 2 ** Math.min(suspicion.probes, 16), longestPause)
    suspicion.schedule('probe', now + (isLinkFirst ? linkFirst : Math.max(pause, suspicions.pace)))
    suspicion.probes += 1
    const { unresponsive } = config.detection
    const isProbed = !this.#parts.contacts.isHidden(id) && !isLinkFirst
    if (isProbed && (suspicion.hostProbing === undefined || now - suspicion.hostProbing >= unresponsive)) {
      suspicion.hostProbing = now
      effects.push({ type: 'probeHost', peer: id, addresses: view.get(id)?.addresses ?? [] })
    }
    if (links.has(id)) scheduler.ask(id)
    else if (suspicion.evidence === 'unresponsive' || this.#parts.contacts.isDialable(id) === false) this.#dial(suspicion)
    return this.#isOver(suspicion)
  }

  /** Takes in new evidence. The time-out may be over before the next probe. */
  #found(suspicion: Suspicion, evidence: Evidence): boolean {
    suspicion.evidence = evidence
    return this.#isOver(suspicion)
  }

  /** True if the time-out is over. Otherwise sets the timer to its end. */
  #isOver(suspicion: Suspicion): boolean {
    const { now, config, links } = this.#context
    if (suspicion.state !== 'probing') return false
    const { scheduler, contacts } = this.#parts
    const { id, evidence } = suspicion
    const [isDialable, isHidden] = [contacts.isDialable(id) !== false, contacts.isHidden(id)]
    const situation = { evidence, isLinked: links.has(id), isDialable, isHidden, late: scheduler.late }
    const ends = suspicion.since + suspicionTimeout(situation, config.detection) * scheduler.multiplier
    if (now >= ends) return true
    suspicion.advance('probe', Math.ceil(ends))
    return false
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
