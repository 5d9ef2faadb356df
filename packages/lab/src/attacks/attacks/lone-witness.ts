import { certificateToWire, certify, statementToWire } from '@jel/protocol/internals'
import type { Attack } from '../trial.ts'
import { Sybil } from '../sybil.ts'

export const loneWitness: Attack = {
  name: 'accusers that are no members',
  does: 'is one member that suspects everybody and brings certificates by keys that it made up',
  bound: 'only members are accusers, and one member is one accuser: nobody dies',
  run: async ({ pool, attacker, attack }) => {
    const mallory = await attacker()
    const links = await Promise.all(pool.addresses.map(async (address) => await mallory.enter(address)))
    const strangers = Array.from({ length: 7 }, () => new Sybil(pool.name))
    const frames = pool.addresses.flatMap((_, i) => {
      const suspicion = mallory.sybil.suspects(pool.id(i), 1)
      const accusers = [suspicion, ...strangers.map((stranger) => stranger.suspects(pool.id(i), 1))]
      const certificate = certificateToWire(certify(accusers as never))
      return [{ alarm: { statements: [statementToWire(suspicion)] } }, { facts: { facts: [{ certificate, ageSeconds: 0 }], fresh: true } }]
    })
    let sent = 0
    await attack(links, (turn) => {
      // Stays below the frame limit; otherwise the attack would end at once.
      if (turn % 5 === 0) for (const link of links) if (link.send(frames[(turn / 5) % frames.length]!)) sent += 1
    })
    return `${sent} accusations`
  },
}
