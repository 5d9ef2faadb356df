import type { NodeId } from '@jel/protocol'
import { check } from './failure.ts'
import type { SwarmEvent, SwarmMember, SwarmNode, SwarmReign } from './swarm.ts'

/**
 * Reads the events of one node, and checks them against the promises. The node's own join comes
 * first. Each life joins at most once and then ends at most once. Only one life of an id is present
 * at a time, and later lives have higher incarnations.
 */
export class Account {
  readonly node: SwarmNode
  /** Incarnations of the present members. */
  readonly present = new Map<NodeId, number>()
  /** Lives that ended, and how. */
  readonly ended: { readonly member: SwarmMember; readonly how: 'left' | 'died' }[] = []
  /** The latest reported reign of each election. */
  readonly reigns = new Map<string, SwarmReign>()
  readonly #latest = new Map<NodeId, number>()
  #read = 0

  constructor(node: SwarmNode) {
    this.node = node
  }

  /** Reads the new events. Throws AcceptanceError when a promise is broken. */
  read(): this {
    for (; this.#read < this.node.events.length; this.#read++) {
      const event = this.node.events[this.#read]
      if (event !== undefined) this.#take(event)
    }
    return this
  }

  #take(event: SwarmEvent): void {
    if (event.type === 'elected') this.reigns.set(event.reign.election, event.reign)
    if (event.type !== 'joined' && event.type !== 'left' && event.type !== 'died') return
    const { member, type } = event
    const words = (): string => `${name(this.node.id)} was told that ${name(member.id)}#${member.incarnation} ${type}`
    const incarnation = this.present.get(member.id)
    if (type === 'joined') {
      check(this.#latest.size > 0 || member.id === this.node.id, () => `${words()} before its own join`)
      check(incarnation === undefined, () => `${words()} while incarnation ${incarnation} was present`)
      check(
        (this.#latest.get(member.id) ?? 0) < member.incarnation,
        () => `${words()} after incarnation ${this.#latest.get(member.id)} had ended`,
      )
      this.present.set(member.id, member.incarnation)
      this.#latest.set(member.id, member.incarnation)
      return
    }
    check(incarnation === member.incarnation, () => `${words()}, which was not present`)
    this.present.delete(member.id)
    this.ended.push({ member, how: type })
  }

  /** Returns all events about this id, for an error message. */
  story(id: NodeId): string {
    const told = this.node.events.flatMap((event) =>
      'member' in event && event.member.id === id ? [`${event.type} #${event.member.incarnation}`] : [],
    )
    return `${name(this.node.id)} was told of ${name(id)}: ${told.join(', ') || 'nothing'}`
  }

  /** Returns the ends of the lives of this id so far. */
  endsOf(id: NodeId): ('left' | 'died')[] {
    return this.ended.filter(({ member }) => member.id === id).map(({ how }) => how)
  }
}

/** Returns the last characters of an id. All ids begin with the same characters. */
export function name(id: NodeId): string {
  return `…${id.slice(-6)}`
}
