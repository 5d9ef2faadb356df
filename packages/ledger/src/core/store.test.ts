import { expect, it } from 'vitest'
import { fastDigest } from '../../test/digest.ts'
import { newSeat, restore } from './store.ts'

it('a later generation continues after the term of its snapshot', () => {
  const first = newSeat(fastDigest, { ledger: 'l', id: 'a', nonce: '1', configuration: { groups: [] } })
  const snapshot = { ...first.snapshot, index: 9, term: 7 }
  // Otherwise its leader would send entries whose terms fall, which nobody takes.
  expect(restore([{ ...first, snapshot }])).toMatchObject({ term: 7, log: { lastTerm: 7 } })
  expect(restore([first])).toMatchObject({ term: 0 })
})
