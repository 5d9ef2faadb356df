import { expect, it } from 'vitest'
import { defaultSchedulerConfig } from './config.ts'
import { Members } from './members.ts'

it('changes when a resident comes or goes, or a visitor stays, and not when visitors come and go', () => {
  const members = new Members({ id: 'self', location: 'self@here' }, defaultSchedulerConfig)
  const versions = [members.version]
  const visitor = { id: 'visitor', location: 'visitor@here', visits: true }
  members.joined(visitor)
  versions.push(members.version)
  expect(members.gone('visitor')).toBe(true)
  expect(members.gone('visitor')).toBe(false)
  members.joined(visitor)
  versions.push(members.version)
  members.joined({ ...visitor, visits: false })
  versions.push(members.version)
  expect(members.residents()).toEqual(['self', 'visitor'])
  members.gone('visitor')
  versions.push(members.version)
  expect(members.residents()).toEqual(['self'])
  expect(versions).toEqual([1, 1, 1, 2, 3])
})
