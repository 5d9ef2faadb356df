import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { edgesOf, place, type Pattern } from './placement.ts'

type Widths = readonly (readonly (number | undefined)[])[]

const symmetric = (size: number, widthOf: (one: number, other: number) => number | undefined): Widths =>
  Array.from({ length: size }, (_, one) => Array.from({ length: size }, (_, other) => widthOf(Math.min(one, other), Math.max(one, other))))

const placed = (widths: Widths, count: number, pattern: Pattern) =>
  place(widths.length, count, pattern, (one, other) => widths[one]?.[other])

/** Tries all placements. Returns the best slowest edge; undefined: each has an unknown pair. */
function oracle(widths: Widths, count: number, pattern: Pattern): number | undefined {
  let best: number | undefined
  const fill = (chosen: readonly number[]): void => {
    if (chosen.length < count) {
      for (const at of widths.keys()) if (!chosen.includes(at)) fill([...chosen, at])
      return
    }
    const all = edgesOf(pattern, count).map(([a, b]) => widths[chosen[a] as number]?.[chosen[b] as number])
    if (all.includes(undefined)) return
    best = Math.max(best ?? 0, Math.min(...(all as number[])))
  }
  fill([])
  return best
}

/** A repeatable source of numbers from 0 to 1. */
function source(seed: number): () => number {
  let state = seed
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647
}

describe('a placement', () => {
  it('has the fastest slowest edge of all, for any pattern, and uses no unknown pair', () => {
    const pattern = fc.constantFrom<Pattern>(
      'ring',
      'all',
      'star',
      [
        [0, 1],
        [2, 1],
        [2, 3],
      ],
      [[3, 0]],
    )
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat(9), { freq: 5, nil: undefined }), { minLength: 15, maxLength: 15 }), pattern, (all, shape) => {
        const widths = symmetric(6, (one, other) => all[(other * (other - 1)) / 2 + one])
        const found = placed(widths, 4, shape)
        expect(found?.slowest).toBe(oracle(widths, 4, shape))
        if (found === undefined) return
        expect(new Set(found.chosen).size).toBe(4)
        const used = edgesOf(shape, 4).map(([a, b]) => widths[found.chosen[a] as number]?.[found.chosen[b] as number])
        expect([Math.min(...(used as number[])), found.isBest]).toEqual([found.slowest, true])
      }),
      { numRuns: 2000, seed: 5 },
    )
  })

  it('takes the first candidates among equals, in their order', () => {
    for (const pattern of ['ring', 'all', 'star'] as const)
      expect(
        placed(
          symmetric(8, () => 5),
          4,
          pattern,
        ),
      ).toEqual({ chosen: [0, 1, 2, 3], slowest: 5, isBest: true })
    expect(
      placed(
        symmetric(3, () => 5),
        2,
        [],
      ),
    ).toEqual({ chosen: [0, 1], slowest: Infinity, isBest: true })
  })

  it('of 4 of 64 takes at most 50 ms, and is the best', () => {
    for (const pattern of ['ring', 'all', 'star'] as const) {
      const next = source(7)
      const widths = symmetric(64, () => 0)
      const random = widths.map((row) => row.map(() => next()))
      const both = symmetric(64, (one, other) => random[one]?.[other])
      placed(both, 4, pattern)
      const begin = performance.now()
      const found = placed(both, 4, pattern)
      expect([pattern, found?.isBest, performance.now() - begin < 50]).toEqual([pattern, true, true])
    }
  })

  it('that is too large to try all says so, and beats a greedy one', () => {
    const next = source(3)
    const random = symmetric(64, () => 0).map((row) => row.map(() => next()))
    const widths = symmetric(64, (one, other) => random[one]?.[other])
    const begin = performance.now()
    const found = placed(widths, 12, 'all')
    expect(performance.now() - begin).toBeLessThan(1000)
    expect(found?.isBest).toBe(false)
    // The greedy one adds the member whose slowest pair is the fastest.
    const chosen = [0]
    const slowest = (at: number): number => Math.min(...chosen.map((other) => widths[at]?.[other] ?? 0))
    let greedy = 1
    while (chosen.length < 12) {
      const left = [...widths.keys()].filter((at) => !chosen.includes(at))
      const best = left.reduce((a, b) => (slowest(b) > slowest(a) ? b : a))
      greedy = Math.min(greedy, slowest(best))
      chosen.push(best)
    }
    expect(found?.slowest).toBeGreaterThanOrEqual(greedy)
  })

  it('refuses positions that are none', () => {
    expect(() => edgesOf([[0, 4]], 4)).toThrow('pattern: [0, 4]: must be two of the positions 0 to 3')
    expect(() => edgesOf([[1, 1]], 4)).toThrow('must be two of the positions')
    expect(edgesOf('ring', 2)).toEqual([[0, 1]])
    expect(edgesOf('ring', 4)).toEqual([
      [0, 1],
      [1, 2],
      [2, 3],
      [0, 3],
    ])
  })
})
