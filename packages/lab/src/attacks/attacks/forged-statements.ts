import { certificateToWire, certify } from '@jel/protocol/internals'
import type { Attack } from '../trial.ts'
import { Sybil, told } from '../sybil.ts'

export const forgedStatements: Attack = {
  name: 'forged statements',
  does: 'says in the name of others that they left, died and claim a reign, under signatures that are not theirs',
  bound: 'nothing is believed; the third frame ends the link',
  isDropped: true,
  run: async ({ pool, attacker, attack }) => {
    const mallory = await attacker()
    const links = await Promise.all(pool.addresses.map(async (address) => await mallory.enter(address)))
    const victim = pool.id(1)
    const others = Array.from({ length: 4 }, () => new Sybil(pool.name))
    const left = mallory.sybil.says({ kind: 'left', incarnation: 1 }, victim)
    const claim = mallory.sybil.says({ kind: 'claim', election: 'master', epoch: 2, incarnation: 1, sequence: 1 }, victim)
    const [first, ...rest] = certify(others.map((other) => other.suspects(victim, 1) as never)).accusers
    const death = { suspect: victim, incarnation: 1, accusers: [{ ...first!, signature: new Uint8Array(64) }, ...rest] }
    const frames = [
      told([left]),
      told([claim]),
      { facts: { facts: [{ certificate: certificateToWire(death), ageSeconds: 0 }], fresh: true } },
    ]
    let sent = 0
    await attack(links, (turn) => {
      for (const link of links) if (link.send(frames[turn % frames.length]!)) sent += 1
    })
    return `${sent} forgeries sent`
  },
}
