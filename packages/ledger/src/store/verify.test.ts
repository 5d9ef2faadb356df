import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { encodeConfiguration } from '../core/configuration.ts'
import { chain, VOTERS, type Entry } from '../core/entry.ts'
import { newSeat, type StoreRecord } from '../core/store.ts'
import { FileStore } from './file.ts'
import { verifyFile } from './verify.ts'

const folder = mkdtempSync(join(tmpdir(), 'jel-'))
afterAll(() => rmSync(folder, { recursive: true }))

const ID = '12D3KooWmember'
const SEAT = `${ID}/0a`
const digest = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest()
const first = newSeat(digest, { ledger: `1-${'0'.repeat(32)}`, id: ID, nonce: '0a', configuration: { groups: [{ seats: [SEAT] }] } })
const orders = (...terms: readonly number[]) => terms.map((term) => ({ term, kind: 'order', body: new Uint8Array([term]) }))
const entries: readonly Entry[] = chain(digest, first.snapshot.hash, [
  ...orders(1, 1),
  { term: 2, kind: VOTERS, body: encodeConfiguration({ groups: [{ seats: [SEAT, 'other/0b', 'third/0c'] }] }) },
  ...orders(2),
])
/** The last entry of another history. */
const [other] = chain(digest, entries[0]?.hash ?? '', orders(3)) as [Entry]

let count = 0

/** Writes a file as a seat does, each record with a write of its own, and returns its path. */
async function written(...records: readonly StoreRecord[]): Promise<string> {
  const path = join(folder, `${count++}.ledger`)
  const { store } = await FileStore.open(path, 'render', ID, true)
  for (const record of [first, ...records]) await store.write(record)
  await store.close()
  return path
}

it('a sound file gives the seat, its term, its last entry and the voters in force', async () => {
  const path = await written(
    { type: 'vote', term: 2, votedFor: 'other/0b' },
    { type: 'entries', first: 1, entries: entries.slice(0, 3) },
    { type: 'entries', first: 4, entries: entries.slice(3) },
  )
  expect(await verifyFile(path)).toEqual({
    pool: 'render',
    id: ID,
    ledger: first.ledger,
    seat: SEAT,
    term: 2,
    votedFor: 'other/0b',
    snapshotIndex: 0,
    lastIndex: 4,
    lastHash: entries[3]?.hash,
    configuration: { groups: [{ seats: [SEAT, 'other/0b', 'third/0c'] }] },
    voters: [SEAT, 'other/0b', 'third/0c'],
    torn: 0,
  })
})

it('entries that replace others, and those behind a snapshot, continue what is before them', async () => {
  const snapshot = { index: 2, term: 3, hash: other.hash, configuration: first.snapshot.configuration, state: new Uint8Array([1]) }
  const path = await written(
    { type: 'entries', first: 1, entries },
    { type: 'entries', first: 2, entries: [other] },
    { type: 'snapshot', snapshot },
    { type: 'entries', first: 3, entries: chain(digest, other.hash, orders(3)) },
  )
  expect(await verifyFile(path)).toMatchObject({ term: 3, snapshotIndex: 2, lastIndex: 3, voters: [SEAT] })
})

it('a torn last write is counted, and the file is as it was', async () => {
  const path = await written({ type: 'entries', first: 1, entries })
  const torn = readFileSync(path).subarray(0, -5)
  writeFileSync(path, torn)
  const verified = await verifyFile(path)
  expect(verified).toMatchObject({ lastIndex: 0, lastHash: first.snapshot.hash })
  expect(verified.torn).toBeGreaterThan(100)
  expect(readFileSync(path).equals(torn)).toBe(true)
})

it('a changed byte before the last write is found, and the file is as it was', async () => {
  const path = await written(
    { type: 'entries', first: 1, entries: entries.slice(0, 2) },
    { type: 'entries', first: 3, entries: entries.slice(2) },
  )
  const bytes = readFileSync(path)
  const at = bytes.indexOf('"entries"')
  bytes[at + 1] = (bytes[at + 1] ?? 0) ^ 1
  writeFileSync(path, bytes)
  await expect(verifyFile(path)).rejects.toMatchObject({ code: 'LEDGER_CORRUPT', message: expect.stringMatching(/damaged at byte \d+$/u) })
  expect(readFileSync(path).equals(bytes)).toBe(true)
})

it.each<[string, readonly StoreRecord[], RegExp]>([
  [
    'an entry of another history',
    [{ type: 'entries', first: 1, entries: [...entries.slice(0, 1), { ...other, term: 4 }] }],
    /an entry 2 that does not follow/u,
  ],
  ['a missing entry', [{ type: 'entries', first: 2, entries: entries.slice(1) }], /lacks the entry before 2/u],
])('with a right checksum, too, it finds %s', async (_, records, message) => {
  await expect(verifyFile(await written(...records))).rejects.toMatchObject({
    code: 'LEDGER_CORRUPT',
    message: expect.stringMatching(message),
  })
})

it('the seat of another member is found', async () => {
  const path = join(folder, 'foreign.ledger')
  const { store } = await FileStore.open(path, 'render', 'somebody', true)
  await store.write(first)
  await store.close()
  await expect(verifyFile(path)).rejects.toMatchObject({ code: 'LEDGER_CORRUPT', message: expect.stringContaining('a seat of its member') })
})

it.each([
  ['is missing', undefined],
  ['is empty', ''],
  ['is of another form', '{"format":"jel-ledger/2","pool":"p","id":"x"}\n'],
])('a file that %s is refused', async (_, content) => {
  const path = join(folder, `${count++}.other`)
  if (content !== undefined) writeFileSync(path, content)
  await expect(verifyFile(path)).rejects.toMatchObject({ code: 'LEDGER_FILE', message: expect.stringContaining(path) })
})
