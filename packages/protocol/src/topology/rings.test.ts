import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { actors, type Actor } from '../../test/actors.ts'
import { defaultConfig } from '../base/config.ts'
import type { NodeId } from '../base/values.ts'
import { mostAccusers } from '../detection/verdict/quorum.ts'
import { factOf } from '../facts/fact.ts'
import { FactSet } from '../facts/fact-set.ts'
import { Registry, ringPosition } from '../facts/registry.ts'
import { View } from '../facts/membership-view.ts'
import { observersOf, Rings } from './rings.ts'

const count = defaultConfig.links.rings
const people = actors(300)
const self = people[150] as Actor
const pool = fc.uniqueArray(fc.nat(60), { minLength: 1, maxLength: 40 }).map((numbers) => numbers.map((n) => people[n] as Actor))

/** The knowledge of one node, in a registry that also holds facts of others. */
class Viewer {
  readonly registry = new Registry()
  readonly #facts = new FactSet(this.registry)
  readonly view = new View(this.#facts, defaultConfig)

  constructor(members: readonly Actor[], strangers: readonly Actor[] = []) {
    const others = new FactSet(this.registry)
    for (const actor of strangers) others.put(factOf({ statement: actor.joined() }))
    for (const actor of members) this.enter(actor)
  }

  enter(actor: Actor): void {
    this.view.merge(factOf({ statement: actor.joined() }), 0, 0)
  }

  leave(actor: Actor): void {
    this.view.merge(factOf({ statement: actor.left() }), 0, 0)
  }

  rings(center: Actor): Rings {
    return new Rings(center.id, count, this.registry, this.view)
  }

  observers(of: Actor): NodeId[] {
    return sorted(observersOf(of.id, count, this.registry, this.view))
  }
}

function around(center: Actor, members: readonly Actor[], strangers: readonly Actor[] = []): Rings {
  const rings = new Viewer(members, strangers).rings(center)
  for (const { id } of members) rings.add(id)
  return rings
}

/** Computes the observers of a member from all members. */
function scan(center: Actor, members: readonly Actor[]): NodeId[] {
  const found = new Set<NodeId>()
  for (let ring = 0; ring < count; ring++) {
    const at = (id: NodeId): number => ringPosition(id, ring)
    const ids = members.map(({ id }) => id).filter((id) => id !== center.id)
    const ahead = ids.sort((a, b) => at(a) - at(b))
    const start = ahead.findIndex((id) => at(id) > at(center.id))
    const circle = start < 0 ? ahead : [...ahead.slice(start), ...ahead.slice(0, start)]
    for (const id of [...circle.slice(0, 2), ...circle.slice(-2)]) found.add(id)
  }
  return sorted(found)
}

const sorted = (ids: ReadonlySet<string>): string[] => [...ids].sort()

describe('Rings', () => {
  it('make neighbours of each other: an observed member observes its observer', () => {
    fc.assert(
      fc.property(pool, (actors) => {
        const neighbours = new Map(actors.map((actor) => [actor.id, around(actor, actors).neighbours]))
        for (const [id, theirs] of neighbours) {
          expect(theirs).not.toContain(id)
          for (const other of theirs) expect(neighbours.get(other)).toContain(id)
        }
      }),
    )
  })

  it('make all members of a small pool observe each other', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.nat(200), (size, start) => {
        const actors = people.slice(start, start + size)
        for (const actor of actors)
          expect(sorted(around(actor, actors).neighbours)).toEqual(actors.filter((other) => other !== actor).map(({ id }) => id))
      }),
    )
  })

  it('give each member of a large pool several observers, at most a bounded number', () => {
    const viewer = new Viewer(people)
    for (const actor of people) {
      const { length } = viewer.observers(actor)
      expect(length).toBeGreaterThanOrEqual(mostAccusers)
      expect(length).toBeLessThanOrEqual(count * 4)
    }
  })

  it('are the same built one by one as built at once, whoever came and went', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ enters: fc.boolean(), who: fc.nat(60) }), { maxLength: 60 }), (steps) => {
        const viewer = new Viewer([])
        const rings = viewer.rings(self)
        const members = new Set<Actor>()
        const gone = new Set<Actor>()
        for (const { enters, who } of steps) {
          const actor = people[who] as Actor
          if (enters && !gone.has(actor)) {
            members.add(actor)
            viewer.enter(actor)
            rings.add(actor.id)
          } else if (members.delete(actor)) {
            gone.add(actor)
            viewer.leave(actor)
            rings.remove(actor.id)
          }
        }
        expect(sorted(rings.neighbours)).toEqual(scan(self, [...members]))
      }),
      { numRuns: 200 },
    )
  })

  it('leave out members that only others know', () => {
    fc.assert(
      fc.property(pool, pool, (known, others) => {
        const viewer = new Viewer(known, others)
        for (const actor of [...known, ...others]) expect(viewer.observers(actor)).toEqual(scan(actor, known))
      }),
    )
  })

  it('never contain the node itself, and are empty after they were cleared', () => {
    const [a, b, c] = people as [Actor, Actor, Actor]
    const rings = around(self, [self, a, b], [c])
    expect(sorted(rings.neighbours)).toEqual([a.id, b.id])
    rings.clear()
    expect(rings.neighbours.size).toBe(0)
    rings.add(c.id)
    expect(sorted(rings.neighbours)).toEqual([c.id])
  })
})
