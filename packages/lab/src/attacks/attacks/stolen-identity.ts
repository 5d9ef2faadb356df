import type { Attack } from '../trial.ts'
import { Sybil, told } from '../sybil.ts'

/**
 * The thief has the key of a member that the attacker started itself: the pool's own nodes keep
 * their keys to themselves.
 */
export const stolenIdentity: Attack = {
  name: 'stolen identity',
  does: 'connects with the key of a member that is linked already, says that it left, and joins in its place under higher incarnations',
  bound: 'the holder of the key is the member: nobody else is touched, and the pool follows the last word',
  run: async ({ pool, attacker, attack, until }) => {
    const sybil = new Sybil(pool.name)
    const member = await attacker({ sybil })
    await member.enter(pool.address())
    const thief = await attacker({ sybil })
    const links = [await thief.enter(pool.address()), await thief.enter(pool.address(1))]
    let lives = 1
    await attack(links, () => {
      if (performance.now() > until) return false
      lives += 1
      const facts = [sybil.says({ kind: 'left', incarnation: lives - 1 }), sybil.joins([], lives)]
      for (const link of links) link.send(told(facts))
      return undefined
    })
    return `${lives} lives of one identity`
  },
}
