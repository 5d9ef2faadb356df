import { describe, expect, it } from 'vitest'
import { actors, type Actor } from '../../test/actors.ts'
import { factOf } from './fact.ts'
import { FactSet } from './fact-set.ts'
import { Registry, ringPosition } from './registry.ts'

const people = actors(40)
const [alice, bob] = people as [Actor, Actor]

describe('a registry', () => {
  it('keeps one of equal facts, however many holders it has', () => {
    const registry = new Registry()
    const [one, other] = [new FactSet(registry), new FactSet(registry)]
    const held = one.put(factOf({ statement: alice.joined() }))
    expect(other.put(factOf({ statement: alice.joined() }))).toBe(held)
    expect(other.put(factOf({ statement: alice.joined({ nonce: 8 }) }))).not.toBe(held)
    expect(one.about(alice.id)).toBe(held)
  })

  it('forgets a fact when its last holder releases it, so that facts that come and go take no room', () => {
    const registry = new Registry()
    const [one, other] = [new FactSet(registry), new FactSet(registry)]
    for (let round = 1; round < 50; round++) {
      const fact = factOf({ statement: bob.joined({ incarnation: round }) })
      one.put(fact)
      other.put(fact)
      one.put(factOf({ statement: bob.left(round) }))
      one.delete(fact)
      expect(registry.numberOf(fact)).not.toBe(0)
      other.delete(fact)
      expect(registry.numberOf(fact)).toBe(0)
      expect(registry.memberPlace(bob.id)).toBeUndefined()
    }
    expect(registry.places).toBe(1)
    expect(registry.order.size).toBe(0)
  })

  it('accepts a fact again that it had forgotten', () => {
    const registry = new Registry()
    const set = new FactSet(registry)
    const [early, late] = [factOf({ statement: alice.joined() }), factOf({ statement: bob.joined() })]
    set.put(early)
    set.delete(early)
    set.put(late) // under the freed number
    set.put(early)
    expect(set.about(alice.id)).toBe(early)
    expect(set.about(bob.id)).toBe(late)
  })

  it('places members on its rings by their hashes, whenever they came', () => {
    const registry = new Registry()
    const set = new FactSet(registry)
    for (const actor of people.slice(0, 20)) set.put(factOf({ statement: actor.joined() }))
    const { size } = registry.ring(1)
    expect(size).toBe(20)
    for (const actor of people.slice(10)) set.put(factOf({ statement: actor.joined() }))
    for (const actor of people.slice(0, 5)) set.delete(factOf({ statement: actor.joined() }))
    for (const ring of [0, 1]) {
      const order = registry.ring(ring)
      const ids = Array.from(order.places.slice(0, order.size), (place) => registry.memberAt(place))
      const expected = people.slice(5).map(({ id }) => id)
      expect(ids).toEqual(expected.sort((a, b) => ringPosition(a, ring) - ringPosition(b, ring)))
    }
  })
})
