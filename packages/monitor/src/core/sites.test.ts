import { expect, it } from 'vitest'
import { aggregators, managerOf } from './sites.ts'

const members = Array.from({ length: 30 }, (_, at) => ({ id: `m${at}`, location: `n${at}@site${at % 3}` }))
const idsOf = (of: typeof members): Record<string, string> =>
  Object.fromEntries([...aggregators(of, () => true)].map(([site, { id }]) => [site, id]))

it('each site has one aggregator, which all members compute, and its loss moves no other site', () => {
  const before = idsOf(members)
  expect(Object.keys(before).sort()).toEqual(['site0', 'site1', 'site2'])
  expect(idsOf(members.toReversed())).toEqual(before)
  const after = idsOf(members.filter(({ id }) => id !== before['site1']))
  expect(after['site1']).not.toBe(before['site1'])
  expect({ ...after, site1: before['site1'] }).toEqual(before)
})

it('each level of the locations has one manager, and all know the next one when it goes', () => {
  for (const location of ['', 'site1', 'n4@site1']) {
    const manager = managerOf(members, location)
    expect(`@${manager?.location}`.endsWith(location === '' ? '' : `@${location}`)).toBe(true)
    expect(managerOf(members.toReversed(), location)).toBe(manager)
    const rest = members.filter((each) => each !== manager)
    expect(managerOf(rest, location)).toBe(managerOf(rest.toReversed(), location))
    expect(managerOf(rest, location)).not.toBe(manager)
  }
  expect(managerOf(members, 'n4@site1')?.id).toBe('m4')
  expect(managerOf(members, 'elsewhere')).toBeUndefined()
})
