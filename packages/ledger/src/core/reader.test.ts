import { expect, it } from 'vitest'
import { fastDigest } from '../../test/digest.ts'
import { encodeConfiguration } from './configuration.ts'
import { VOTERS, chain, firstHash, type Content } from './entry.ts'
import { Reader } from './reader.ts'

const body = new Uint8Array([1])
const contents: readonly Content[] = [
  { term: 1, kind: 'begin', body },
  { term: 1, kind: VOTERS, body: encodeConfiguration({ groups: [{ seats: ['a/1'] }] }) },
  { term: 1, kind: 'order', body },
  { term: 2, kind: 'order', body },
]
const hashes = chain(fastDigest, firstHash(fastDigest, 'l'), contents).map(({ hash }) => hash)
const page = (first: number, last: number) => ({ first, entries: contents.slice(first - 1, last), hash: hashes[last - 1] ?? '' })
const make = () => new Reader(fastDigest, 'l')

it('takes pages in their order, and skips what it has', () => {
  const reader = make()
  expect(reader.take('a/1', page(1, 2))).toHaveLength(2)
  expect(reader.take('a/1', page(1, 3))).toHaveLength(1)
  expect(reader.take('a/1', page(1, 2))).toEqual([])
  expect(reader.take('a/1', page(4, 4))).toHaveLength(1)
  expect(reader).toMatchObject({ index: 4, hash: hashes[3] })
})

it('leaves a gap to the caller', () => {
  const reader = make()
  expect(reader.take('a/1', page(2, 3))).toBe('gap')
  expect(reader.index).toBe(0)
})

it('refuses a page of another chain', () => {
  const reader = make()
  reader.take('a/1', page(1, 2))
  expect(
    reader.take('a/1', { ...page(3, 4), entries: [...contents.slice(2, 3), { term: 2, kind: 'order', body: new Uint8Array([2]) }] }),
  ).toBe('foreign')
  expect(reader).toMatchObject({ index: 2, hash: hashes[1] })
})

it('refuses a page of a seat that is no voter', () => {
  const reader = make()
  reader.take('a/1', page(1, 2))
  expect(reader.take('b/1', page(3, 3))).toBe('foreign')
  expect(reader.index).toBe(2)
})

it('goes on behind a snapshot', () => {
  const reader = make()
  const configuration = { groups: [{ seats: ['a/1'] }] }
  reader.install({ index: 3, term: 1, hash: hashes[2] ?? '', configuration, state: body })
  expect(reader.take('a/1', page(2, 4))).toHaveLength(1)
  expect(reader.hash).toBe(hashes[3])
})
