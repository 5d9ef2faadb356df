/**
 * Refutations: "I am here", signed with the present beat (SWIM §4.2: a suspected member gossips an alive message; its incarnation there, the beat here, orders
 * them).
 *
 * SWIM's incarnation outlives the episode, and so does a refutation: the highest that was published of a life is a fact, told to whoever joins later and deleted
 * with the life. So suspicions that were refuted once stay refuted. Each is published, but several together where they come thick and fast.
 */
import type { Milliseconds, NodeId } from '../base/io.ts'
import type { Context } from '../context/context.ts'
import { factOf, refutationKey, type Fact } from '../facts/fact.ts'
import { isKind, type Refutation, type Statement, type Suspicion } from '../facts/statement.ts'

/**
 * Refutations are published at most this often, ms; accusers get them at once. A beat: it signs no more of them. Measured: with five seconds a member that was accused
 * twice in that time could not answer (one of a hundred seeds of `three-sites-narrow`), and whom attackers accuse all the time costs the pool the same 18 KB/s a node.
 */
const publishPause = 1_000

export class Refutations {
  readonly #context: Context
  /** What this node signed last, whether it is a fact or not. */
  #own: Statement<Refutation> | undefined
  #publishAgain: Milliseconds = -Infinity
  /** When the last one is to be published, as it came too soon after another. */
  #nextDue: Milliseconds = Infinity

  constructor(context: Context) {
    this.#context = context
  }

  /** How far this node's own life has come. Never less than what it signed. */
  get beat(): number {
    return Math.max(this.#clock, this.#ownIn(this.#incarnation)?.content.beat ?? 0)
  }

  /** The highest that is a fact; undefined: this life was never suspected. */
  of(id: NodeId): Statement<Refutation> | undefined {
    const content = this.#context.facts.get(refutationKey(id))?.content
    if (content === undefined || !('statement' in content) || !isKind(content.statement, 'refutation')) return undefined
    return this.#context.view.isAlive(id, content.statement.content.incarnation) ? content.statement : undefined
  }

  /** A later one than is known, of a life that goes on? To be asked before its signature is checked. */
  isNews({ signer, content, signature }: Statement<Refutation>): boolean {
    if (!this.#context.view.isAlive(signer, content.incarnation)) return false
    const known = this.of(signer)
    return (
      known === undefined ||
      content.beat > known.content.beat ||
      (content.beat === known.content.beat && isGreater(signature, known.signature))
    )
  }

  /** Takes in a verified one as a fact. */
  merge(statement: Statement<Refutation>): Fact {
    return this.#context.facts.put(factOf({ statement }))
  }

  /** Signed with the present beat: at most once in a beat. */
  sign(above = -1): Statement<Refutation> {
    const { codec, id } = this.#context
    const incarnation = this.#incarnation
    const beat = Math.max(this.beat, above + 1)
    const own = this.#ownIn(incarnation)
    if (own !== undefined && own.content.beat >= beat) return own
    this.#own = codec.sign(id, { kind: 'refutation', incarnation, beat })
    return this.#own
  }

  get nextDue(): Milliseconds {
    return this.#nextDue
  }

  /** The answer to a suspicion of this node. Undefined if it is none of this life, or cites what it can't have heard. */
  refute({ content }: Statement<Suspicion>): Statement<Refutation> | undefined {
    const { id, now } = this.#context
    if (content.incarnation !== this.#incarnation) return undefined
    const published = this.of(id)
    // What it refuted before is void already.
    if (published !== undefined && published.content.beat > content.beat) return published
    // By its own clock, or each answer would be the next thing to outdo: a liar could drive the beat ahead, a signature at a time.
    if (content.beat > this.#clock) return undefined
    this.#nextDue = Math.max(now, this.#publishAgain)
    return this.sign(content.beat)
  }

  /** What the pool is to be told now. */
  due(): Fact | undefined {
    const { now } = this.#context
    if (now < this.#nextDue) return undefined
    this.#nextDue = Infinity
    const own = this.#ownIn(this.#incarnation)
    if (own === undefined) return undefined
    this.#publishAgain = now + publishPause
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

/** Of two refutations of one beat, which only a faulty or dishonest member signs, all nodes keep the same. */
function isGreater(a: Uint8Array, b: Uint8Array): boolean {
  const at = a.findIndex((byte, i) => byte !== b[i])
  return at >= 0 && (a[at] as number) > (b[at] as number)
}
