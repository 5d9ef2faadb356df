import { describe, expect, it } from 'vitest'
import { digestOf } from './digest.ts'
import { standing, type Entry } from './entry.ts'
import { NOTHING_SHARED, type Shared } from './shared-value.ts'

const value = (byte: number, shared: Shared = NOTHING_SHARED): Entry => ({ path: '', outcome: { value: Uint8Array.of(byte) }, shared })
const failure = (message: string): Entry => ({
  path: '',
  outcome: { failure: { code: 'TASK_THREW', message, member: 'm', tries: 1 } },
  shared: NOTHING_SHARED,
})
const offers = (key: number): Shared => new Map([['s', { rule: 'min', key, values: [Uint8Array.of(7)] }]])

describe('two outcomes of one job', () => {
  it.each([
    ['a value and a failure', value(9), failure('a')],
    ['two values', value(1), value(2)],
    ['two failures', failure('a'), failure('b')],
  ])('resolve to the same one in either order: %s', (_, kept, other) => {
    expect(standing(kept, other)).toBe(kept)
    expect(standing(other, kept)).toBe(kept)
  })

  it('have different digests, even if only their shared values differ', () => {
    const digests = [value(1), value(2), failure('a'), failure('b'), value(1, offers(1)), value(1, offers(2))].map(digestOf)
    expect(new Set(digests).size).toBe(6)
    expect(digestOf(value(1, offers(1)))).toBe(digests[4])
  })
})
