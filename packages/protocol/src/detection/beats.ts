/**
 * Beats: how far the life of each member has come, in seconds on its own clock, so that no clocks need to agree.
 *
 * Each answer to a probe tells the beat. A suspicion cites the last one that its accuser heard of, a refutation signs the present one: so accusations
 * bind to a time, and what a member has outlived says nothing against it any more.
 */
import type { Milliseconds, NodeId } from '../base/io.ts'
import type { Context } from '../context/context.ts'
import type { Refutation, Statement } from '../facts/statement.ts'

interface Heard {
  beat: number
  at: Milliseconds
  /** The last that the member signed. */
  signed?: Statement<Refutation> | undefined
  /** When one came that it had signed just before. */
  provenAt?: Milliseconds | undefined
}

/** A helper answers from memory for so long, ms. Issue: a second, the length of a beat. */
const fresh = 1_000

/** A beat is up to a second old, a helper's memory another one, and both ways take time, s. Guess. */
export const slack = 4

export class Beats {
  readonly #context: Context
  /** Of present lives. */
  readonly #heard = new Map<NodeId, Heard>()

  constructor(context: Context) {
    this.#context = context
  }

  /** The last one that this node heard of, first or second hand; 0: none. */
  of(id: NodeId): number {
    return this.#heard.get(id)?.beat ?? 0
  }

  /**
   * This one can't have been signed long ago: by the time that went by since the last known beat, the member's life has come about as far. So a helper that
   * keeps refutations back can't make a dead member live for more than a moment.
   */
  isFresh({ signer, content }: Statement<Refutation>): boolean {
    const heard = this.#heard.get(signer)
    return heard === undefined || content.beat >= heard.beat + (this.#context.now - heard.at) / 1000 - slack
  }

  /** The member said so. */
  heard(id: NodeId, beat: number): void {
    const heard = this.#heard.get(id)
    if (heard !== undefined && heard.beat > beat) return
    this.#heard.set(id, { ...heard, beat, at: this.#context.now })
  }

  /** A verified refutation. `isFresh`: it was just signed. */
  signed(refutation: Statement<Refutation>, isFresh: boolean): void {
    const { signer, content } = refutation
    const before = this.#heard.get(signer)
    if (before?.signed !== undefined && before.signed.content.beat >= content.beat) return
    this.heard(signer, content.beat)
    const { beat, at } = this.#heard.get(signer) as Heard
    this.#heard.set(signer, { beat, at, signed: refutation, provenAt: isFresh ? this.#context.now : before?.provenAt })
  }

  /** The last that the member signed, for the whole pool or when it was probed for others; undefined: nothing. */
  refutation(id: NodeId): Statement<Refutation> | undefined {
    return this.#heard.get(id)?.signed
  }

  /** What the member signed a moment ago. */
  recent(id: NodeId): Statement<Refutation> | undefined {
    const heard = this.#heard.get(id)
    return this.#context.now - (heard?.provenAt ?? -Infinity) < fresh ? heard?.signed : undefined
  }

  /** When it last came to this node that the member had signed a moment before; -Infinity: never. */
  provenAt(id: NodeId): Milliseconds {
    return this.#heard.get(id)?.provenAt ?? -Infinity
  }

  /** A life ended or a new one began. */
  forget(id: NodeId): void {
    this.#heard.delete(id)
  }

  clear(): void {
    this.#heard.clear()
  }
}
