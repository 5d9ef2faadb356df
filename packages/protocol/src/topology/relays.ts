import { hash52 } from '../base/hash.ts'
import type { Member, NodeId } from '../base/values.ts'

/** Relays with which a hidden member keeps a connection. Guess: two may die at once. */
export const relayCount = 3
/**
 * A member relays after this time in the pool, ms. It says itself when it came. Guess: clients stay
 * for less.
 */
const settledAfter = 60_000

/**
 * Returns the relays of a member, the best first: the direct members with the lowest hash of relay
 * and member. So everybody computes the same relays, and nobody announces them. Members that came
 * within a minute count only if there are too few others.
 */
export function relaysOf(id: NodeId, members: Iterable<Member>, today: number, most = relayCount): Member[] {
  const direct = [...members].filter((member) => member.reach === 'direct' && member.id !== id)
  const settled = direct.filter(({ joinedAt }) => today - joinedAt >= settledAfter)
  const ranked = (settled.length >= relayCount ? settled : direct).map((member) => ({ member, rank: hash52(`${member.id} ${id}`) }))
  return ranked
    .sort((a, b) => a.rank - b.rank || (a.member.id < b.member.id ? -1 : 1))
    .slice(0, most)
    .map(({ member }) => member)
}
