import { expect, it } from 'vitest'
import { decodeRecords, encodeRecords } from '../store/records.ts'
import { decodeValue, encodeValue } from './codec.ts'
import { frame } from './frames.ts'

const ledger = `1-${'0'.repeat(32)}`
const hash = 'f'.repeat(32)
const append = {
  type: 'append',
  term: 3,
  prevIndex: 1,
  prevTerm: 2,
  prevHash: hash,
  entries: [{ term: 3, kind: 'order', body: Uint8Array.from({ length: 256 }, (_, at) => at) }],
  commit: 1,
  round: 0,
}
const parties = { type: 'parties', ledger, from: 'a/1', to: 'b/1' }

it.each([append, parties])('frames come back as they were, with all bytes', (each) => {
  expect(decodeValue(frame, encodeValue(each))).toEqual(each)
})

it.each<[string, unknown]>([
  ['a term that is negative', { ...append, term: -1 }],
  ['a term above the highest', { ...append, term: 2 ** 49 }],
  ['too many entries', { ...append, entries: Array.from({ length: 65 }, () => append.entries[0]) }],
  ['a body that is too long', { ...append, entries: [{ term: 1, kind: 'order', body: new Uint8Array(4097) }] }],
  ['a body that is no bytes', { ...append, entries: [{ term: 1, kind: 'order', body: [1, 2] }] }],
  ['another form of a ledger', { ...parties, ledger: '../etc' }],
  ['a party without a name', { ...parties, from: '' }],
  ['a hash that is none', { ...append, prevHash: 'x' }],
  ['an unknown message', { type: 'obey' }],
  ['bytes that are no base64', { ...append, entries: [{ term: 1, kind: 'order', body: { '~': '%' } }] }],
  ['bytes that are a number', { ...append, entries: [{ term: 1, kind: 'order', body: { '~': 7 } }] }],
  ['null', null],
])('refuses %s', (_, value) => {
  expect(decodeValue(frame, encodeValue(value as object))).toBeUndefined()
})

it('refuses bytes that are no text, and deep nests', () => {
  expect(decodeValue(frame, new Uint8Array([255, 254]))).toBeUndefined()
  expect(decodeValue(frame, new TextEncoder().encode('['.repeat(200_000)))).toBeUndefined()
})

it('a vote for nobody comes back from a store', () => {
  const records = [{ type: 'vote', term: 4, votedFor: undefined }] as const
  expect(decodeRecords(encodeRecords(records))).toEqual(records)
})
