/**
 * The verdict after indirect probes. The answers of all helpers together decide how a suspicion
 * goes on.
 */
import type { Milliseconds, NodeId } from '../base/values.ts'
import type { Context } from '../context/context.ts'
import type { Certificate } from '../facts/certificate.ts'
import type { ProbeScheduler } from './probing/probe-scheduler.ts'
import type { DirectProbes } from './suspicion/direct-probes.ts'
import type { Verdict } from './suspicion/indirect-probes.ts'
import type { Looks } from './suspicion/looks.ts'
import type { ProofsOfLife } from './suspicion/proofs-of-life.ts'
import type { Suspicion } from './suspicion/suspicion.ts'
import type { Suspicions } from './suspicion/suspicions.ts'
import type { Confirmation } from './verdict/confirmation.ts'
import type { OwnAccusations } from './verdict/own-accusations.ts'
import { smallPool } from './verdict/quorum.ts'

/** If no helper answers, a node asks again after this time, ms. The time doubles. Guess. */
const retry = 500
/** The time before the next request grows up to this, ms. Guess. */
const longestRetry = 2_000

/**
 * A node that doubts a death waits only briefly after its first round of requests, and after each
 * of this many further rounds. Guess: others believe the death within a few seconds of its
 * certificate.
 */
const roundsInDoubt = 3
/**
 * A node forgets after this time, ms, that it doubts a death. Others who believed the death send it
 * again. Guess: as long as the accusations of a certificate may differ in time.
 */
const doubtTime = 90_000

/**
 * After this time without a frame of any member, ms, a node accuses members whose hosts refuse,
 * even without helpers. Guess: a firewall that rejects everything is rare. A process that is the
 * last of its pool is not rare.
 */
const aloneAmongRefusals = 5_000
/**
 * After this time without a frame of any member, ms, a node also accuses members whose hosts don't
 * refuse. Guess: few outages of a node's own network are longer.
 */
const aloneInSilence = 3_600_000

export interface VerdictParts {
  readonly suspicions: Suspicions
  readonly scheduler: ProbeScheduler
  readonly direct: DirectProbes
  readonly proofs: ProofsOfLife
  readonly looks: Looks
  readonly confirmation: Confirmation
  readonly own: OwnAccusations
}

export class HelpersVerdict implements Verdict {
  readonly #context: Context
  readonly #parts: VerdictParts
  /** Time of the last frame from a member. */
  #heardAt: Milliseconds = 0
  /** Deaths that this node doubts, with the time at which it last heard of them. */
  readonly #doubted = new Map<NodeId, { readonly certificate: Certificate; readonly at: Milliseconds }>()

  constructor(context: Context, parts: VerdictParts) {
    this.#context = context
    this.#parts = parts
  }

  /** Takes in a frame of a member. */
  heard(): void {
    this.#heardAt = this.#context.now
  }

  /** This process stalled for `lateness`. */
  stalled(lateness: Milliseconds): void {
    this.#heardAt += lateness
  }

  /**
   * Takes in a death that this node has reason not to believe. This node believes the certificate
   * once it has missed the member directly and through helpers. If it waits because helpers could
   * not tell, it asks them again soon: some may believe the death by then (docs/decisions/0065).
   */
  doubt(certificate: Certificate): void {
    this.#doubted.set(certificate.suspect, { certificate, at: this.#context.now })
    const suspicion = this.#parts.suspicions.get(certificate.suspect)
    if (suspicion?.state === 'indirect' && suspicion.at('round') < Infinity && this.#asksSoon(suspicion))
      suspicion.advance('round', this.#context.now + longestRetry + this.#context.jitter(retry))
  }

  /** A life ended or a new one began. */
  forget(id: NodeId): void {
    this.#doubted.delete(id)
  }

  /** Helpers missed the member. */
  missed(id: NodeId): void {
    const suspicion = this.#parts.suspicions.get(id)
    const certificate = this.#doubtedDeath(id)
    if (suspicion?.state === 'indirect' && certificate !== undefined) this.#parts.confirmation.believe(certificate)
    else if (suspicion?.state === 'indirect' && this.#parts.proofs.isRecent(suspicion)) this.#parts.proofs.refuted(suspicion, true)
    else if (suspicion?.state === 'indirect') this.#parts.own.accuse(suspicion)
    // This node probed the member long ago, so it probes the member again.
    else if (suspicion?.state === 'relayed') this.#parts.direct.restart(suspicion, 'missedByHelpers')
  }

  /** Takes in an accusation by another member. The accusation may count as a helper's "missed". */
  seconded(suspicion: Suspicion): void {
    if (suspicion.state === 'indirect' && isSeconded(suspicion)) this.missed(suspicion.id)
  }

  /**
   * Neither this node nor any helper knows whether the member lives. The only node that reaches the
   * member may stand still.
   */
  unknown(id: NodeId): void {
    const suspicion = this.#parts.suspicions.get(id)
    if (suspicion?.state === 'relayed') this.#parts.direct.restart(suspicion, 'missedByHelpers')
    if (suspicion?.state !== 'indirect') return
    if (isSeconded(suspicion)) {
      this.missed(id)
      return
    }
    const soonest = this.#context.now + longestRetry
    const until = this.#asksSoon(suspicion) ? soonest : Math.max(soonest, this.#parts.direct.waitsUntil(id))
    suspicion.schedule('round', until + this.#context.jitter(retry))
  }

  /** True if this node doubts a death, and helpers that can't tell now may soon believe it. */
  #asksSoon({ id, rounds }: Suspicion): boolean {
    return this.#doubtedDeath(id) !== undefined && rounds <= roundsInDoubt
  }

  #doubtedDeath(id: NodeId): Certificate | undefined {
    const doubt = this.#doubted.get(id)
    if (doubt !== undefined && this.#context.now - doubt.at <= doubtTime) return doubt.certificate
    this.#doubted.delete(id)
    return undefined
  }

  /** No helper exists, or none answers: this node may be cut off itself. */
  unanswered(id: NodeId): void {
    const suspicion = this.#parts.suspicions.get(id)
    const { now, view } = this.#context
    if (suspicion?.state === 'relayed') this.#parts.direct.restart(suspicion, 'missedByHelpers')
    if (suspicion?.state !== 'indirect') return
    const alone = now - this.#heardAt
    const isSure = alone >= (suspicion.evidence === 'refused' ? aloneAmongRefusals : aloneInSilence)
    if (view.size <= smallPool || isSure) {
      this.#parts.own.accuse(suspicion)
      return
    }
    this.#parts.scheduler.degrade()
    // If most answers are late, helpers may still answer.
    if (!this.#parts.scheduler.isSlow) this.#context.outcomes.push({ type: 'isolated' })
    suspicion.schedule('round', now + this.#context.jitter(Math.min(retry * 2 ** Math.min(suspicion.rounds, 16), longestRetry)))
  }

  /** A helper that does not answer may be gone. If most answers are late, that proves nothing. */
  helperSilent(helper: NodeId): void {
    if (!this.#parts.scheduler.isSlow) this.#parts.looks.suspect(helper)
  }
}

/**
 * True if the member's host refuses this node, and another member accuses the member. The
 * accusation then counts as a helper's "missed" (docs/decisions/0065). If the host is silent, the
 * accusation does not count: a cut may separate the accuser and this node from the member. By
 * ablation (simulated, 600 runs in which the only node between two sites stalls): 152 runs lose a
 * life if accusations also count for silent hosts. With this rule 6 runs lose a life. If no
 * accusation counts, 6 runs lose a life, too.
 */
function isSeconded({ evidence, accusations }: Suspicion): boolean {
  return evidence === 'refused' && accusations.size > 0
}
