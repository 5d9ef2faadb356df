/** A case: the suspicions against one life of a member, and who has heard of which. */
import type { Milliseconds, NodeId } from '../base/io.ts'
import type { Statement, Suspicion } from '../facts/statement.ts'

export class Case {
  readonly incarnation: number
  readonly since: Milliseconds
  /** Rounds of telling more members. */
  rounds = 0
  nextRound: Milliseconds
  /** The next round was put off, as this process was late for it. */
  isPutOff = false
  readonly #suspicions = new Map<NodeId, Statement<Suspicion>>()
  /** What each peer was told, or told us. */
  readonly #exchanged = new Map<NodeId, Set<Statement>>()

  constructor(incarnation: number, now: Milliseconds, nextRound: Milliseconds) {
    this.incarnation = incarnation
    this.since = now
    this.nextRound = nextRound
  }

  get isEmpty(): boolean {
    return this.#suspicions.size === 0
  }

  /** All, with their witnesses. */
  get suspicions(): ReadonlyMap<NodeId, Statement<Suspicion>> {
    return this.#suspicions
  }

  /** Peers that heard of it from us, or we from them. */
  get peers(): IterableIterator<NodeId> {
    return this.#exchanged.keys()
  }

  /** Its witness knows it. */
  add(suspicion: Statement<Suspicion>): void {
    this.#suspicions.set(suspicion.signer, suspicion)
    this.exchange(suspicion.signer, suspicion)
  }

  /** True if there was one by this witness. */
  remove(witness: NodeId): boolean {
    return this.#suspicions.delete(witness)
  }

  /** Those that knew so many refutations. */
  knowing(refutations: number): Statement<Suspicion>[] {
    return [...this.#suspicions.values()].filter(({ content }) => content.refutations >= refutations)
  }

  exchange(peer: NodeId, suspicion: Statement<Suspicion>): void {
    this.#exchanged.set(peer, (this.#exchanged.get(peer) ?? new Set()).add(suspicion))
  }

  wasExchanged(peer: NodeId, suspicion: Statement<Suspicion>): boolean {
    return this.#exchanged.get(peer)?.has(suspicion) === true
  }

  /** What this peer has not heard from us, nor we from it. */
  newsFor(peer: NodeId): Statement<Suspicion>[] {
    return [...this.#suspicions.values()].filter((suspicion) => !this.wasExchanged(peer, suspicion))
  }
}
