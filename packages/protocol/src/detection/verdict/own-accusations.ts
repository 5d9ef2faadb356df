/**
 * Accusations by this node. A node that failed to reach a member, directly and through helpers,
 * signs an accusation. The node sends the accusation to the member, which may refute it.
 * `confirmation.ts` publishes the accusation on the topic.
 */
import type { NodeId } from '../../base/values.ts'
import type { Context } from '../../context/context.ts'
import type { Heartbeats } from '../probing/heartbeats.ts'
import type { Batcher } from '../suspicion/batcher.ts'
import type { Suspicion } from '../suspicion/suspicion.ts'
import type { Suspicions } from '../suspicion/suspicions.ts'
import type { AccusationSpread } from './accusation-spread.ts'
import type { Confirmation } from './confirmation.ts'
import { mostAccusers } from './quorum.ts'
import type { Refutations } from './refutations.ts'

export interface OwnAccusationParts {
  readonly suspicions: Suspicions
  readonly heartbeats: Heartbeats
  readonly batcher: Batcher
  readonly refutations: Refutations
  readonly confirmation: Confirmation
  readonly spread: AccusationSpread
}

export class OwnAccusations {
  readonly #context: Context
  readonly #parts: OwnAccusationParts

  constructor(context: Context, parts: OwnAccusationParts) {
    this.#context = context
    this.#parts = parts
  }

  /** Accuses a member that this node failed to reach, directly and through helpers. */
  accuse(suspicion: Suspicion): void {
    const { now, codec, id } = this.#context
    const { confirmation, spread } = this.#parts
    const heartbeat = this.#citedHeartbeat(suspicion)
    const accusation = codec.sign(id, { kind: 'suspicion', suspect: suspicion.id, incarnation: suspicion.incarnation, heartbeat })
    suspicion.enter('missedByHelpers', now)
    suspicion.spreads = 0
    suspicion.schedule('spread', now + confirmation.spreadTime)
    suspicion.add(accusation)
    spread.sendToSubject(suspicion, accusation)
    confirmation.accused(suspicion)
    confirmation.added(suspicion, id, false)
    confirmation.judge(suspicion)
    this.#judgeOthers(suspicion.id)
  }

  /**
   * Withdraws this node's accusation of a member that it reached. Other nodes may hold the
   * accusation. So this node sends it to the member, which can refute it.
   */
  withdraw(suspicion: Suspicion): void {
    const own = suspicion.accusations.get(this.#context.id)
    if (own === undefined) return
    suspicion.remove(this.#context.id)
    suspicion.unpublish()
    this.#parts.batcher.send(suspicion.id, own)
  }

  /**
   * Judges other suspicions again: the quorum no longer counts the accused member. Fewer accusers
   * may now suffice for members that the accused member observes. If few members remain, that holds
   * for all of them.
   */
  #judgeOthers(accused: NodeId): void {
    const { suspicions, confirmation } = this.#parts
    const isChange = confirmation.quorum.toBelieve(accused) < mostAccusers
    // Observation is mutual: a member observes its ring neighbours on both sides.
    const concerned = isChange ? [...suspicions.values()] : [...suspicions.observersOf(accused)].flatMap((id) => suspicions.get(id) ?? [])
    for (const suspicion of concerned) if (suspicion.accusations.size > 0) suspicion.advance('judge', this.#context.now)
  }

  /**
   * Returns the heartbeat that this node cites: the last one that it received. If it received none,
   * returns the lower median of the heartbeats that the accusers cite. The result is never below
   * the heartbeat of the member's last refutation.
   */
  #citedHeartbeat({ id, accusations }: Suspicion): number {
    const { heartbeats, refutations } = this.#parts
    const told = [...accusations.values()].map(({ content }) => content.heartbeat).sort((a, b) => a - b)
    const heard = heartbeats.of(id) || (told[(told.length - 1) >> 1] ?? 0)
    return Math.max(heard, refutations.latestOf(id)?.content.heartbeat ?? 0)
  }
}
