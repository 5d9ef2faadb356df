import type { Configuration } from '../src/core/configuration.ts'
import type { Start } from './seat-node.ts'

/** A small configuration, and what may happen in it. */
export interface Scenario {
  readonly ids: readonly string[]
  readonly configuration: Configuration
  /** Ids outside the first configuration. */
  readonly newcomers?: readonly string[]
  /** The seats that stand, in this order: a TimeoutNow comes from nowhere. */
  readonly stands: string
  readonly crashes?: number
  /** Number of stores that are lost in a crash. */
  readonly losses?: number
  readonly proposals?: number
  readonly reads?: number
  /** The voters that each leader wants. */
  readonly want?: readonly string[]
  /** Writes are synced at any later time. Default: at once. */
  readonly isLate?: boolean
  /** Seats learn of commits by tips, too. */
  readonly tips?: boolean
  /** Seats stand by their timers, with PreVote, in place of TimeoutNow. */
  readonly preVote?: boolean
  /** Leaders make snapshots of all that is committed. */
  readonly snapshots?: boolean
  /** Logs with which seats begin, by id. Default: empty ones. */
  readonly starts?: Readonly<Record<string, Start>>
  /** The seat whose first entries are committed at the beginning, and their number. */
  readonly committed?: readonly [string, number]
  /** Some order of messages must give a leader. Otherwise the ledger is stuck for ever. */
  readonly mustLead?: boolean
  /** Maximum entries of a page. Default: 64. */
  readonly page?: number
}

const one = { groups: [{ seats: ['a/0'] }] }
const three = { groups: [{ seats: ['a/0', 'b/0', 'c/0'] }] }
const ids = ['a', 'b', 'c']

/** Small configurations. `isLong`: the usual tests do not visit all of its states. */
export const scenarios: Readonly<Record<string, Scenario & { readonly isLong?: boolean }>> = {
  'one voter, whose writes are late': { ids: ['a'], configuration: one, stands: 'aaa', proposals: 2, crashes: 2, isLate: true },
  'one voter with a learner, whose writes are late': {
    ids: ['a', 'b'],
    configuration: one,
    newcomers: ['b'],
    stands: 'aa',
    want: ['b'],
    crashes: 1,
    isLate: true,
    isLong: true,
  },
  'one voter becomes another': {
    ids: ['a', 'b'],
    configuration: one,
    newcomers: ['b'],
    stands: 'ab',
    want: ['b'],
    crashes: 1,
    isLate: true,
    isLong: true,
  },
  'one voter becomes another, and stands twice': {
    ids: ['a', 'b'],
    configuration: one,
    newcomers: ['b'],
    stands: 'aab',
    want: ['b'],
    crashes: 1,
    isLong: true,
  },
  'three voters, two of which stand': { ids, configuration: three, stands: 'ab', tips: true },
  'three voters, two elections of one of them': { ids, configuration: three, stands: 'aac', isLong: true },
  'three voters, whose writes are late': { ids, configuration: three, stands: 'ab', isLate: true },
  'three voters, one of which crashes': { ids, configuration: three, stands: 'ab', isLate: true, crashes: 1, isLong: true },
  'three voters, one of which loses its store': { ids, configuration: three, stands: 'ac', losses: 1, isLong: true },
  'three voters with PreVote': { ids, configuration: three, stands: 'ab', preVote: true },
  'three voters with a proposal': { ids, configuration: three, stands: 'ab', proposals: 1, isLong: true },
  'entries of an old term, a page each (Raft, figure 8)': { ids, configuration: three, stands: 'abab', page: 1, isLong: true },
  'an entry of an old term, which a later one replaces (Raft, figure 8)': {
    ids,
    configuration: three,
    starts: {
      a: { term: 2, entries: [1] },
      b: { term: 2, votedFor: 'b/0', entries: [2] },
      c: { term: 2, votedFor: 'b/0', entries: [] },
    },
    stands: 'ab',
    page: 1,
    isLong: true,
  },
  'old voters that have the new configuration, and a new one that lacks it': {
    ids: ['a', 'b'],
    configuration: one,
    newcomers: ['b'],
    starts: {
      a: {
        term: 1,
        votedFor: 'a/0',
        entries: [
          1,
          { term: 1, voters: { groups: [{ seats: ['a/0'] }, { seats: ['b/0'] }] } },
          { term: 1, voters: { groups: [{ seats: ['b/0'] }] } },
        ],
      },
      b: { term: 1, entries: [1, { term: 1, voters: { groups: [{ seats: ['a/0'] }, { seats: ['b/0'] }] } }] },
    },
    committed: ['a', 2],
    stands: '**',
    mustLead: true,
  },
  'snapshots in parts': { ids, configuration: three, stands: 'ab', snapshots: true, isLong: true },
  'three voters, one of which is replaced': {
    ids: ['a', 'b', 'c', 'd'],
    configuration: three,
    newcomers: ['d'],
    stands: 'ab',
    want: ['a', 'b', 'd'],
    isLong: true,
  },
  'one voter becomes three': { ids, configuration: one, newcomers: ['b', 'c'], stands: 'ab', want: ['a', 'b', 'c'], isLong: true },
  'a founding by two': { ids: ['a', 'b'], configuration: { groups: [{ anyOf: 2 }] }, stands: 'ab', want: ['a'] },
  'a founding by two, four elections': {
    ids: ['a', 'b'],
    configuration: { groups: [{ anyOf: 2 }] },
    stands: 'abab',
    want: ['a'],
    isLong: true,
  },
  'a founding by three': { ids, configuration: { groups: [{ anyOf: 3 }] }, stands: 'ab', want: ids, isLong: true },
  'a founding by two, beside newcomers': {
    ids: ['a', 'b', 'c', 'd'],
    configuration: { groups: [{ anyOf: 2 }] },
    newcomers: ['c', 'd'],
    stands: 'ab',
  },
  'a founding by names': { ids, configuration: { groups: [{ ids }] }, stands: 'ab', want: ['a'], isLong: true },
}
