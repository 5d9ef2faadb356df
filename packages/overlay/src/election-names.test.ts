import { expect, it } from 'vitest'
import { ElectionNames } from './election-names.ts'

it('forgets, from time to time, elections that the protocol has forgotten', () => {
  const known = new Set(['master'])
  const names = new ElectionNames(10, (name) => known.has(name))
  names.add('master')
  for (let i = 0; i < 1_000; i++) {
    names.add(`made up ${i}`)
    expect(names.size).toBeLessThanOrEqual(20)
  }
  expect([...names]).toContain('master')
})
