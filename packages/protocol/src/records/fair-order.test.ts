import { describe, expect, it } from 'vitest'
import { actors } from '../../test/actors.ts'
import { createRandom } from '../base/random.ts'
import { factOf, type Fact } from '../facts/fact.ts'
import { FairOrder } from './fair-order.ts'

const owners = actors(5)
const recordOf = (owner: number, name: string): Fact => factOf({ statement: (owners[owner] as (typeof owners)[0]).publishes(name) })

/** Adds the facts one by one. Returns the facts that are kept if there is room for this many. */
function kept(room: number, facts: readonly Fact[], before: readonly Fact[] = []): Fact[] {
  const order = new FairOrder()
  for (const fact of [...before, ...facts]) {
    order.add(fact)
    const last = order.last()
    if (order.size > room && last !== undefined) order.remove(last)
  }
  return order.facts()
}

const keys = (facts: readonly Fact[]): string[] => facts.map(({ key }) => key).sort()

describe('the order in which records are evicted', () => {
  const random = createRandom(3)
  // prettier-ignore
  const shuffled = <T>(list: readonly T[]): T[] => list.map((each) => [random(), each] as const).sort(([a], [b]) => a - b).map(([, each]) => each)

  it('keeps the same records in whatever order they come, and whatever subsets were kept before', () => {
    for (let round = 0; round < 200; round++) {
      const facts = Array.from({ length: 30 }, (_, i) => recordOf(Math.floor(random() ** 2 * 5), `name ${round} ${i}`))
      const room = 1 + Math.floor(random() * 20)
      const expected = keys(kept(room, facts))
      expect(keys(kept(room, shuffled(facts)))).toEqual(expected)
      const half = shuffled(facts)
      const [one, other] = [kept(room, half.slice(0, 15)), kept(room, half.slice(15))]
      expect(keys(kept(room, other, one))).toEqual(expected)
    }
  })

  it('leaves each owner its records up to an equal share', () => {
    const greedy = Array.from({ length: 100 }, (_, i) => recordOf(0, `greedy ${i}`))
    const modest = [1, 2, 3].flatMap((owner) => [recordOf(owner, 'one'), recordOf(owner, 'two')])
    const found = kept(20, shuffled([...greedy, ...modest]))
    expect(found).toHaveLength(20)
    for (const fact of modest) expect(keys(found)).toContain(fact.key)
  })

  it('forgets removed records', () => {
    const order = new FairOrder()
    const facts = [recordOf(0, 'a'), recordOf(0, 'b'), recordOf(1, 'c')]
    for (const fact of facts) order.add(fact)
    order.remove(facts[1] as Fact)
    order.remove(recordOf(2, 'never there'))
    expect(keys(order.facts())).toEqual(keys([facts[0] as Fact, facts[2] as Fact]))
    expect(order.size).toBe(2)
  })
})
