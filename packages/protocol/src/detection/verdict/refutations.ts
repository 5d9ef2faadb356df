/**
 * Refutations: "I am here", signed with the present heartbeat. In SWIM (§4.2) a suspected member
 * gossips an alive message. SWIM orders these messages by incarnation. jel orders them by
 * heartbeat.
 *
 * A refutation stays in force after the suspicion is over, like an incarnation in SWIM. The highest
 * published refutation of a life is a fact: members that join later receive it, and nodes delete it
 * when the life ends. So a refuted accusation stays refuted. Of several refutations within a second
 * a member publishes only the last.
 */
import type { Milliseconds, NodeId } from '../../base/values.ts'
import type { Context } from '../../context/context.ts'
import { heartbeatWindow } from '../../facts/certificate.ts'
import { factOf, refutationKey, type Fact } from '../../facts/fact.ts'
import { isKind, type Refutation, type Statement, type Accusation } from '../../facts/statement.ts'
import type { Heartbeats } from '../probing/heartbeats.ts'

/**
 * Shortest interval between published refutations, ms: a heartbeat, since a member signs no more
 * often. Accusers get refutations at once. Measured: with five seconds a member that was accused
 * twice in that time could not answer (one of a hundred seeds of `three-sites-narrow`). With either
 * interval a member that attackers accuse all the time costs the pool 18 KB/s a node.
 */
const publishPause = 1_000

export class Refutations {
  readonly #context: Context
  readonly #heartbeats: Heartbeats
  /** The last refutation that this node signed, even if unpublished. */
  #own: Statement<Refutation> | undefined
  #publishAgain: Milliseconds = -Infinity

  constructor(context: Context, heartbeats: Heartbeats) {
    this.#context = context
    this.#heartbeats = heartbeats
  }

  /** The age of this node's own life, never less than the heartbeat that it signed. */
  get heartbeat(): number {
    return Math.max(this.#clock, this.#ownIn(this.#incarnation)?.content.heartbeat ?? 0)
  }

  /** Returns the highest refutation that is a fact; undefined: this life has none. */
  of(id: NodeId): Statement<Refutation> | undefined {
    const content = this.#context.facts.get(refutationKey(id))?.content
    if (content === undefined || !('statement' in content) || !isKind(content.statement, 'refutation')) return undefined
    return this.#context.view.isAlive(id, content.statement.content.incarnation) ? content.statement : undefined
  }

  /** Returns the member's latest refutation, published or sent to a helper. */
  latestOf(id: NodeId): Statement<Refutation> | undefined {
    const [published, proof] = [this.of(id), this.#heartbeats.refutation(id)]
    return (proof?.content.heartbeat ?? -1) > (published?.content.heartbeat ?? -1) ? proof : published
  }

  /** True if the member refuted accusations that cite this heartbeat. */
  isRefuted(suspect: NodeId, heartbeat: number): boolean {
    return heartbeat < (this.latestOf(suspect)?.content.heartbeat ?? 0)
  }

  /** True if this node knows that the member lived long after this heartbeat. */
  isOutlived(suspect: NodeId, heartbeat: number): boolean {
    return heartbeat < this.#heartbeats.of(suspect) - heartbeatWindow
  }

  /** True if the member neither refuted nor outlived the accusation. */
  isValid({ suspect, heartbeat }: Accusation): boolean {
    return !this.isRefuted(suspect, heartbeat) && !this.isOutlived(suspect, heartbeat)
  }

  /**
   * True if the refutation is later than the known one, and the member's life goes on. Callers ask
   * this before they check the signature.
   */
  isNews({ signer, content, signature }: Statement<Refutation>): boolean {
    if (!this.#context.view.isAlive(signer, content.incarnation)) return false
    const known = this.of(signer)
    return (
      known === undefined ||
      content.heartbeat > known.content.heartbeat ||
      (content.heartbeat === known.content.heartbeat && isGreater(signature, known.signature))
    )
  }

  /** Takes in a verified refutation as a fact. */
  merge(statement: Statement<Refutation>): Fact {
    return this.#context.facts.put(factOf({ statement }))
  }

  /** Returns a signature of the present heartbeat. A node signs at most once in a heartbeat. */
  sign(above = -1): Statement<Refutation> {
    const { codec, id } = this.#context
    const incarnation = this.#incarnation
    const heartbeat = Math.max(this.heartbeat, above + 1)
    const own = this.#ownIn(incarnation)
    if (own !== undefined && own.content.heartbeat >= heartbeat) return own
    this.#own = codec.sign(id, { kind: 'refutation', incarnation, heartbeat })
    return this.#own
  }

  /**
   * Returns the answer to an accusation against this node, and sets the timer of its publication.
   * Undefined if the accusation is of another life, or cites a heartbeat that its accuser can't
   * have received.
   */
  refute({ content }: Statement<Accusation>): Statement<Refutation> | undefined {
    const { id, now, timers } = this.#context
    if (content.incarnation !== this.#incarnation) return undefined
    const published = this.of(id)
    // The published refutation voids this accusation already.
    if (published !== undefined && published.content.heartbeat > content.heartbeat) return published
    // Compares with the clock, not with the signed heartbeat. Otherwise a liar could drive the
    // heartbeat ahead, one signature at a time.
    if (content.heartbeat > this.#clock) return undefined
    timers.set('refutation', Math.max(now, this.#publishAgain))
    return this.sign(content.heartbeat)
  }

  /** Returns the last refutation as a fact to publish. Call this when the timer fires. */
  publication(): Fact | undefined {
    const own = this.#ownIn(this.#incarnation)
    if (own === undefined) return undefined
    this.#publishAgain = this.#context.now + publishPause
    return this.merge(own)
  }

  /** A life ended or a new one began. */
  forget(id: NodeId): void {
    const fact = this.#context.facts.get(refutationKey(id))
    if (fact !== undefined) this.#context.facts.delete(fact)
  }

  /** Whole seconds of this life. */
  get #clock(): number {
    return Math.floor((this.#context.now - this.#context.bornAt) / 1000)
  }

  get #incarnation(): number {
    return this.#context.view.get(this.#context.id)?.incarnation ?? 0
  }

  #ownIn(incarnation: number): Statement<Refutation> | undefined {
    return this.#own?.content.incarnation === incarnation ? this.#own : undefined
  }
}

/**
 * Orders two refutations of one heartbeat, so that all nodes keep the same one. Only a faulty or
 * dishonest member signs two.
 */
function isGreater(a: Uint8Array, b: Uint8Array): boolean {
  const at = a.findIndex((byte, i) => byte !== b[i])
  return at >= 0 && (a[at] as number) > (b[at] as number)
}
