import { expect, it } from 'vitest'
import { isForeignSite, isLoopback, isOwnHost } from './hosts.ts'

it.each(['localhost', 'LOCALHOST:8080', '127.0.0.1:1', '127.9.9.9', '[::1]:8080', '[::1]'])('%s is this machine', (header) => {
  expect(isOwnHost(header)).toBe(true)
})

it.each([
  '',
  'evil.example',
  'localhost.evil.example',
  '127.0.0.1.evil.example:80',
  '127.evil',
  'localhost:80:80',
  '192.0.2.1',
  '[::2]',
  'a@localhost',
])('%s is not', (header) => {
  expect(isOwnHost(header)).toBe(false)
})

it('an address is of this machine alone, or is not', () => {
  expect(['127.0.0.1', '::1', '::ffff:127.0.0.1', '127.1.2.3'].every(isLoopback)).toBe(true)
  expect(['0.0.0.0', '::', '192.0.2.1', '::ffff:192.0.2.1'].some(isLoopback)).toBe(false)
})

it('a browser tells of pages of other sites, and other clients tell nothing', () => {
  expect(['cross-site', 'same-site', 'anything', ['same-origin']].every(isForeignSite)).toBe(true)
  expect([undefined, 'same-origin', 'none'].some(isForeignSite)).toBe(false)
})
