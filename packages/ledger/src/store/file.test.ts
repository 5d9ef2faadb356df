import { appendFileSync, chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { fastDigest } from '../../test/digest.ts'
import { chain } from '../core/entry.ts'
import { newSeat, restore, type StoreRecord } from '../core/store.ts'
import { FileStore } from './file.ts'

const folder = mkdtempSync(join(tmpdir(), 'jel-ledger-file-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const LEDGER = `1-${'ab'.repeat(16)}`
const seat = newSeat(fastDigest, { ledger: LEDGER, id: 'me', nonce: '01', configuration: { groups: [{ seats: ['me/01'] }] } })
const entries = chain(
  fastDigest,
  seat.snapshot.hash,
  [1, 2, 3].map((at) => ({ term: 1, kind: 'order', body: new Uint8Array([at, 255]) })),
)
const records: readonly StoreRecord[] = [
  seat,
  { type: 'vote', term: 1, votedFor: 'me/01' },
  { type: 'entries', first: 1, entries },
  { type: 'vote', term: 2, votedFor: undefined },
]
let path = ''
let count = 0
beforeEach(() => void (path = join(folder, `${count++}.ledger`)))

async function open(id = 'me', pool = 'p') {
  return await FileStore.open(path, pool, id, true)
}

/** Writes each record, syncing it before the next one. */
async function fill(): Promise<void> {
  const { store } = await open()
  for (const record of records) await store.write(record)
  await store.close()
}

describe('the file of a seat', () => {
  it('has what was written, in its order', async () => {
    await fill()
    const opened = await open()
    expect(opened.records).toEqual(records)
    const durable = restore(opened.records)
    expect(durable).toMatchObject({ seat: 'me/01', term: 2, votedFor: undefined })
    expect(durable?.log.lastIndex).toBe(3)
    await opened.store.close()
  })

  it('is for its owner alone', async () => {
    await fill()
    chmodSync(path, 0o644)
    await expect(open()).rejects.toMatchObject({ code: 'LEDGER_FILE', message: expect.stringContaining('chmod 600') })
  })

  it.each([
    ['another member', 'you', 'p'],
    ['another pool', 'me', 'q'],
  ])('of %s is refused, and left as it is', async (_, id, pool) => {
    await fill()
    const before = readFileSync(path)
    await expect(open(id, pool)).rejects.toMatchObject({ code: 'LEDGER_FILE' })
    expect(readFileSync(path)).toEqual(before)
  })

  it('that was torn at any byte of its last write has all writes before it', async () => {
    await fill()
    const whole = readFileSync(path)
    const { store } = await open()
    await store.write({ type: 'vote', term: 9, votedFor: undefined })
    await store.close()
    const longer = readFileSync(path)
    for (let length = whole.length; length < longer.length; length++) {
      writeFileSync(path, longer.subarray(0, length))
      const opened = await open()
      expect(opened.records).toEqual(records)
      // The next write comes behind the last whole one.
      await opened.store.write({ type: 'vote', term: 10, votedFor: undefined })
      await opened.store.close()
      const again = await open()
      expect(again.records).toEqual([...records, { type: 'vote', term: 10, votedFor: undefined }])
      await again.store.close()
    }
  })

  it('with zeros or noise behind the last whole write has all writes before them', async () => {
    await fill()
    for (const noise of [new Uint8Array(4096), Uint8Array.from({ length: 300 }, (_, at) => (at * 97) % 251)]) {
      appendFileSync(path, noise)
      const opened = await open()
      expect(opened.records).toEqual(records)
      await opened.store.close()
    }
  })

  it('that is damaged before its last write is refused, and left as it is', async () => {
    await fill()
    const whole = readFileSync(path)
    const start = whole.indexOf('\n') + 1
    const last = whole.lastIndexOf('JEL\u0001')
    for (let at = start; at < last; at += 7) {
      const damaged = Buffer.from(whole)
      damaged[at] = (damaged[at] as number) ^ 0x10
      writeFileSync(path, damaged)
      await expect(open(), `byte ${at}`).rejects.toMatchObject({ code: 'LEDGER_CORRUPT' })
      expect(readFileSync(path)).toEqual(damaged)
    }
  })

  it('is replaced as a whole by a snapshot, with what was written behind it', async () => {
    await fill()
    const { store } = await open()
    const snapshot = { ...seat.snapshot, index: 2, term: 1, hash: entries[1]?.hash ?? '', state: new Uint8Array([7]) }
    const whole: readonly StoreRecord[] = [seat, { type: 'snapshot', snapshot }, { type: 'entries', first: 3, entries: entries.slice(2) }]
    const size = readFileSync(path).length
    await Promise.all([
      store.write({ type: 'vote', term: 3, votedFor: undefined }),
      store.write({ type: 'snapshot', snapshot }, whole),
      store.write({ type: 'vote', term: 4, votedFor: undefined }),
    ])
    await store.close()
    const opened = await open()
    expect(opened.records.slice(0, 3)).toEqual(whole)
    expect(restore(opened.records)).toMatchObject({ term: 4 })
    await opened.store.close()
    expect(readFileSync(path).length).toBeLessThan(2 * size)
  })

  it('tells a member that never promised anything from one that lost its store', async () => {
    const first = await FileStore.open(path, 'p', 'me', true)
    await first.store.close()
    // The next life finds the empty file.
    const second = await FileStore.open(path, 'p', 'me', false)
    await second.store.close()
    rmSync(path)
    const lost = await FileStore.open(path, 'p', 'me', false)
    await lost.store.close()
    const again = await FileStore.open(path, 'p', 'me', false)
    await again.store.write(seat, [seat])
    await again.store.close()
    const full = await open()
    await full.store.close()
    expect([first, second, lost, again, full].map(({ isNew }) => isNew)).toEqual([true, true, false, false, false])
    expect(full.records).toEqual([seat])
  })

  it('takes nothing after a failure', async () => {
    await fill()
    const { store } = await open()
    await store.close()
    await expect(store.write({ type: 'vote', term: 3, votedFor: undefined })).rejects.toThrow('closed')
    await expect(FileStore.open(join(path, 'no-folder'), 'p', 'me', true)).rejects.toMatchObject({ code: 'LEDGER_FILE' })
  })

  it('with records of an unknown form is refused', async () => {
    const { store } = await open()
    await store.write({ type: 'vote', term: -1, votedFor: undefined })
    await store.close()
    await expect(open()).rejects.toMatchObject({ code: 'LEDGER_CORRUPT' })
  })
})
