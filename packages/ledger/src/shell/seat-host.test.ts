import { expect, it } from 'vitest'
import { fastDigest } from '../../test/digest.ts'
import { newSeat, restore, type StoreRecord } from '../core/store.ts'
import type { Store } from '../store/store.ts'
import { SeatHost } from './seat-host.ts'

const LEDGER = `1-${'0'.repeat(32)}`
const first = newSeat(fastDigest, {
  ledger: LEDGER,
  id: 'me',
  nonce: '01',
  configuration: { groups: [{ seats: ['me/01', 'b/1', 'c/1'] }] },
})

/** A seat whose writes are synced, or fail, when the test says so. */
function setUp() {
  const writes: (PromiseWithResolvers<void> & { readonly record: StoreRecord })[] = []
  const store: Store = {
    isDurable: true,
    async write(record) {
      const write = { record, ...Promise.withResolvers<void>() }
      writes.push(write)
      await write.promise
    },
    close: async () => await Promise.resolve(),
  }
  const sent: string[] = []
  const stopped: string[] = []
  const durable = restore([first])
  if (durable === undefined) throw new Error('no seat')
  const host = new SeatHost({ digest: fastDigest, random: () => 0.5, clock: { now: () => 0 } }, durable, store, {
    send: (to, { type }) => sent.push(`${type} to ${to}`),
    committed: () => {},
    installed: () => {},
    led: () => {},
    noMajority: () => {},
    stopped: (code, error) => stopped.push(`${code} ${error?.message}`),
  })
  const vote = (from: string, term: number): void =>
    host.deliver({ type: 'message', ledger: LEDGER, from, to: 'me/01', message: { type: 'vote', term, lastIndex: 0, lastTerm: 0 } })
  return { host, writes, sent, stopped, vote }
}

const turn = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve))

it('a vote leaves when it is synced, and not before', async () => {
  const { host, writes, sent, vote } = setUp()
  vote('b/1', 1)
  await turn()
  expect(sent).toEqual([])
  for (const { resolve } of writes) resolve()
  await turn()
  expect(sent).toEqual(['voted to b/1'])
  host.stop()
})

it('a vote whose write fails never leaves, and the seat stops for good', async () => {
  const { host, writes, sent, stopped, vote } = setUp()
  vote('b/1', 1)
  for (const { reject } of writes) reject(new Error('no space'))
  await turn()
  expect(stopped).toEqual(['LEDGER_WRITE_FAILED no space'])
  vote('c/1', 2)
  await turn()
  expect(sent).toEqual([])
  host.stop()
})
