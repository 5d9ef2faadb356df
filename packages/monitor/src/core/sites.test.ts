import { expect, it } from 'vitest'
import { aggregators, siteOf } from './sites.ts'

const members = Array.from({ length: 30 }, (_, at) => ({ id: `m${at}`, location: `n${at}@site${at % 3}` }))
const idsOf = (of: typeof members): Record<string, string> =>
  Object.fromEntries([...aggregators(of, () => true)].map(([site, { id }]) => [site, id]))

it('the site of a member is the coarsest level of its location', () => {
  expect(siteOf({ location: 'n1@rack2@delft' })).toBe('delft')
  expect(siteOf({ location: 'alone' })).toBe('alone')
})

it('each site has one aggregator, which all members compute, and its loss moves no other site', () => {
  const before = idsOf(members)
  expect(Object.keys(before).sort()).toEqual(['site0', 'site1', 'site2'])
  expect(idsOf(members.toReversed())).toEqual(before)
  const after = idsOf(members.filter(({ id }) => id !== before['site1']))
  expect(after['site1']).not.toBe(before['site1'])
  expect({ ...after, site1: before['site1'] }).toEqual(before)
})
