import { expect, it } from 'vitest'
import { foundersOf, ledgerOptions, type LedgerFlags } from './ledger-options.ts'
import { enterPool, poolOptions } from './pool-options.ts'

const ids = ['A', 'B', 'C'].map((letter) => `12D3KooW${letter.repeat(44)}`)
const strong = { joins: 'reliable', elections: 'uniform' } as const
const entry = { bootstrap: [], listen: [], keyFile: [] }

it('without a level that needs a ledger there are no options about one', () => {
  expect(ledgerOptions({})).toEqual({})
  expect(ledgerOptions({ joins: 'unreliable', elections: 'non-uniform', founders: [], vote: true })).toEqual({
    joins: 'unreliable',
    elections: 'non-uniform',
  })
})

it.each<[LedgerFlags, object]>([
  [strong, { ...strong, ledger: {} }],
  [
    { joins: 'reliable', foundLedger: true, founders: [], vote: true },
    { joins: 'reliable', ledger: { found: true } },
  ],
  [
    { elections: 'uniform', founders: ids, voters: 3, vote: false },
    { elections: 'uniform', ledger: { founders: ids, voters: 3, vote: false } },
  ],
  [
    { ...strong, poolSize: 3 },
    { ...strong, ledger: {} },
  ],
])('the flags %j become options', (flags, options) => {
  expect(ledgerOptions(flags)).toEqual(options)
})

it.each<[LedgerFlags, RegExp]>([
  [{ foundLedger: true }, /^--found-ledger: .*--joins reliable/u],
  [{ founders: ids }, /^--founders: .*--elections uniform/u],
  [{ joins: 'unreliable', voters: 3 }, /^--voters: /u],
  [{ elections: 'non-uniform', vote: false }, /^--no-vote: /u],
  [{ ...strong, foundLedger: true, founders: ids }, /--found-ledger and --founders/u],
  [{ ...strong, foundLedger: true, poolSize: 3 }, /--pool-size .*--found-ledger/u],
  [{ ...strong, founders: ids, poolSize: 3 }, /--pool-size .*--founders/u],
])('the flags %j are wrong usage', (flags, message) => {
  expect(() => ledgerOptions(flags)).toThrow(expect.objectContaining({ code: 'USAGE', message: expect.stringMatching(message) }))
})

it('founders are whole ids with commas between them', () => {
  expect(foundersOf(`${ids[0]}, ${ids[1]}`, [])).toEqual(ids.slice(0, 2))
  expect(foundersOf(ids[2] ?? '', ids.slice(0, 2))).toEqual(ids)
  for (const wrong of ['', 'KrkcixUP', `${ids[0]},`]) expect(() => foundersOf(wrong, [])).toThrow(/no whole id/u)
})

it.each<[LedgerFlags, RegExp]>([
  [{ founders: ids.slice(1) }, /^--founders: .*an odd number of ids, up to 15, and there are 2$/u],
  [{ founders: [...ids.slice(0, 2), ids[0] ?? ''] }, /^--founders: .*twice$/u],
  [{ voters: 2 }, /^--voters: .*an odd number from 1 to 15$/u],
])('joinPool refuses the flags %j, and the error names the flag', async (flags, message) => {
  const entering = enterPool('refused', poolOptions({ ...entry, ...strong, ...flags }))
  await expect(entering).rejects.toMatchObject({ code: 'USAGE', message: expect.stringMatching(message) })
})

it('a time limit needs something to wait for', () => {
  expect(() => poolOptions({ ...entry, timeout: 5 })).toThrow(/--timeout .*--require.*--joins reliable/u)
  expect(poolOptions({ ...entry, ...strong, timeout: 5 })).toMatchObject({ timeout: 5, ...strong })
  expect(poolOptions({ ...entry, require: 2, timeout: 5 })).toEqual({ requireMembers: 2, timeout: 5 })
})
