import type { Attack } from '../trial.ts'
import { told } from '../sybil.ts'

export const absurdEpochs: Attack = {
  name: 'absurd epochs and incarnations',
  does: 'claims the reign in epochs up to 2^48, tells members that they live in incarnations up to 2^48, and lies about both in its hello',
  bound: 'the reign stands and the epoch stays small',
  run: async ({ pool, attacker, attack }) => {
    const mallory = await attacker()
    const links = await Promise.all(pool.addresses.map(async (address) => await mallory.enter(address)))
    let sent = 0
    await attack(links, (turn) => {
      if (turn % 20 > 0) return
      const epoch = 2 ** (3 + (Math.floor(turn / 20) % 46))
      const claim = mallory.sybil.says({ kind: 'claim', election: 'master', epoch, incarnation: 1, sequence: 1 })
      for (const link of links) {
        link.send(told([claim]))
        link.send({ hello: { known: 2 ** 48, ended: true, incarnation: 1 } })
        sent += 1
      }
    })
    return `${sent} claims`
  },
}
