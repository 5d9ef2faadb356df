import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hash52, hashSpace } from './hash.ts'
import { createRandom, pickIndex, pickOne, pickSome } from './random.ts'

describe('createRandom', () => {
  it('gives the same sequence for a seed, on every machine and in every version', () => {
    const random = createRandom(42)
    const again = createRandom(42)
    const first = Array.from({ length: 5 }, () => random())
    expect(Array.from({ length: 5 }, () => again())).toEqual(first)
    expect(first).not.toEqual(Array.from({ length: 5 }, createRandom(43)))
    expect(first).toMatchInlineSnapshot(`
      [
        0.5767213918734342,
        0.5318840781692415,
        0.212930012261495,
        0.7912528037559241,
        0.23419718188233674,
      ]
    `)
  })

  it('gives numbers from 0 up to 1, evenly distributed', () => {
    const random = createRandom(7)
    const buckets = Array.from({ length: 10 }, () => 0)
    for (let i = 0; i < 20_000; i++) {
      const value = random()
      expect(value >= 0 && value < 1).toBe(true)
      buckets[Math.floor(value * 10)] = (buckets[Math.floor(value * 10)] as number) + 1
    }
    for (const count of buckets) expect(Math.abs(count - 2_000)).toBeLessThan(250)
  })
})

describe('picking', () => {
  it('one item gives each item its turn, and returns nothing for an empty list', () => {
    const random = createRandom(1)
    const seen = new Set(Array.from({ length: 200 }, () => pickOne(random, ['a', 'b', 'c'])))
    expect(seen).toEqual(new Set(['a', 'b', 'c']))
    expect(pickOne(random, [] as string[])).toBeUndefined()
    expect(pickIndex(() => 0.999_999_999_999_999_9, 3)).toBe(2)
  })

  it('some items returns different items of the list, at most as many as it has', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(), { maxLength: 20 }), fc.nat(30), fc.nat(), (items, count, seed) => {
        const before = [...items]
        const picked = pickSome(createRandom(seed), items, count)
        expect(picked.length).toBe(Math.min(count, items.length))
        expect(new Set(picked).size).toBe(picked.length)
        for (const item of picked) expect(items).toContain(item)
        expect(items).toEqual(before)
      }),
    )
  })

  it('some items is fair', () => {
    const random = createRandom(3)
    const counts = new Map<number, number>()
    for (let i = 0; i < 3_000; i++)
      for (const item of pickSome(random, [0, 1, 2, 3, 4, 5], 2)) counts.set(item, (counts.get(item) ?? 0) + 1)
    for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(150)
  })
})

describe('hash52', () => {
  it('is a whole number below the end of the space, for any text and seed', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(10), (text, seed) => {
        const hash = hash52(text, seed)
        expect(Number.isInteger(hash) && hash >= 0 && hash < hashSpace).toBe(true)
        expect(hash52(text, seed)).toBe(hash)
      }),
    )
  })

  it('never changes: nodes of different versions compare positions', () => {
    expect([hash52(''), hash52('m12D3KooW'), hash52('m12D3KooW', 1), hash52('m12D3KooW', 2)]).toMatchInlineSnapshot(`
      [
        3338908027751811,
        2395712582508876,
        1883875463124515,
        4405650934830684,
      ]
    `)
  })

  it('spreads evenly, and differs by seed', () => {
    const hashes = new Set(Array.from({ length: 5_000 }, (_, i) => hash52(`node-${i >> 1}`, i & 1)))
    expect(hashes.size).toBe(5_000)
  })
})
