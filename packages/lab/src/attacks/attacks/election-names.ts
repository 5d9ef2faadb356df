import type { Attack } from '../trial.ts'
import { told } from '../sybil.ts'

export const electionNames: Attack = {
  name: 'elections that nobody wants',
  does: 'stands and claims in ten thousand elections whose names it makes up',
  bound: 'few are kept, and the honest can elect as ever, in elections that are new, too',
  run: async ({ pool, attacker, attack, breach }) => {
    const mallory = await attacker()
    const link = await mallory.enter(pool.address())
    let sent = 0
    await attack([link], (turn) => {
      if (turn % 10 > 0 || sent >= 10_000) return
      const names = Array.from({ length: 50 }, () => `made-up-${sent++}`)
      link.send(
        told(
          names.flatMap((election) => [
            mallory.sybil.says({ kind: 'candidacy', election, incarnation: 1, sequence: 1, withdrawn: false }),
            mallory.sybil.says({ kind: 'claim', election, epoch: 1, incarnation: 1, sequence: 1 }),
          ]),
        ),
      )
    })
    const time = await pool.elects('new')
    if (Number.isNaN(time)) breach('an honest node was not elected')
    return `${sent} elections made up; a new one of an honest node took ${time.toFixed(0)} ms`
  },
}
