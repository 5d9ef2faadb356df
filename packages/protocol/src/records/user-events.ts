/**
 * User events and queries. Each is a record that lives for minutes. So gossip and reconciliation
 * carry it to all members, including members that are cut off for a moment. The application gets
 * each event once, with the member that signed it.
 *
 * Events in a newcomer's first reconciliation are older than its join, so it does not deliver them.
 */
import type { Member, NodeId } from '../base/values.ts'
import { remember } from '../base/remember.ts'
import type { Context } from '../context/context.ts'
import { isTarget, readEvent, targetCount } from '../facts/event.ts'
import { recordKey, type Fact } from '../facts/fact.ts'
import type { RecordContent, Statement } from '../facts/statement.ts'
import { FairOrder } from './fair-order.ts'
import { statementOf } from './record-statement.ts'

/**
 * Number of delivered events that a node remembers, so that it does not deliver an evicted event
 * again. Guess: eight times as many as it holds.
 */
const remembered = 8_192
/** Ended members that a node remembers. Their events may arrive after their end. Guess. */
const departed = 1_024

export class UserEvents {
  readonly #context: Context
  /** Held events. This node evicts the oldest ones of each owner first. */
  readonly order = new FairOrder(isLater)
  readonly #known = new Map<string, true>()
  readonly #departed = new Map<NodeId, Member>()

  constructor(context: Context) {
    this.#context = context
  }

  /** True if this node delivered the event before, or the event is not for this node. */
  isKnown({ signer, content }: Statement<RecordContent>): boolean {
    return this.#known.has(recordKey(content.name, signer))
  }

  /**
   * Handles a verified event. `isNews`: it is certainly recent. This node delivers an event of an
   * unknown owner when the owner becomes known.
   */
  heard(statement: Statement<RecordContent>, isNews: boolean): void {
    const { signer, content } = statement
    if (content.withdrawn || this.isKnown(statement)) return
    const { view, isWhole } = this.#context
    const from = view.get(signer) ?? this.#departed.get(signer)
    const isForUs = isNews || isWhole
    if (isForUs && from === undefined) return
    remember(this.#known, recordKey(content.name, signer), true, remembered)
    if (isForUs && from !== undefined) this.#notify(content, from)
  }

  lifeBegan({ id }: Member): void {
    this.#departed.delete(id)
    for (const fact of this.order.of(id)) this.heard(statementOf(fact), false)
  }

  lifeEnded(member: Member): void {
    remember(this.#departed, member.id, member, departed)
  }

  #notify({ value }: RecordContent, from: Member): void {
    const { id, config, view } = this.#context
    const { name, payload, query } = readEvent(value, config.limits)
    if (query === undefined) this.#context.notify({ type: 'event', name, payload, from })
    else if (isTarget(query.targets, id)) {
      const asked = targetCount(query.targets) || view.size
      this.#context.notify({ type: 'query', name, payload, from, id: query.id, timeout: query.timeout, asked })
    }
  }
}

function isLater(a: Fact, b: Fact): boolean {
  const [one, other] = [statementOf(a).content.version, statementOf(b).content.version]
  return one === other ? a.key < b.key : one > other
}
