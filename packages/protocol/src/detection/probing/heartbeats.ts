/**
 * A heartbeat is the age of a member's life, in seconds on the member's own clock. So no clocks
 * need to agree.
 *
 * Each answer to a probe carries the member's heartbeat. An accusation cites the last heartbeat
 * that the accuser received. A refutation signs the present heartbeat. So an accusation is bound to
 * a time. It proves nothing against a member that lived on after that time.
 */
import type { Milliseconds, NodeId } from '../../base/values.ts'
import type { Context } from '../../context/context.ts'
import type { Refutation, Statement } from '../../facts/statement.ts'

interface Heard {
  heartbeat: number
  at: Milliseconds
  /** The last refutation that the member signed. */
  signed?: Statement<Refutation> | undefined
  /** The time at which this node last received a refutation that the member had just signed. */
  provenAt?: Milliseconds | undefined
}

/**
 * A helper repeats a member's answer from memory for this time, ms: the length of a
 * heartbeat.
 */
const fresh = 1_000

/**
 * Tolerance for the age of a heartbeat, s. A heartbeat is up to a second old. A helper's memory
 * adds up to a second, and the request and the answer take time. Guess.
 */
export const slack = 4

export class Heartbeats {
  readonly #context: Context
  /** Heartbeats of present lives. */
  readonly #heard = new Map<NodeId, Heard>()

  constructor(context: Context) {
    this.#context = context
  }

  /**
   * Returns the last heartbeat that this node received, from the member or from others; 0: none.
   */
  of(id: NodeId): number {
    return this.#heard.get(id)?.heartbeat ?? 0
  }

  /**
   * True if the member signed the refutation a moment ago. Then its heartbeat exceeds the last
   * known one by about the time since this node received that one. So a helper that holds
   * refutations back can keep a dead member alive only for a moment. Also true if this node knows
   * no heartbeat.
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

  /** Takes in a verified refutation. `isFresh`: the member has just signed it. */
  signed(refutation: Statement<Refutation>, isFresh: boolean): void {
    const { signer, content } = refutation
    const before = this.#heard.get(signer)
    if (before?.signed !== undefined && before.signed.content.heartbeat >= content.heartbeat) return
    this.heard(signer, content.heartbeat)
    const { heartbeat, at } = this.#heard.get(signer) as Heard
    this.#heard.set(signer, { heartbeat, at, signed: refutation, provenAt: isFresh ? this.#context.now : before?.provenAt })
  }

  /** Returns the member's last refutation, published or sent to a helper; undefined: none. */
  refutation(id: NodeId): Statement<Refutation> | undefined {
    return this.#heard.get(id)?.signed
  }

  /** Returns the refutation that the member signed a moment ago. */
  recent(id: NodeId): Statement<Refutation> | undefined {
    const heard = this.#heard.get(id)
    return this.#context.now - (heard?.provenAt ?? -Infinity) < fresh ? heard?.signed : undefined
  }

  /** Returns the time at which the last fresh refutation came; -Infinity: never. */
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
