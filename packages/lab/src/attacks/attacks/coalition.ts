import { certificateToWire, certify } from '@jel/protocol/internals'
import type { Attack } from '../trial.ts'

/** As many as the largest quorum. */
const coalition = 4

export const coalitionOfWitnesses: Attack = {
  name: 'a coalition of accusers',
  does: 'is four members that together sign the death of one that lives, for each of its lives, once a second',
  bound: 'the victim enters again each time, and is in every view in the end',
  endsLives: true,
  run: async ({ pool, attacker, sleep, until }) => {
    const members = await Promise.all(Array.from({ length: coalition }, async () => await attacker()))
    const links = await Promise.all(members.map(async (member, i) => await member.enter(pool.address(i))))
    await sleep(500)
    let certificates = 0
    for (let incarnation = 1; performance.now() < until; incarnation++) {
      const certificate = certificateToWire(certify(members.map(({ sybil }) => sybil.suspects(pool.id(), incarnation) as never)))
      for (const link of links) link.send({ facts: { facts: [{ certificate, ageSeconds: 0 }], fresh: true } })
      certificates += 1
      await sleep(1_000)
    }
    return `${certificates} deaths certified`
  },
}
