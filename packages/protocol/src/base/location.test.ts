import { expect, it } from 'vitest'
import { isWithin, siteOf } from './location.ts'

it('the site of a member is the coarsest level of its location', () => {
  expect(siteOf({ location: 'n1@rack2@delft' })).toBe('delft')
  expect(siteOf({ location: 'alone' })).toBe('alone')
})

it('a location ends with whole levels', () => {
  const [there, nowhere] = [{ location: 'n1@rack2@delft' }, { location: '' }]
  expect(['delft', 'rack2@delft', 'n1@rack2@delft'].every((end) => isWithin(there, end))).toBe(true)
  expect(['elft', 'rack2', '2@delft', ''].some((end) => isWithin(there, end))).toBe(false)
  expect(isWithin(nowhere, '')).toBe(true)
})
