import type { WatchEvent } from '@jel/monitor'
import { expect, it } from 'vitest'
import { Account } from './account.ts'

const sample = (seq: number, replayed = false): WatchEvent => ({
  type: 'sample',
  member: 'm',
  name: 'x',
  value: 1,
  unit: '1',
  at: 0,
  seq,
  replayed,
})

it('an account of samples counts numbers that are missing, twice, or late', () => {
  const account = new Account()
  for (const seq of [1, 2, 5, 5, 4]) account.take(sample(seq))
  expect(account.counts).toMatchObject({ samples: 5, missing: 2, repeated: 2 })
  account.mark()
  expect(account.counts).toMatchObject({ samples: 0, missing: 0, repeated: 0 })
  for (const seq of [7, 8]) account.take(sample(seq, true))
  account.take({ type: 'lost', member: 'm', count: 1 } as never)
  // Number 6 is missing since the mark, and the producer said that one is lost.
  expect(account.counts).toMatchObject({ samples: 2, missing: 1, lost: 1, late: 2, repeated: 0 })
})
