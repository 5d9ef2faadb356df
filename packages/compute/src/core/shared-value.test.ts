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

  it('are the same object if nothing is new', () => {
    fc.assert(
      fc.property(shared(rule), shared(rule), (a, b) => {
        const joined = joinShared(a, b)
        expect(joinShared(joined, b)).toBe(joined)
      }),
    )
  })
})

it('ignore an offer of another rule', () => {
  const least: Shared = new Map([['best', { rule: 'min', key: 3, values: [Uint8Array.of(1)] }]])
  const most: Shared = new Map([['best', { rule: 'max', key: 1, values: [Uint8Array.of(2)] }]])
  expect(joinShared(least, most)).toBe(least)
})

describe('shared values that a peer may have invented', () => {
  const large = (first: number, length: number): Uint8Array => new Uint8Array(length).fill(first, 0, 1)
  const union = (...values: readonly Uint8Array[]): Shared => new Map([['all', { rule: 'union', key: 0, values }]])
  const bytesIn = (all: Shared): number => [...all.values()].flatMap(({ values }) => values).reduce((sum, { length }) => sum + length, 0)

  it('take at most two MiB, whatever is offered under however many names', () => {
    let all = NOTHING_SHARED
    for (let name = 0; name < 200; name++)
      all = joinShared(all, new Map([[`s${name}`, { rule: 'min', key: 1, values: [large(1, 100_000)] }]]))
    expect(bytesIn(all)).toBeLessThanOrEqual(2 ** 21)
    for (let name = 0; name < 200; name++) all = joinShared(all, new Map([[`t${name}`, { rule: 'min', key: 1, values: [large(1, 1)] }]]))
    expect(all.size).toBe(64)
  })

  it('keep a union below its bound by omitting the same values in any order', () => {
    const values = Array.from({ length: 8 }, (_, first) => large(first, 200_000))
    const upwards = join(...values.map((value) => union(value)))
    expect(join(...values.toReversed().map((value) => union(value)))).toEqual(upwards)
    expect(bytesIn(upwards)).toBe(1_000_000)
    // The offer adds nothing, so nobody passes it on.
    expect(joinShared(upwards, union(large(9, 200_000)))).toBe(upwards)
  })
})
