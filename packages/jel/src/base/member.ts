import type { OverlayHealth, PoolLink, PoolMember, PoolReign, Traffic } from '@jel/overlay'

/**
 * A node of the pool as others see it (JEL §3: a single instance in a computation, tracked as one
 * entity). It is plain data that a `MessagePort` can clone. `id` and `incarnation` together name
 * one life.
 */
export interface Member extends PoolMember {
  /**
   * With `joins: 'reliable'`: the number of ids that joined before, the same at all members. A
   * later life of an id keeps its rank.
   */
  readonly rank?: number
  /** With `joins: 'reliable'`: the place of its join, or of its end, in the order of all events. */
  readonly index?: number
}

/** A member, or its id alone. */
export type MemberRef = string | { readonly id: string }

/**
 * One reign in one election: the present holder of the role (JEL §3.2). Its fencing token is
 * `(epoch, winner)`. The token orders reigns. While the network is partitioned, two nodes may hold
 * a role at once. The token can't prevent that.
 */
export type Reign = PoolReign

/** The state of this node's connections, as far as it knows. */
export type Health = OverlayHealth

/**
 * A link of a node. The member `id` is at the other end. It took `roundTrip` ms to answer the last
 * probe. Often only one end of a link probes the other.
 */
export type Link = PoolLink

export type { Traffic }

/**
 * One change of the membership (JEL §3.1: join, leave and died notifications), or of a member's own
 * data. `updated` reports other addresses, another tag or other constants of a present member. The
 * life of the member stays the same.
 */
export interface Change {
  readonly type: 'joined' | 'left' | 'died' | 'updated'
  readonly member: Member
}

/** Returns the id in a reference to a member. */
export function idOf(member: MemberRef): string {
  return typeof member === 'string' ? member : member.id
}

/**
 * Orders members by the time at which they joined: by `joinedAt`, then by id. All members put any
 * two lives in the same order, for as long as both lives last. The order follows the members' own
 * wall clocks, not the `joined` events of any one node.
 */
export function byJoin(one: Pick<Member, 'id' | 'joinedAt'>, other: Pick<Member, 'id' | 'joinedAt'>): number {
  if (one.joinedAt !== other.joinedAt) return one.joinedAt - other.joinedAt
  return one.id === other.id ? 0 : one.id < other.id ? -1 : 1
}
