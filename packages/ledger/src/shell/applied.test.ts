import { expect, it } from 'vitest'
import { fastDigest } from '../../test/digest.ts'
import { chain, firstHash } from '../core/entry.ts'
import { Applied } from './applied.ts'

const make = () => new Applied(fastDigest, 'l', () => undefined, { onEvents: () => {}, onInstalled: () => {}, onAdvanced: () => {} })
const entries = (count: number) =>
  chain(
    fastDigest,
    firstHash(fastDigest, 'l'),
    Array.from({ length: count }, () => ({ term: 1, kind: 'begin', body: new Uint8Array() })),
  )

it('waits for an index until the entries up to it are applied', async () => {
  const applied = make()
  const reached = applied.reached(2)
  applied.commit(1, entries(2))
  await reached
  await applied.reached(1)
})

it('rejects what waits when no more entries come', async () => {
  const applied = make()
  applied.commit(1, entries(1))
  const reached = applied.reached(2)
  applied.close(new Error('another ledger'))
  await expect(reached).rejects.toThrow('another ledger')
})
