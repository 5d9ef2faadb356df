import type { Attack } from '../trial.ts'
import { Sybil, told } from '../sybil.ts'

export const stolenKey: Attack = {
  name: 'a stolen key file',
  does: 'connects with a copy of the key file of an honest member that runs, and joins under higher incarnations',
  bound: 'the honest one finds out and stops with an error; nobody else is touched',
  fails: 1,
  run: async ({ pool, attacker, attack }) => {
    const sybil = new Sybil(pool.name, await pool.keyFile())
    const thief = await attacker({ sybil })
    const links = [await thief.enter(pool.address()), await thief.enter(pool.address(1))]
    let lives = 0
    await attack(links, (turn) => {
      if (turn % 10 > 0) return
      lives += 1
      for (const link of links) link.send(told([sybil.joins([], 1 + lives)]))
    })
    return `${lives} lives under a key that is not its own`
  },
}
