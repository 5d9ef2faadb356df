import type { Member, Notification } from '@jel/protocol'
import { describe, expect, it } from 'vitest'
import { PoolWatch } from './pool-watch.ts'

function news(type: 'joined' | 'left' | 'died', node: number): Notification {
  const member: Member = { id: `n${node}`, incarnation: 1, addresses: [], location: '', tag: new Uint8Array() }
  return { type, member }
}

/** Three nodes; the first two take part and see each other. */
function pair(): PoolWatch {
  const watch = new PoolWatch(3)
  for (const node of [0, 1, 2]) watch.name(node, `n${node}`)
  for (const node of [0, 1]) {
    watch.starts(node)
    for (const other of [0, 1]) watch.told(node, news('joined', other))
  }
  return watch
}

describe('PoolWatch', () => {
  it('averages over all that take part, newcomers with 0', () => {
    const watch = pair()
    expect([watch.perceived, watch.allKnowAll]).toEqual([2, true])
    watch.starts(2)
    expect(watch.perceived).toBeCloseTo(4 / 3)
    expect(watch.allKnowAll).toBe(false)
  })

  it('is content only when each sees exactly those that take part', () => {
    const watch = pair()
    watch.starts(2)
    for (const node of [0, 1, 2]) watch.told(2, news('joined', node))
    watch.told(0, news('joined', 2))
    expect(watch.allKnowAll).toBe(false)
    watch.told(1, news('joined', 2))
    expect(watch.allKnowAll).toBe(true)
  })

  it('is not deceived by views of the right size with the wrong members', () => {
    const watch = pair()
    watch.starts(2)
    watch.ends(1)
    // Node 0 still sees node 1 and not node 2: two members, one of them wrong.
    for (const node of [0, 2]) watch.told(2, news('joined', node))
    expect([watch.present, watch.perceived, watch.allKnowAll]).toEqual([2, 2, false])
    watch.told(0, news('died', 1))
    watch.told(0, news('joined', 2))
    expect(watch.allKnowAll).toBe(true)
  })

  it('counts the same news once', () => {
    const watch = pair()
    watch.told(0, news('joined', 1))
    expect(watch.perceived).toBe(2)
  })
})
