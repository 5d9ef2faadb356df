import type { Milliseconds, Reign } from '@jel/protocol'
import type { Metrics } from '../report/metrics.ts'
import { BrokenPromiseError } from '../protocol/promises.ts'
import { isActive, type Actor } from '../truth/actor.ts'
import type { GroundTruth } from '../truth/ground-truth.ts'

/**
 * A reign is provisional until all nodes have named the same winner for this long, ms. A guess:
 * several settle times.
 */
const settled: Milliseconds = 5_000

/**
 * The largest increase of a winner's epoch by one confirmation. A winner answers an epoch at most
 * 16 above its own with the next epoch (docs/specification.md, Elections, Confirming a reign).
 */
const confirmed = 17

/**
 * Checks that nobody unseats a living winner. Once all nodes have named a winner for a while, it
 * must stay the winner until something happens to it.
 */
export class Reigns {
  readonly #truth: GroundTruth
  readonly #metrics: Metrics
  /** Reigns whose winner withdrew. */
  readonly #over: { readonly number: number; readonly reign: Reign }[] = []

  constructor(truth: GroundTruth, metrics: Metrics) {
    this.#truth = truth
    this.#metrics = metrics
  }

  watch(): void {
    this.#truth.testbed.subscribe((node, notification, time) => {
      const actor = this.#truth.actorOf(node)
      if (notification.type === 'elected' && actor !== undefined) {
        this.checkTokens()
        this.#check(actor, notification.reign, time)
      }
    })
    this.#truth.listen({ withdraws: (actor, election) => this.#withdraws(actor, election) })
  }

  /** Notes that the node's reign is over for good, if it reigns. */
  #withdraws({ number, node }: Actor, election: string): void {
    const reign = node.protocol.reign(election)
    if (reign?.winner.id === node.id) this.#over.push({ number, reign })
  }

  /**
   * Checks that no winner resumes a reign that it gave up. A candidate that stands again claims a
   * new epoch. Throws {@link BrokenPromiseError}.
   */
  checkTokens(): void {
    for (const { number, reign } of this.#over) {
      const actor = this.#truth.actors[number]
      if (actor === undefined || !isActive(actor) || !actor.candidacies.has(reign.election)) continue
      const now = actor.node.protocol.reign(reign.election)
      if (now?.winner.id !== actor.node.id || now.winner.incarnation !== reign.winner.incarnation || now.epoch > reign.epoch) continue
      throw new BrokenPromiseError(
        this.#truth.testbed.seed,
        this.#truth.testbed.now,
        actor.node,
        `reigns in ${reign.election} with epoch ${now.epoch} again, which it had given up: the token names two reigns`,
      )
    }
  }

  /** Throws {@link BrokenPromiseError}. */
  #check(actor: Actor, reign: Reign, now: Milliseconds): void {
    const election = this.#metrics.elections.get(reign.election)
    const since = election?.episodes.since
    if (since === undefined || now - since < settled || this.#truth.lastTrouble >= since || !isActive(actor)) return
    const standing = election?.agreement.standing(actor.side)
    if (standing === undefined) return
    // A winner confirms its reign in a later epoch if another node lied, or claimed a reign because
    // it did not know of this reign.
    const isSame = standing.winner.id === reign.winner.id && standing.winner.incarnation === reign.winner.incarnation
    if (isSame && reign.epoch >= standing.epoch && reign.epoch <= standing.epoch + confirmed) return
    const winner = this.#truth.actors.find(({ node }) => node.id === standing.winner.id)
    if (winner === undefined || !isActive(winner) || !winner.candidacies.has(reign.election)) return
    const usurper = this.#truth.actors.find(({ node }) => node.id === reign.winner.id)
    throw new BrokenPromiseError(
      this.#truth.testbed.seed,
      now,
      actor.node,
      `was told that node ${usurper?.number} won ${reign.election} (epoch ${reign.epoch}), while node ${winner.number}, whom all had named for ${Math.floor((now - since) / 1_000)}s (epoch ${standing.epoch}), lives and stands`,
      usurper?.node,
    )
  }
}
