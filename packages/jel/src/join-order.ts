import type { Member } from './member.ts'

/**
 * Orders members by when they joined: by `joinedAt`, then by id. All members put any two lives in
 * the same order, for as long as both lives last. The order follows the members' own calendars, not
 * the `joined` events of any one node.
 */
export function byJoin(one: Pick<Member, 'id' | 'joinedAt'>, other: Pick<Member, 'id' | 'joinedAt'>): number {
  if (one.joinedAt !== other.joinedAt) return one.joinedAt - other.joinedAt
  return one.id === other.id ? 0 : one.id < other.id ? -1 : 1
}
