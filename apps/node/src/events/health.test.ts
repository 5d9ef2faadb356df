import { expect, it } from 'vitest'
import { healthLevel, isCutOff, isOutside } from './health.ts'

const well = { alone: false, minority: false, members: 3, suspectedShare: 0, introducers: [] }
const introducers = [{ address: '/ip4/192.0.2.9/tcp/4001', reason: 'connection refused' }]

it.each([
  ['a member that reaches others', {}, 'good'],
  // No introducer and no lost member: it is not `alone`.
  ['a founder', { members: 1 }, 'good'],
  ['a member one of whose introducers does not answer', { introducers }, 'good'],
  ['a member that misses some', { suspectedShare: 0.1 }, 'warn'],
  ['a member that reaches none of the others', { alone: true }, 'bad'],
  ['a member of a minority', { minority: true }, 'bad'],
] as const)('%s is connected as page, terminal and /health agree', (_, change, level) => {
  const health = { ...well, ...change }
  expect(healthLevel(health)).toBe(level)
  expect(isCutOff(health)).toBe(level === 'bad')
})

it('a node that no introducer lets in is bad, as for /ready, though its pool of one needs no restart', () => {
  const health = { ...well, alone: true, members: 1, introducers }
  expect(isOutside(health)).toBe(true)
  expect(healthLevel(health)).toBe('bad')
  expect(isCutOff(health)).toBe(false)
})
