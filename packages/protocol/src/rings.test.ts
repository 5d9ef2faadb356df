import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { defaultConfig } from './config.ts'
import { observersOf, Rings } from './rings.ts'

const count = defaultConfig.links.rings
const name = fc.nat(60).map((n) => `node-${n}`)
const pool = fc.uniqueArray(name, { minLength: 1, maxLength: 40 })

function around(self: string, members: readonly string[]): Rings {
  const rings = new Rings(self, count)
  for (const id of members) rings.add(id)
  return rings
}

const membersOf = (ids: readonly string[]): { id: string }[] => ids.map((id) => ({ id }))
const sorted = (ids: ReadonlySet<string>): string[] => [...ids].sort()

describe('Rings', () => {
  it('make neighbours of each other: whom one observes observes it, too', () => {
    fc.assert(
      fc.property(pool, (ids) => {
        const neighbours = new Map(ids.map((id) => [id, around(id, ids).neighbours]))
        for (const [id, theirs] of neighbours) {
          expect(theirs).not.toContain(id)
          for (const other of theirs) expect(neighbours.get(other)).toContain(id)
        }
      }),
    )
  })

  it('let everyone observe everyone in a small pool', () => {
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 5 }), (ids) => {
        for (const id of ids) expect(sorted(around(id, ids).neighbours)).toEqual(ids.filter((other) => other !== id).sort())
      }),
    )
  })

  it('give each member of a large pool several observers, and bound them', () => {
    const ids = Array.from({ length: 300 }, (_, i) => `node-${i}`)
    for (const id of ids) {
      const { size } = around(id, ids).neighbours
      expect(size).toBeGreaterThanOrEqual(defaultConfig.detection.quorum)
      expect(size).toBeLessThanOrEqual(count * 4)
    }
  })

  it('come to the same one by one as at once, whoever came and went', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ enters: fc.boolean(), id: name }), { maxLength: 60 }), (steps) => {
        const rings = new Rings('self', count)
        const members = new Set<string>()
        for (const { enters, id } of steps) {
          if (enters) {
            members.add(id)
            rings.add(id)
          } else if (members.delete(id)) rings.remove(id, membersOf([...members]))
        }
        expect(sorted(rings.neighbours)).toEqual(sorted(around('self', [...members]).neighbours))
      }),
      { numRuns: 200 },
    )
  })

  it('do not depend on the order in which members entered', () => {
    fc.assert(
      fc.property(pool, (ids) => {
        expect(sorted(around('self', ids).neighbours)).toEqual(sorted(around('self', ids.toReversed()).neighbours))
      }),
    )
  })

  it('are looked up for any other member as that member sees them', () => {
    fc.assert(
      fc.property(pool, (ids) => {
        for (const id of ids) expect(sorted(observersOf(id, membersOf(ids), count))).toEqual(sorted(around(id, ids).neighbours))
      }),
    )
  })

  it('never hold the node itself, and are empty after they were cleared', () => {
    const rings = around('self', ['self', 'a', 'b'])
    expect(sorted(rings.neighbours)).toEqual(['a', 'b'])
    rings.clear()
    expect(rings.neighbours.size).toBe(0)
    rings.add('c')
    expect(sorted(rings.neighbours)).toEqual(['c'])
  })
})
