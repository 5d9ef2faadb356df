import type { BroadcastVerdict, Effect, Input, Member, Milliseconds, NodeId, Notification, Reign } from '@jel/protocol'
import type { Payload } from '../network/payload.ts'
import type { Protocol, ProtocolParts } from './protocol.ts'

/** A protocol that sends nothing. A {@link MembershipOracle} notifies it of the members. */
export class OracleNode implements Protocol {
  self: Member
  /** The present members, according to the node's notifications. */
  readonly view = new Map<NodeId, Member>()
  /** Members that pronounced this node dead, until the node learns of its death. */
  readonly heldDeadBy = new Set<NodeId>()
  /** Members that this node pronounced dead. The node gets no messages from them. */
  readonly holdsDead = new Set<NodeId>()
  readonly #news: Notification[] = []

  constructor({ id, location, tag }: ProtocolParts) {
    this.self = { id, incarnation: 1, addresses: [], location, tag, constants: new Map(), reach: 'direct', joinedAt: 0 }
  }

  handle(input: Input<Payload>, _now: Milliseconds): Effect<Payload>[] {
    if (input.type === 'start') {
      this.self = { ...this.self, addresses: input.addresses }
      this.#news.push({ type: 'joined', member: this.self })
    }
    return this.#news.splice(0).map((notification) => ({ type: 'notify', notification }))
  }

  handleBroadcast(): { verdict: BroadcastVerdict; effects: Effect<Payload>[] } {
    return { verdict: 'ignore', effects: [] }
  }

  members(): Member[] {
    return [this.self, ...this.view.values()]
  }

  reign(_election: string): Reign | undefined {
    return undefined
  }

  /** The member begins a new life, because others pronounced it dead. */
  reenter(): void {
    this.heldDeadBy.clear()
    this.self = { ...this.self, incarnation: this.self.incarnation + 1 }
    this.#news.push({ type: 'joined', member: this.self })
  }

  see(member: Member): void {
    this.view.set(member.id, member)
    this.holdsDead.delete(member.id)
    this.#news.push({ type: 'joined', member })
  }

  /** Removes the member. Returns true if the view contained the member. */
  lose(id: NodeId): boolean {
    const member = this.view.get(id)
    if (member === undefined) return false
    this.view.delete(id)
    this.#news.push({ type: 'died', member })
    return true
  }
}
