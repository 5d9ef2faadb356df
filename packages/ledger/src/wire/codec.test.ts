import { expect, it } from 'vitest'
import { decodeRecords, encodeRecords } from '../store/records.ts'
import { decodeValue, encodeValue } from './codec.ts'
import { envelope, type Envelope } from './frames.ts'

const ledger = `1-${'0'.repeat(32)}`
const hash = 'f'.repeat(32)
const append: Envelope = {
  type: 'message',
  ledger,
  from: 'a/1',
  to: 'b/1',
  message: {
    type: 'append',
    term: 3,
    prevIndex: 1,
    prevTerm: 2,
    prevHash: hash,
    entries: [{ term: 3, kind: 'order', body: Uint8Array.from({ length: 256 }, (_, at) => at) }],
    commit: 1,
    round: 0,
  },
}

it('envelopes come back as they were, with all bytes', () => {
  expect(decodeValue(envelope, encodeValue(append))).toEqual(append)
})

it.each<[string, unknown]>([
  ['a term that is negative', { ...append, message: { ...append.message, term: -1 } }],
  ['a term above the highest', { ...append, message: { ...append.message, term: 2 ** 49 } }],
  ['too many entries', { ...append, message: { ...append.message, entries: Array.from({ length: 65 }, () => append.message) } }],
  [
    'a body that is too long',
    { ...append, message: { ...append.message, entries: [{ term: 1, kind: 'order', body: new Uint8Array(4097) }] } },
  ],
  ['a body that is no bytes', { ...append, message: { ...append.message, entries: [{ term: 1, kind: 'order', body: [1, 2] }] } }],
  ['another form of a ledger', { ...append, ledger: '../etc' }],
  ['a hash that is none', { ...append, message: { ...append.message, prevHash: 'x' } }],
  ['an unknown message', { ...append, message: { type: 'obey' } }],
  ['bytes that are no base64', { ...append, message: { ...append.message, entries: [{ term: 1, kind: 'order', body: { '~': '%' } }] } }],
  ['bytes that are a number', { ...append, message: { ...append.message, entries: [{ term: 1, kind: 'order', body: { '~': 7 } }] } }],
  ['null', null],
])('refuses %s', (_, value) => {
  expect(decodeValue(envelope, encodeValue(value as object))).toBeUndefined()
})

it('refuses bytes that are no text, and deep nests', () => {
  expect(decodeValue(envelope, new Uint8Array([255, 254]))).toBeUndefined()
  expect(decodeValue(envelope, new TextEncoder().encode('['.repeat(200_000)))).toBeUndefined()
})

it('a vote for nobody comes back from a store', () => {
  const records = [{ type: 'vote', term: 4, votedFor: undefined }] as const
  expect(decodeRecords(encodeRecords(records))).toEqual(records)
})
