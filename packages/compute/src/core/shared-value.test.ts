import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { joinShared, NOTHING_SHARED, type JoinRule, type Offer, type Shared } from './shared-value.ts'

const bytes = fc.uint8Array({ minLength: 1, maxLength: 3 })

function shared(rule: JoinRule): fc.Arbitrary<Shared> {
  const offer: fc.Arbitrary<Offer> = fc.record({
    rule: fc.constant(rule),
    key: rule === 'min' || rule === 'max' ? fc.integer({ min: 0, max: 3 }) : fc.constant(0),
    values: bytes.map((value) => [value]),
  })
  return fc.dictionary(fc.constantFrom('a', 'b'), offer, { maxKeys: 2 }).map((fields) => new Map(Object.entries(fields)))
}

const join = (...all: readonly Shared[]): Shared => all.reduce(joinShared, NOTHING_SHARED)

describe.each(['min', 'max', 'first', 'union'] as const)('shared values joined by %s', (rule) => {
  it('do not depend on order, grouping or repetition', () => {
    fc.assert(
      fc.property(shared(rule), shared(rule), shared(rule), (a, b, c) => {
        expect(join(a, b, c)).toEqual(join(c, a, b))
        expect(joinShared(a, joinShared(b, c))).toEqual(joinShared(joinShared(a, b), c))
        expect(join(a, a)).toEqual(join(a))
      }),
    )
  })

  it('are the same object where nothing is new', () => {
    fc.assert(
      fc.property(shared(rule), shared(rule), (a, b) => {
        const joined = joinShared(a, b)
        expect(joinShared(joined, b)).toBe(joined)
      }),
    )
  })
})

it('an offer of another rule changes nothing', () => {
  const least: Shared = new Map([['best', { rule: 'min', key: 3, values: [Uint8Array.of(1)] }]])
  const most: Shared = new Map([['best', { rule: 'max', key: 1, values: [Uint8Array.of(2)] }]])
  expect(joinShared(least, most)).toBe(least)
})
