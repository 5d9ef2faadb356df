import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Fact } from './fact.ts'
import { FactSet } from './facts.ts'
import { hashSpace } from './hash.ts'

/** A fact with a position of one's choice: small ones, so that some coincide. */
const fact = fc
  .record({ position: fc.nat(40), name: fc.constantFrom('a', 'b'), high: fc.nat(), low: fc.nat() })
  .map(({ position, name, high, low }): Fact => ({
    key: `${name}${position}`,
    position,
    high,
    low,
    content: {} as Fact['content'],
    born: undefined,
  }))
const operations = fc.array(fc.record({ put: fc.boolean(), fact }), { maxLength: 60 })
const border = fc.nat(45)

function build(steps: readonly { put: boolean; fact: Fact }[]): { set: FactSet; model: Map<string, Fact> } {
  const set = new FactSet()
  const model = new Map<string, Fact>()
  for (const { put, fact: item } of steps) {
    if (put) {
      set.put(item)
      model.set(item.key, item)
    } else {
      set.delete(item)
      model.delete(item.key)
    }
  }
  return { set, model }
}

function ordered(model: Map<string, Fact>, from: number, to: number): Fact[] {
  return [...model.values()]
    .filter(({ position }) => position >= from && position < to)
    .sort((a, b) => a.position - b.position || (a.key < b.key ? -1 : 1))
}

describe('FactSet', () => {
  it('holds the last version of each key, in order of position and key', () => {
    fc.assert(
      fc.property(operations, border, border, (steps, from, to) => {
        const { set, model } = build(steps)
        expect(set.size).toBe(model.size)
        expect(set.range(0, hashSpace)).toEqual(ordered(model, 0, hashSpace))
        expect(set.range(from, to)).toEqual(ordered(model, from, to))
        for (const item of model.values()) expect(set.get(item.position, item.key)).toBe(item)
        expect(set.get(41, 'a41')).toBeUndefined()
      }),
    )
  })

  it('knows the fingerprint of any range, and that of the whole set without looking', () => {
    fc.assert(
      fc.property(operations, border, border, (steps, from, to) => {
        const { set, model } = build(steps)
        for (const [start, end] of [
          [0, hashSpace],
          [from, to],
        ] as const) {
          const facts = ordered(model, start, end)
          const high = facts.reduce((sum, { high: part }) => (sum ^ part) >>> 0, 0)
          const low = facts.reduce((sum, { low: part }) => (sum ^ part) >>> 0, 0)
          expect(set.fingerprint(start, Math.max(start, end))).toEqual({ count: facts.length, high, low })
        }
      }),
    )
  })

  it('splits a range into parts that cover it, about equally full', () => {
    fc.assert(
      fc.property(operations, border, border, fc.integer({ min: 1, max: 16 }), (steps, a, b, parts) => {
        fc.pre(a !== b)
        const [from, to] = [Math.min(a, b), Math.max(a, b)]
        const { set } = build(steps)
        const borders = set.split(from, to, parts)
        expect([borders[0], borders.at(-1)]).toEqual([from, to])
        expect(borders.length).toBeLessThanOrEqual(parts + 1)
        for (let i = 1; i < borders.length; i++) {
          expect(borders[i]).toBeGreaterThan(borders[i - 1] as number)
          // At most two facts share a position here, so no part is much fuller than the others.
          expect(set.fingerprint(borders[i - 1] as number, borders[i] as number).count).toBeLessThanOrEqual(
            Math.ceil(set.fingerprint(from, to).count / parts) + 4,
          )
        }
      }),
    )
  })

  it('is empty after it was cleared', () => {
    const { set } = build([
      { put: true, fact: { key: 'a1', position: 1, high: 3, low: 4, content: {} as Fact['content'], born: undefined } },
    ])
    set.clear()
    expect(set.size).toBe(0)
    expect(set.fingerprint(0, hashSpace)).toEqual({ count: 0, high: 0, low: 0 })
  })
})
