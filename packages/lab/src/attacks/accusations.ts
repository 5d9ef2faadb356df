/**
 * Attacks by accusations: the attacker accuses living members, or asks for endless probes of them.
 */
import { decodeId } from '@jel/protocol'
import { statementToWire } from '@jel/protocol/internals'
import { death } from './frames.ts'
import { Sybil } from './sybil.ts'
import type { Attack } from './trial.ts'

/** Number of members of the coalition: the size of the largest quorum. */
const COALITION = 4

const loneWitness: Attack = {
  name: 'accusers that are no members',
  does: 'is one member that suspects every node, and sends certificates that are signed by made-up keys',
  bound: 'only members count as accusers, and each member counts once: no node is declared dead',
  run: async ({ pool, everywhere, attack }) => {
    const { mallory, links } = await everywhere()
    const strangers = Array.from({ length: 7 }, () => new Sybil(pool.name))
    const frames = pool.addresses.flatMap((_, i) => {
      const suspicion = mallory.sybil.suspects(pool.id(i), 1)
      return [
        { alarm: { statements: [statementToWire(suspicion)] } },
        death([suspicion, ...strangers.map((stranger) => stranger.suspects(pool.id(i), 1))]),
      ]
    })
    let sent = 0
    await attack(links, (turn) => {
      // The attack stays below the frame limit. Above the limit, the pool would end the link at
      // once.
      if (turn % 5 === 0) for (const link of links) if (link.send(frames[(turn / 5) % frames.length]!)) sent += 1
    })
    return `${sent} accusations`
  },
}

const coalition: Attack = {
  name: 'a coalition of accusers',
  does: 'is four members that together sign the death of a living node, once a second, for one incarnation after the other',
  bound: 'the victim enters again after each certificate, and is in every view at the end',
  endsLives: true,
  run: async ({ pool, enter, sleep, isOver }) => {
    const members = await Promise.all(Array.from({ length: COALITION }, (_, i) => enter(i)))
    await sleep(500)
    let certificates = 0
    for (let incarnation = 1; !isOver(); incarnation++) {
      const certificate = death(members.map(({ mallory }) => mallory.sybil.suspects(pool.id(), incarnation)))
      for (const { link } of members) link.send(certificate)
      certificates += 1
      await sleep(1_000)
    }
    return `${certificates} deaths certified`
  },
}

const alarmFlood: Attack = {
  name: 'alarms without end',
  does: 'asks every node to probe 32 nodes at a time, and sends every node accusations of that node at 16 heartbeats, near the limit of frames a second',
  bound: 'a node makes a bounded number of probes a second on the request of one member',
  run: async ({ pool, everywhere, attack }) => {
    const { mallory, links } = await everywhere()
    const subjects = Array.from({ length: 32 }, (_, i) => decodeId(pool.id(i)) as Uint8Array<ArrayBuffer>)
    const suspicions = pool.addresses.map((_, i) =>
      Array.from({ length: 16 }, (_, heartbeat) => statementToWire(mallory.sybil.suspects(pool.id(i), 1, heartbeat))),
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

export const byAccusers: readonly Attack[] = [loneWitness, coalition]
export { alarmFlood }
