import type { VerifiedFile } from '@jel/ledger/verify'
import { expect, it } from 'vitest'
import { verifiedText } from './ledger-file.ts'

const verified: VerifiedFile = {
  pool: 'render\u001B[2J',
  id: 'a',
  ledger: '1-ab',
  seat: 'a/01',
  term: 7,
  votedFor: undefined,
  snapshotIndex: 0,
  lastIndex: 9,
  lastHash: 'cd',
  configuration: { groups: [{ seats: ['a/01', 'b/02', 'c/03'] }] },
  voters: ['a/01', 'b/02', 'c/03'],
  torn: 0,
}

/** The lines without their spaces. */
function shown(more: Partial<VerifiedFile>): string[] {
  return verifiedText({ ...verified, ...more }).map((line) => line.replaceAll(/ +/gu, ' '))
}

it('shows the seat, the term, the last entry and each voter, safe for a terminal', () => {
  expect(shown({})).toEqual([
    'pool render',
    'member a',
    'ledger 1-ab',
    'seat a/01',
    'term 7',
    'last index 9, hash cd',
    'entries 9',
    'voter a/01',
    'voter b/02',
    'voter c/03',
  ])
})

it('shows both groups of a change of voters, a founding, a snapshot and a torn write', () => {
  const groups = [{ anyOf: 8 }, { seats: ['a/01'] }]
  expect(shown({ votedFor: 'b/02', snapshotIndex: 5, configuration: { groups }, torn: 1 }).slice(4)).toEqual([
    'term 7, vote for b/02',
    'last index 9, hash cd',
    'entries 4, behind a snapshot at 5',
    'founders 1 more than half of 8 nodes',
    'voter 2 a/01',
    'behind it 1 byte of a torn last write: the next start cuts them off',
  ])
})
