import { describe, expect, it } from 'vitest'
import { actors, type Actor } from '../../../test/actors.ts'
import type { Bench } from '../../../test/bench.ts'
import { aims, gather, lose, poolOf, timeToAccusation } from '../../../test/detection.ts'
import { decodeId } from '../../base/id.ts'

const [self, hidden, bob, carol, dave] = actors(5) as [Actor, Actor, Actor, Actor, Actor]

/** Returns a pool in which one linked member says that it is hidden. */
function pool(): Bench {
  const bench = poolOf(self, [hidden, bob, carol, dave])
  bench.overhears(hidden.joined({ version: 2, reach: 'hidden' }))
  return bench
}

describe('a hidden member', () => {
  it('that is missed is dialled over its relays, without a host probe', () => {
    const bench = pool()
    expect(aims([...lose(bench, hidden, 'silent'), ...bench.advance(10)], hidden)).toEqual(['connect'])
  })

  it('is accused within a second if its relays do not have it', () => {
    const bench = pool()
    lose(bench, hidden, 'silent')
    expect(timeToAccusation(bench, hidden, 5_000)).toBeLessThan(1_000)
  })

  it('gets as much time as other members if it does not answer, or its relays can not tell', () => {
    for (const failure of ['unresponsive', 'failed'] as const) {
      const bench = pool()
      bench.reach.set(hidden.id, failure)
      bench.unlink(hidden)
      expect(timeToAccusation(bench, hidden, 30_000)).toBeGreaterThan(14_000)
    }
  })

  it('without a link is dialled for a member that asks about it', () => {
    const bench = poolOf(self, [bob, carol, dave])
    bench.actors.set(hidden.id, hidden)
    bench.overhears(hidden.joined({ reach: 'hidden' }))
    bench.advance(1_000)
    const effects = bench.receive(bob, { pingReq: { subjects: [Uint8Array.from(decodeId(hidden.id))] } })
    expect(aims([...effects, ...bench.advance(gather)], hidden)).toEqual(['connect'])
  })
})
