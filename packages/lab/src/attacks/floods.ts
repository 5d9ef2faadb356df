/** Attacks by large numbers: of members, broadcasts, signals and elections. */
import { encodeFrame, poolNames } from '@jel/overlay/internals'
import { statementToWire, wire, type Statement } from '@jel/protocol/internals'
import { Sybil, told } from './sybil.ts'
import type { Attack } from './trial.ts'

/**
 * Maximum number of joins of one attack. `prepare` makes them before the measurement. To make key
 * pairs and signatures takes longer than to send the joins.
 */
const MOST_JOINS = 20_000
/** Maximum number of new members a second that one peer may introduce: the protocol's default. */
const JOINS_PER_SECOND = 50

export const millionJoins: Attack = {
  name: 'a million joins',
  does: 'announces made-up members, each with a valid signature, as fast as the pool takes them',
  bound: 'the view grows by a bounded number of members a second, and newcomers can still enter',
  staysOpen: true,
  // The bound is the rate times a span: the three phases, `before` once more, and 30 s. A full
  // token bucket holds the members of 10 s. The remaining time allows for a busy machine.
  check: ({ after }, { before, during, after: rest }) =>
    after.figures.strangers > JOINS_PER_SECOND * (30 + (2 * before + during + rest) / 1_000)
      ? 'the view grew faster than it may'
      : undefined,
  prepare: (pool, { during }) => Array.from({ length: Math.min(MOST_JOINS, during * 2) }, () => new Sybil(pool).joins()),
  run: async ({ enter, attack, prepared }) => {
    const joins = prepared as readonly Statement[]
    const { link } = await enter()
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

/**
 * Encodes one field of a gossipsub message by hand: RPC { subscriptions: [{ subscribe, topic }],
 * publish: [{ data, topic }] }.
 */
function field(number: number, bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Uint8Array.of((number << 3) | 2), encodeFrame(bytes)])
}

export const broadcastFlood: Attack = {
  name: 'a flood of broadcasts',
  does: 'publishes valid batches, each with another nonce and every second one with a new statement, so that all nodes forward them',
  bound: 'each node takes a bounded number of messages a second from each link, and forwards only those',
  run: async ({ pool, enter, attack, sleep }) => {
    const { mallory, link } = await enter()
    await sleep(100)
    const topic = Buffer.from(poolNames(pool.name).topic)
    const stream = await link.connection.newStream(['/meshsub/1.2.0', '/meshsub/1.1.0', '/meshsub/1.0.0'])
    const send = (rpc: Uint8Array): void => {
      if (stream.writeStatus === 'writable' && stream.writeBufferLength < 262_144) stream.send(encodeFrame(rpc))
    }
    send(field(1, Buffer.concat([Uint8Array.of(8, 1), field(2, topic)])))
    let sent = 0
    const news = (): Statement =>
      mallory.sybil.says({ kind: 'candidacy', election: 'flood', incarnation: 1, sequence: sent + 1, withdrawn: false })
    await attack([link], () => {
      for (let i = 0; i < 20; i++) {
        const facts = sent % 2 === 0 ? [{ statement: statementToWire(news()), ageSeconds: 0 }] : []
        const data = wire.Broadcast.encode({ nonce: sent, facts })
        send(field(2, Buffer.concat([field(2, data), field(4, topic)])))
        sent += 1
      }
    })
    return `${sent} messages published`
  },
}

export const signalFlood: Attack = {
  name: 'signals without end',
  does: 'signals every member as fast as it can',
  bound: 'a node reads at most 200 frames a second, and answers the attacker only',
  run: async ({ everywhere, attack }) => {
    const { links } = await everywhere()
    let [sent, answered] = [0, 0]
    for (const link of links)
      link.onFrame = ({ signalAck }) => {
        if (signalAck !== undefined) answered += 1
      }
    await attack(links, () => {
      for (const link of links) if (link.send({ signal: { reference: sent, name: 'boo' } })) sent += 1
    })
    return `${sent} signals, ${answered} receipts`
  },
}

export const electionNames: Attack = {
  name: 'elections that nobody wants',
  does: 'is a candidate and claims the reign in ten thousand elections with made-up names',
  bound: 'nodes keep few of the elections, and honest nodes can still elect, also in new elections',
  run: async ({ pool, enter, attack, breach }) => {
    const { mallory, link } = await enter()
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
    const time = await pool.remote.elects('new')
    if (Number.isNaN(time)) breach('an honest node was not elected')
    return `${sent} elections made up; a new one of an honest node took ${time.toFixed(0)} ms`
  },
}
