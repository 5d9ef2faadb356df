import { expect, it } from 'vitest'
import { defaultSchedulerConfig } from './config.ts'
import { Members } from './members.ts'

it('the list changes when a participant comes or goes, or a client stays, but not when clients come and go', () => {
  const members = new Members({ id: 'self', location: 'self@here' }, defaultSchedulerConfig)
  const versions = [members.version]
  const client = { id: 'client', location: 'client@here', isClient: true }
  members.joined(client)
  versions.push(members.version)
  expect(members.gone('client')).toBe(true)
  expect(members.gone('client')).toBe(false)
  members.joined(client)
  versions.push(members.version)
  members.joined({ ...client, isClient: false })
  versions.push(members.version)
  expect(members.participants()).toEqual(['self', 'client'])
  members.gone('client')
  versions.push(members.version)
  expect(members.participants()).toEqual(['self'])
  expect(versions).toEqual([1, 1, 1, 2, 3])
})
