import type { Statement } from '@jel/protocol/internals'
import type { Attack } from '../trial.ts'
import { Sybil, told } from '../sybil.ts'

/** Made beforehand: key pairs and signatures take longer than sending them. */
const most = 20_000

/** New members that one peer may introduce a second: the default. */
const perSecond = 50

export const millionJoins: Attack = {
  name: 'a million joins',
  does: 'tells of members that it makes up, each properly signed, as fast as they are taken',
  bound: 'the view grows by a bounded number a second, and newcomers still get in',
  staysOpen: true,
  // Allows for bursts of 10 s and for a busy machine.
  check: ({ after }, { before, during, after: rest }) =>
    after.figures.strangers > perSecond * (30 + (2 * before + during + rest) / 1_000) ? 'the view grew faster than it may' : undefined,
  prepare: (pool, { during }) => Array.from({ length: Math.min(most, during * 2) }, () => new Sybil(pool).joins()),
  run: async ({ pool, attacker, attack, prepared }) => {
    const joins = prepared as readonly Statement[]
    const mallory = await attacker()
    const link = await mallory.enter(pool.address())
    let sent = 0
    await attack([link], () => {
      if (sent >= joins.length) return false
      link.send(told(joins.slice(sent, sent + 500)))
      sent += 500
      return true
    })
    return `${sent} joins sent`
  },
}
