import type { StreamHandler } from '@jel/overlay'
import type { Stream } from '@libp2p/interface'
import { streamPair } from '@libp2p/utils'
import { afterEach, expect, it } from 'vitest'
import type { Envelope } from '../wire/frames.ts'
import { Transport } from './transport.ts'

const ledger = (generation: number) => `${generation}-${'0'.repeat(32)}`
const from = `12D3KooW${'a'.repeat(44)}/1`
const to = `12D3KooW${'b'.repeat(44)}/1`
const heartbeat = (round: number, parties: Partial<Envelope> = {}): Envelope => ({
  ledger: ledger(1),
  from,
  to,
  message: { type: 'append', term: 1, prevIndex: 9, prevTerm: 1, prevHash: 'f'.repeat(32), entries: [], commit: 9, round },
  ...parties,
})

const open: Transport[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map(async (each) => await each.close()))
})

/** Two transports, the second of which only listens. */
async function pair() {
  const received: Envelope[] = []
  const streams: Stream[] = []
  let bytes = 0
  let fails = 0
  let serve: StreamHandler = () => {}
  const listener = new Transport(
    {
      handle: async (_, handler) => void (serve = handler),
      unhandle: async () => {},
      open: async () => await Promise.reject(new Error('never')),
    },
    { onEnvelope: (_, envelope) => received.push(envelope), onEnded: () => {} },
  )
  const sender = new Transport(
    {
      handle: async () => {},
      unhandle: async () => {},
      open: async () => {
        if (fails-- > 0) throw new Error('it can not be reached')
        const [near, far] = await streamPair()
        const send = near.send.bind(near)
        near.send = (data) => {
          bytes += data.byteLength
          return send(data)
        }
        streams.push(near)
        void serve(far, 'a')
        return near
      },
    },
    { onEnvelope: () => {}, onEnded: () => {} },
  )
  open.push(listener, sender)
  await listener.start()
  const all = async (count: number) => await expect.poll(() => received.length).toBe(count)
  return { sender, received, streams, all, bytes: () => bytes, failOnce: () => (fails = 1) }
}

it('messages arrive with their parties, which may change from one to the next', async () => {
  const { sender, received, all } = await pair()
  const sent = [
    heartbeat(0),
    heartbeat(1),
    heartbeat(2, { to: to.replace('/1', '/2') }),
    heartbeat(3, { from: from.replace('/1', '/2') }),
    heartbeat(4, { ledger: ledger(2) }),
    heartbeat(5),
  ]
  for (const each of sent.slice(0, 3)) sender.send('b', each)
  await all(3)
  for (const each of sent.slice(3)) sender.send('b', each)
  await all(6)
  expect(received).toMatchObject(sent)
})

it('a heartbeat does not name its parties again', async () => {
  const { sender, all, bytes } = await pair()
  sender.send('b', heartbeat(0))
  await all(1)
  const first = bytes()
  for (let round = 1; round <= 10; round++) sender.send('b', heartbeat(round))
  await all(11)
  expect(first).toBeGreaterThan(300)
  expect((bytes() - first) / 10).toBeLessThan(150)
})

it('a new stream names the parties anew', async () => {
  const { sender, received, streams, all } = await pair()
  sender.send('b', heartbeat(0))
  await all(1)
  streams[0]?.abort(new Error('cut'))
  await expect
    .poll(() => {
      sender.send('b', heartbeat(1))
      return received.length
    })
    .toBeGreaterThan(1)
  expect(received.at(-1)).toMatchObject(heartbeat(1))
})

it('a member that was not reached at first gets the parties, too', async () => {
  const { sender, received, failOnce } = await pair()
  failOnce()
  sender.send('b', heartbeat(0))
  await expect
    .poll(() => {
      sender.send('b', heartbeat(1))
      return received.length
    })
    .toBeGreaterThan(0)
  expect(received[0]).toMatchObject(heartbeat(1))
})
