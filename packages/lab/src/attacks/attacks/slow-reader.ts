import { hashSpace } from '@jel/protocol/internals'
import type { Attack } from '../trial.ts'
import { Sybil, told } from '../sybil.ts'

const none = new Uint8Array(0)
const members = 500

export const slowReader: Attack = {
  name: 'slow reading',
  does: 'asks for the whole state again and again and reads nothing of it',
  bound: 'no more than 16 MiB wait for it, and none for more than 15 s in which it takes nothing; then its link ends',
  isDropped: true,
  run: async ({ pool, attacker, attack, sleep }) => {
    const mallory = await attacker()
    const link = await mallory.enter(pool.address())
    link.send(told(Array.from({ length: members }, () => new Sybil(pool.name).joins())))
    await sleep(300)
    link.stream.pause()
    let asked = 0
    await attack([link], (turn) => {
      if (turn % 10 > 0) return
      // The other side would ignore a first round where it has begun one itself.
      link.send({
        reconcile: { round: 2, ranges: [{ from: 0, to: hashSpace, count: 0, fingerprint: none, items: none, wanted: none, listed: true }] },
      })
      asked += 1
    })
    return `asked ${asked} times for everything`
  },
}
