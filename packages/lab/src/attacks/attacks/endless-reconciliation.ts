import { hashSpace } from '@jel/protocol/internals'
import type { Attack } from '../trial.ts'
import { Sybil, told } from '../sybil.ts'

const none = new Uint8Array(0)
/** Made-up members, so that there is something to ask for. */
const members = 500

export const endlessReconciliation: Attack = {
  name: 'reconciliation without end',
  does: 'asks for the whole state again and again, answers every round with another difference, and never is content',
  bound: 'bytes and processor time are bounded: it is answered ever later',
  run: async ({ pool, attacker, attack, sleep }) => {
    const mallory = await attacker()
    const link = await mallory.enter(pool.address())
    link.send(told(Array.from({ length: members }, () => new Sybil(pool.name).joins())))
    await sleep(300)
    let asked = 0
    const everything = { from: 0, to: hashSpace, count: 0, fingerprint: none, items: none, wanted: none, listed: true }
    const another = (): object => ({
      ...everything,
      listed: false,
      count: 1_000_000,
      fingerprint: crypto.getRandomValues(new Uint8Array(8)),
    })
    link.onFrame = ({ reconcile }) => {
      if (reconcile === undefined) return
      link.send({ reconcile: { round: (reconcile.round % 20) + 1, ranges: [another() as typeof everything] } })
    }
    await attack([link], () => {
      // The other side would ignore a first round where it has begun one itself.
      link.send({ reconcile: { round: 2, ranges: [everything] } })
      asked += 1
    })
    return `asked ${asked} times for everything`
  },
}
