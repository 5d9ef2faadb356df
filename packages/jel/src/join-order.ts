import type { Member } from './member.ts'

/**
 * Orders members by when they joined: by `joinedAt`, and by id where that is equal. All members put any two lives in the same order, and it stays so for
 * as long as these last. It is that of the members' own calendars, and not that of the `joined` events of any one node.
 */
export function byJoin(one: Pick<Member, 'id' | 'joinedAt'>, other: Pick<Member, 'id' | 'joinedAt'>): number {
  if (one.joinedAt !== other.joinedAt) return one.joinedAt - other.joinedAt
  return one.id === other.id ? 0 : one.id < other.id ? -1 : 1
}
