import { expect, it } from 'vitest'
import { healthLevel, isCutOff } from './health.ts'

const well = { alone: false, minority: false, members: 3, suspectedShare: 0 }

it.each([
  ['a member that reaches others', {}, 'good'],
  ['a pool of one', { alone: true, members: 1 }, 'good'],
  ['a member that misses some', { suspectedShare: 0.1 }, 'warn'],
  ['a member that reaches none of the others', { alone: true }, 'bad'],
  ['a member of a minority', { minority: true }, 'bad'],
] as const)('%s is connected as page, terminal and /health agree', (_, change, level) => {
  const health = { ...well, ...change }
  expect(healthLevel(health)).toBe(level)
  expect(isCutOff(health)).toBe(level === 'bad')
})
