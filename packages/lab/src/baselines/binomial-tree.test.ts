import type { Member } from '@jel/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BinomialTree } from './binomial-tree.ts'
import { PoolEvent } from './event-stream.ts'

function join(time: number): PoolEvent {
  const member: Member = {
    id: `n${time}`,
    incarnation: 1,
    addresses: [],
    location: '',
    tag: new Uint8Array(),
    constants: new Map(),
    reach: 'direct',
    joinedAt: 0,
  }
  return new PoolEvent(time, 'joined', member)
}

/** The number of hops from the root to each event. Fails on events that are reached twice. */
function depths(tree: BinomialTree): Map<PoolEvent, number> {
  const found = new Map<PoolEvent, number>()
  const visit = (of: PoolEvent | undefined, depth: number): void => {
    for (const child of tree.children(of)) {
      expect(found.has(child), `${child.member.id} is reached twice`).toBe(false)
      found.set(child, depth)
      visit(child, depth + 1)
    }
  }
  visit(undefined, 1)
  return found
}

describe('BinomialTree', () => {
  it('gives the root of 2^k - 1 nodes k children, each at the top of half of the remaining nodes', () => {
    const tree = new BinomialTree()
    for (let time = 0; time < 31; time++) tree.add(join(time))
    const sizes = tree.children(undefined).map((child) => {
      const below = (of: PoolEvent): number => tree.children(of).reduce((sum, each) => sum + below(each), 1)
      return below(child)
    })
    expect(sizes).toEqual([16, 8, 4, 2, 1])
  })

  it('reaches each node once in a logarithmic number of hops, also after joins and leaves', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ leave: fc.boolean(), who: fc.nat() }), { maxLength: 200 }), (steps) => {
        const tree = new BinomialTree()
        const present: PoolEvent[] = []
        let most = 0
        for (const [time, { leave, who }] of steps.entries()) {
          if (leave && present.length > 0) expect(tree.remove(present.splice(who % present.length, 1)[0] as PoolEvent)).toBe(true)
          else {
            const event = join(time)
            present.push(event)
            tree.add(event)
          }
          most = Math.max(most, present.length)
        }
        const found = depths(tree)
        expect(new Set(found.keys())).toEqual(new Set(present))
        expect(Math.max(0, ...found.values())).toBeLessThanOrEqual(Math.ceil(Math.log2(most + 1)))
      }),
    )
  })

  it('has a copy that is the same tree, also after later joins', () => {
    const tree = new BinomialTree()
    const events = Array.from({ length: 40 }, (_, time) => join(time))
    for (const event of events) tree.add(event)
    for (const at of [3, 17, 4]) tree.remove(events[at] as PoolEvent)
    const copy = tree.copy()
    for (const each of [tree, copy]) each.add(events[39] as PoolEvent)
    const late = [join(40), join(41)]
    for (const event of late) {
      tree.add(event)
      copy.add(event)
    }
    for (const event of [undefined, ...tree.list]) expect(copy.children(event)).toEqual(tree.children(event))
  })
})
