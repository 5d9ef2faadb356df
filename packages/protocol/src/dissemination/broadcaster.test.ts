import { beforeEach, describe, expect, it } from 'vitest'
import { actors, pool, servicesOf, type Actor } from '../../test/actors.ts'
import { broadcastsIn, hex } from '../../test/bench.ts'
import { makeConfig } from '../base/config.ts'
import { Context } from '../context/context.ts'
import { factOf, type Fact } from '../facts/fact.ts'
import { Broadcaster, delay, delayMax, turnLength } from './broadcaster.ts'
import { LazyPush } from './lazy-push.ts'

const people = actors(200)
const config = makeConfig()

let context: Context<Uint8Array>
let broadcaster: Broadcaster

beforeEach(() => {
  const [self] = people as [Actor]
  context = new Context({ id: self.id, pool, config, services: servicesOf(self.id) })
  context.now = 50_000
  broadcaster = new Broadcaster(context, new LazyPush(context))
})

const fact = (i: number, incarnation = 1): Fact => {
  const actor = people[i] as Actor
  return factOf({ statement: actor.joined({ incarnation }) })
}

/** Lets time pass. Returns the time and the number of facts of each broadcast. */
function advance(span: number): { at: number; facts: number }[] {
  const end = context.now + span
  const published: { at: number; facts: number }[] = []
  while (context.timers.at('broadcast') <= end) {
    context.now = Math.max(context.now, Math.ceil(context.timers.at('broadcast')))
    context.effects = []
    context.timers.fire(context.now, (name) => name === 'broadcast' && broadcaster.due())
    for (const broadcast of broadcastsIn(context.effects)) published.push({ at: context.now, facts: broadcast.facts.length })
  }
  context.now = end
  return published
}

describe('news', () => {
  it('waits briefly for other news, and goes out in one batch', () => {
    const start = context.now
    for (let i = 0; i < 10; i++) broadcaster.queue(fact(i))
    expect(advance(5_000)).toEqual([{ at: start + delay, facts: 10 }])
    expect(context.timers.at('broadcast')).toBe(Infinity)
  })

  it('that others have as well waits longer, by chance', () => {
    const start = context.now
    broadcaster.queue(fact(1), turnLength)
    const [first] = advance(5_000)
    expect(first?.at).toBeGreaterThanOrEqual(start + delay)
    expect(first?.at).toBeLessThanOrEqual(start + delay + turnLength + 1)
  })

  it('is kept back if another member published it first', () => {
    broadcaster.queue(fact(1), turnLength)
    broadcaster.suppress(fact(1).key)
    expect(advance(5_000)).toEqual([])
    expect(context.timers.at('broadcast')).toBe(Infinity)
  })

  it('waits for its turn if others go before', () => {
    const start = context.now
    broadcaster.queue(fact(1), 3 * turnLength)
    expect(advance(5_000)[0]?.at).toBe(start + delay + 3 * turnLength)
  })

  it('that others have as well waits another moment in a late process: it may have been heard meanwhile', () => {
    broadcaster.queue(fact(1), turnLength)
    broadcaster.queue(fact(2))
    context.now += 2_000
    const woken = context.now
    expect(advance(0)).toEqual([{ at: woken, facts: 2 }])
    broadcaster.queue(fact(3), turnLength)
    context.now += 2_000
    expect(advance(0)).toEqual([])
    broadcaster.suppress(fact(3).key)
    expect(advance(5_000)).toEqual([])
  })

  it('about one subject is published only in its latest form', () => {
    broadcaster.queue(fact(1))
    broadcaster.queue(fact(1, 2))
    expect(advance(5_000).map(({ facts }) => facts)).toEqual([1])
  })

  it('in a surge waits longer and longer, so that batches are few and not too large', () => {
    const published: { at: number; facts: number }[] = []
    for (let i = 0; i < 200; i++) {
      broadcaster.queue(fact(i))
      published.push(...advance(20))
    }
    published.push(...advance(5_000))
    expect(published.length).toBeLessThanOrEqual(20)
    for (const { facts } of published) expect(facts).toBeLessThanOrEqual(config.limits.factsPerBroadcast)
    const gaps = published.slice(1).map(({ at }, i) => at - (published[i]?.at as number))
    expect(Math.max(...gaps)).toBeLessThanOrEqual(delayMax + 100)
  })

  it('never makes a batch larger than allowed: reconciliation carries the rest', () => {
    for (let i = 0; i < 200; i++) broadcaster.queue(fact(i))
    expect(advance(10_000).map(({ facts }) => facts)).toEqual([config.limits.factsPerBroadcast])
  })

  it('is published quickly again after a quiet time', () => {
    for (let i = 0; i < 5; i++) {
      broadcaster.queue(fact(i))
      advance(1)
      advance(delayMax)
    }
    advance(1_000)
    const start = context.now
    broadcaster.queue(fact(9))
    expect(advance(5_000)[0]?.at).toBe(start + delay)
  })

  it('can be published at once, and two equal batches are two messages', () => {
    broadcaster.publish([fact(1)])
    broadcaster.publish([fact(1)])
    broadcaster.publish([])
    const messages = context.effects.flatMap((effect) => (effect.type === 'broadcast' ? [hex(effect.data)] : []))
    expect(messages.length).toBe(2)
    expect(new Set(messages).size).toBe(2)
  })
})

describe('news from a link', () => {
  const [, newcomer, other] = people as [Actor, Actor, Actor]

  it('about a newcomer is published as soon as possible: the newcomer informed nobody else', () => {
    const start = context.now
    broadcaster.passOn([fact(1)], newcomer.id, 'entry')
    expect(advance(5_000)).toEqual([{ at: start + delay, facts: 1 }])
  })

  it('by a member about itself is left to that member first, as all its links heard it', () => {
    const start = context.now
    broadcaster.passOn([fact(1, 2)], newcomer.id, 'fresh')
    const [first] = advance(5_000)
    expect(first?.at).toBeGreaterThanOrEqual(start + delay + turnLength)
    expect(first?.at).toBeLessThanOrEqual(start + delay + 4 * turnLength + 1)
  })

  it('by a member about another is published by lot', () => {
    const start = context.now
    broadcaster.passOn([fact(1)], other.id, 'fresh')
    const [first] = advance(5_000)
    expect(first?.at).toBeLessThanOrEqual(start + delay + 3 * turnLength + 1)
  })
})
