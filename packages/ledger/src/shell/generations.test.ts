import { expect, it } from 'vitest'
import { fastDigest } from '../../test/digest.ts'
import { chain } from '../core/entry.ts'
import { Log } from '../core/log.ts'
import type { StoreRecord } from '../core/store.ts'
import { encode } from '../fold/bodies.ts'
import type { LedgerEvent } from '../fold/events.ts'
import { memoryStore, type Store } from '../store/store.ts'
import { Applied } from './applied.ts'
import { Generations, NewBeginning } from './generations.ts'
import type { Participation } from './participation.ts'

const LEDGER = `1-${'0'.repeat(32)}`

/**
 * A member with one of three voters' seats that has lost the other two. It has applied the join of
 * `a`, and has a message of `a` in its log.
 */
async function setUp(store: Store = memoryStore) {
  const events: LedgerEvent[] = []
  const applied = new Applied(fastDigest, LEDGER, () => ({ id: 'a', incarnation: 1 }), {
    onEvents: (news) => events.push(...news),
    onInstalled: () => {},
    onAdvanced: () => {},
  })
  const entries = chain(fastDigest, applied.end.hash, [
    { ...encode('join', { statement: 'AAAA' }), term: 1 },
    { ...encode('order', { id: 'a', incarnation: 1, number: 1, name: 'row', payload: '' }), term: 1 },
  ])
  applied.commit(1, entries.slice(0, 1))
  const { index, term, hash } = { index: 0, term: 0, hash: new Applied(fastDigest, LEDGER, () => undefined, {} as never).end.hash }
  const log = new Log({ index, term, hash, configuration: { groups: [] }, state: new Uint8Array() }, entries)
  const closed: Error[] = []
  const part = {
    ledger: LEDGER,
    applied,
    voters: { groups: [{ seats: ['a/1', 'b/1', 'c/1'] }] },
    seats: { all: new Set(['a/1']) },
    seat: { state: { log } },
    close: async (why: Error) => void closed.push(why),
  } as unknown as Participation
  const started: { readonly records: readonly StoreRecord[]; readonly store: Store }[] = []
  const warned: string[] = []
  const generations = new Generations({
    port: { self: { id: 'a' }, members: () => [] } as never,
    store,
    participate: async (_, records, of) => {
      started.push({ records, store: of })
      return part
    },
    warn: (code) => warned.push(code),
  })
  await generations.begin({ ledger: LEDGER }, [])
  return { generations, events, closed, started, warned }
}

it('a recovery keeps the entries of its member, also those that it does not know to be committed', async () => {
  const { generations, events, closed, started } = await setUp()
  expect(events.map(({ type }) => type)).toEqual(['joined'])
  await generations.recover(2, false)
  expect(events.map(({ type }) => type)).toEqual(['joined', 'ordered'])
  expect(started.at(-1)?.records).toMatchObject([{ type: 'seat', snapshot: { index: 2 + 2 ** 32 } }])
  expect(closed).toEqual([expect.any(NewBeginning)])
})

it('a member whose disk takes no file goes on in memory, and says so', async () => {
  const written: StoreRecord[] = []
  const full: Store = {
    isDurable: true,
    write: async (record) => {
      written.push(record)
      await Promise.reject(new Error('no space left'))
    },
    close: async () => {},
  }
  const { generations, started, warned } = await setUp(full)
  await generations.recover(2, false)
  expect(started.at(-1)?.store).toBe(memoryStore)
  // The file may have the seat of the first try. After a restart it must not go on beside this one.
  const [tried, taken] = [written[0], started.at(-1)?.records[0]] as const
  expect(taken).toMatchObject({
    type: 'seat',
    ledger: expect.stringMatching(/^2-/u),
    snapshot: { configuration: { groups: [{ seats: [expect.any(String)] }] } },
  })
  expect(tried?.type === 'seat' && taken?.type === 'seat' && tried.ledger !== taken.ledger && tried.seat !== taken.seat).toBe(true)
  expect(warned).toEqual(['LEDGER_WRITE_FAILED', 'LEDGER_RECOVERED'])
})

it('a second recovery is refused while the first one is under way, and a close waits for it', async () => {
  const { generations, closed, started } = await setUp()
  const recovered = generations.recover(2, false)
  const second = generations.recover(2, false)
  const left = generations.close(new Error('it leaves'))
  await expect(second).rejects.toMatchObject({ code: 'LEDGER_RECOVERY' })
  await Promise.all([recovered, left])
  expect(closed.map(({ message }) => message)).toEqual(['a new generation of the ledger has begun', 'it leaves'])
  // It takes no part in the new one.
  expect(started).toHaveLength(1)
})

it('what waits for a change resolves when it is over', async () => {
  const { generations, started } = await setUp()
  const recovered = generations.recover(2, false)
  expect(started).toHaveLength(1)
  await generations.changed
  expect(started).toHaveLength(2)
  await recovered
})
