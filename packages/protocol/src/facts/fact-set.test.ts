import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { actors, type Actor } from '../../test/actors.ts'
import { hashSpace } from '../base/hash.ts'
import { Fact } from './fact.ts'
import { FactSet } from './fact-set.ts'
import { Registry } from './registry.ts'

const [author] = actors(1) as [Actor]
const statement = author.says(77, Uint8Array.of(1))

/** Returns a fact with a chosen position. */
function factAt(position: number, name: string, high: number, low: number): Fact {
  return Object.assign(new Fact(`${name}${position}`, { statement }), { position, high, low })
}

/** Gives facts different lengths. */
const bytesOf = ({ key, high }: Fact): number => key.length + (high % 7)

const show = ({ key, high, low }: Fact): string => `${key} ${high} ${low}`

// Few positions, so that some coincide. They lie close together, or far enough apart for the grid.
describe.each([1, 2 ** 46])('FactSet, with facts %d apart,', (spread) => {
  const fact = fc
    .record({ position: fc.nat(40), name: fc.constantFrom('a', 'b'), high: fc.nat(), low: fc.nat() })
    .map(({ position, name, high, low }) => factAt(position * spread, name, high, low))
  const operations = fc.array(fc.record({ put: fc.boolean(), fact, other: fc.boolean() }), { maxLength: 60 })
  const border = fc.nat(45).map((place) => place * spread)

  /**
   * Returns a set and its expected content. The steps also change another set with the same
   * registry.
   */
  function build(steps: readonly { put: boolean; fact: Fact; other: boolean }[]): { set: FactSet; model: Map<string, Fact> } {
    const registry = new Registry()
    const set = new FactSet(registry, bytesOf)
    const stranger = new FactSet(registry)
    const model = new Map<string, Fact>()
    for (const { put, fact: item, other } of steps) {
      const target = other ? stranger : set
      if (put) target.put(item)
      else target.delete(item)
      if (other) continue
      if (put) model.set(item.key, item)
      else model.delete(item.key)
    }
    return { set, model }
  }

  function ordered(model: Map<string, Fact>, from: number, to: number): string[] {
    return [...model.values()]
      .filter(({ position }) => position >= from && position < to)
      .sort((a, b) => a.position - b.position || (a.key < b.key ? -1 : 1))
      .map(show)
  }

  const total = (model: Map<string, Fact>): number => [...model.values()].reduce((sum, item) => sum + bytesOf(item), 0)

  it('holds the last version of each key, in order of position and key', () => {
    fc.assert(
      fc.property(operations, border, border, (steps, from, to) => {
        const { set, model } = build(steps)
        expect(set.ranges.count).toBe(model.size)
        expect(set.ranges.bytes).toBe(total(model))
        expect(set.ranges.range(0, hashSpace).map(show)).toEqual(ordered(model, 0, hashSpace))
        expect(set.ranges.range(from, to).map(show)).toEqual(ordered(model, from, to))
        for (const item of model.values()) expect(show(set.get(item.key) as Fact)).toBe(show(item))
        expect(set.get('a41')).toBeUndefined()
      }),
    )
  })

  it('knows the fingerprint of any range', () => {
    fc.assert(
      fc.property(operations, border, border, (steps, from, to) => {
        const { set, model } = build(steps)
        for (const [start, end] of [
          [0, hashSpace],
          [from, to],
        ] as const) {
          const facts = [...model.values()].filter(({ position }) => position >= start && position < end)
          const high = facts.reduce((sum, { high: part }) => (sum ^ part) >>> 0, 0)
          const low = facts.reduce((sum, { low: part }) => (sum ^ part) >>> 0, 0)
          expect(set.ranges.fingerprint(start, Math.max(start, end))).toEqual({ count: facts.length, high, low })
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
        const borders = set.ranges.split(from, to, parts)
        expect([borders[0], borders.at(-1)]).toEqual([from, to])
        expect(borders.length).toBeLessThanOrEqual(parts + 1)
        for (let i = 1; i < borders.length; i++) {
          expect(borders[i]).toBeGreaterThan(borders[i - 1] as number)
          // At most two facts share a position here, so no part is much fuller than the others.
          expect(set.ranges.fingerprint(borders[i - 1] as number, borders[i] as number).count).toBeLessThanOrEqual(
            Math.ceil(set.ranges.fingerprint(from, to).count / parts) + 4,
          )
        }
      }),
    )
  })

  it('remembers a silenced fact, and no longer exchanges it', () => {
    fc.assert(
      fc.property(operations, fc.nat(), (steps, pick) => {
        const { set, model } = build(steps)
        const items = [...model.values()]
        const item = items[pick % Math.max(items.length, 1)]
        if (item === undefined) return
        set.silence(item)
        set.silence(item)
        expect(show(set.get(item.key) as Fact)).toBe(show(item))
        model.delete(item.key)
        expect(set.ranges.count).toBe(model.size)
        expect(set.ranges.bytes).toBe(total(model))
        expect(set.ranges.range(0, hashSpace).map(show)).toEqual(ordered(model, 0, hashSpace))
        set.put(item)
        expect(set.ranges.count).toBe(model.size + 1)
        set.silence(item)
        set.delete(item)
        expect(set.get(item.key)).toBeUndefined()
        expect(set.ranges.count).toBe(model.size)
        expect(set.ranges.bytes).toBe(total(model))
      }),
    )
  })

  it('is empty after it was cleared', () => {
    const { set } = build([{ put: true, fact: factAt(spread, 'a', 3, 4), other: false }])
    set.clear()
    expect([set.ranges.count, set.ranges.bytes]).toEqual([0, 0])
    expect(set.ranges.fingerprint(0, hashSpace)).toEqual({ count: 0, high: 0, low: 0 })
  })
})
