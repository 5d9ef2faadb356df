import { decodeId } from '@jel/protocol'
import { statementToWire } from '@jel/protocol/internals'
import type { Attack } from '../trial.ts'

export const alarmFlood: Attack = {
  name: 'alarms without end',
  does: 'asks every node to probe every other for it, 32 at a time, and accuses who it talks to at 16 beats, near the limit of frames a second',
  bound: 'a node probes others on the word of one a bounded number of times a second',
  run: async ({ pool, attacker, attack }) => {
    const mallory = await attacker()
    const links = await Promise.all(pool.addresses.map(async (address) => await mallory.enter(address)))
    const subjects = Array.from({ length: 32 }, (_, i) => decodeId(pool.id(i)) as Uint8Array<ArrayBuffer>)
    const suspicions = pool.addresses.map((_, i) =>
      Array.from({ length: 16 }, (_, beat) => statementToWire(mallory.sybil.suspects(pool.id(i), 1, beat))),
    )
    let sent = 0
    await attack(links, (turn) => {
      if (turn % 3 > 0) return
      for (const [i, link] of links.entries())
        for (const frame of [{ alarm: { statements: suspicions[i]! } }, { pingReq: { subjects } }]) if (link.send(frame)) sent += 1
    })
    return `${sent} alarms of 16 entries, and requests of 32`
  },
}
