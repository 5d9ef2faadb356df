import { encodeFrame, poolNames } from '@jel/overlay/internals'
import { statementToWire, wire, type Statement } from '@jel/protocol/internals'
import type { Attack } from '../trial.ts'

/**
 * Encodes by hand a field of a gossipsub message: RPC { subscriptions: [{ subscribe, topic }],
 * publish: [{ data, topic }] }.
 */
function field(number: number, bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Uint8Array.of((number << 3) | 2), encodeFrame(bytes)])
}

export const broadcastFlood: Attack = {
  name: 'a flood of broadcasts',
  does: 'publishes valid batches, each with another nonce and every other one with news, so that all forward them',
  bound: 'each node takes a bounded number a second from each link, and forwards no more',
  run: async ({ pool, attacker, attack, sleep }) => {
    const mallory = await attacker()
    const link = await mallory.enter(pool.address())
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
        const data = wire.Broadcast.encode({
          nonce: sent,
          facts: sent % 2 === 0 ? [{ statement: statementToWire(news()), ageSeconds: 0 }] : [],
        })
        send(field(2, Buffer.concat([field(2, data), field(4, topic)])))
        sent += 1
      }
    })
    return `${sent} messages published`
  },
}
