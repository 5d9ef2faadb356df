/**
 * Heartbeats: the age of each member's life, in seconds on its own clock, so that no clocks need to
 * agree.
 *
 * Each answer to a probe carries the heartbeat. A suspicion cites the last one that its accuser
 * received, a refutation signs the present one. So an accusation is bound to a time, and proves
 * nothing against a member that has outlived it.
 */
import type { Milliseconds, NodeId } from '../../base/values.ts'
import type { Context } from '../../context/context.ts'
import type { Refutation, Statement } from '../../facts/statement.ts'

interface Heard {
  heartbeat: number
  at: Milliseconds
  /** The last refutation that the member signed. */
  signed?: Statement<Refutation> | undefined
  /** When the last one came that it had signed just before. */
  provenAt?: Milliseconds | undefined
}

/** A helper answers from memory for this time, ms. Issue: a second, the length of a heartbeat. */
const fresh = 1_000

/**
 * Tolerance for the age of a heartbeat, s. A heartbeat is up to a second old, a helper's memory
 * another one, and both ways take time. Guess.
 */
export const slack = 4

export class Heartbeats {
  readonly #context: Context
  /** Heartbeats of present lives. */
  readonly #heard = new Map<NodeId, Heard>()

  constructor(context: Context) {
    this.#context = context
  }

  /** Returns the last heartbeat that this node received, first or second hand; 0: none. */
  of(id: NodeId): number {
    return this.#heard.get(id)?.heartbeat ?? 0
  }

  /**
   * True if the refutation can't have been signed long ago: since the last known heartbeat, the
   * member's life has advanced about as much as the time. So a helper that keeps refutations back
   * can keep a dead member alive only for a moment.
   */
  isFresh({ signer, content }: Statement<Refutation>): boolean {
    const heard = this.#heard.get(signer)
    return heard === undefined || content.heartbeat >= heard.heartbeat + (this.#context.now - heard.at) / 1000 - slack
  }

  /** Takes in a heartbeat that the member stated. */
  heard(id: NodeId, heartbeat: number): void {
    const heard = this.#heard.get(id)
    if (heard !== undefined && heard.heartbeat > heartbeat) return
    this.#heard.set(id, { ...heard, heartbeat, at: this.#context.now })
  }

  /** Takes in a verified refutation. `isFresh`: it was just signed. */
  signed(refutation: Statement<Refutation>, isFresh: boolean): void {
    const { signer, content } = refutation
    const before = this.#heard.get(signer)
    if (before?.signed !== undefined && before.signed.content.heartbeat >= content.heartbeat) return
    this.heard(signer, content.heartbeat)
    const { heartbeat, at } = this.#heard.get(signer) as Heard
    this.#heard.set(signer, { heartbeat, at, signed: refutation, provenAt: isFresh ? this.#context.now : before?.provenAt })
  }

  /** Returns the member's last refutation, for the whole pool or for a helper; undefined: none. */
  refutation(id: NodeId): Statement<Refutation> | undefined {
    return this.#heard.get(id)?.signed
  }

  /** Returns the refutation that the member signed a moment ago. */
  recent(id: NodeId): Statement<Refutation> | undefined {
    const heard = this.#heard.get(id)
    return this.#context.now - (heard?.provenAt ?? -Infinity) < fresh ? heard?.signed : undefined
  }

  /** Returns when the last fresh refutation came; -Infinity: never. */
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
