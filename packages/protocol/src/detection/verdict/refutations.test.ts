import { beforeEach, describe, expect, it } from 'vitest'
import { actors, pool, servicesOf, type Actor } from '../../../test/actors.ts'
import { defaultConfig } from '../../base/config.ts'
import { Context } from '../../context/context.ts'
import { factOf, type Fact } from '../../facts/fact.ts'
import { Heartbeats } from '../probing/heartbeats.ts'
import { Refutations } from './refutations.ts'

const [self, alice, bob] = actors(3) as [Actor, Actor, Actor]

let context: Context
let refutations: Refutations
let signatures: number

beforeEach(() => {
  const services = servicesOf(self.id)
  signatures = 0
  const sign = (message: Uint8Array): Uint8Array => {
    signatures += 1
    return services.sign(message)
  }
  context = new Context({ id: self.id, pool, config: defaultConfig, services: { ...services, sign } })
  context.bornAt = 5_000
  context.now = 105_400
  for (const actor of [self, alice, bob]) context.view.merge(factOf({ statement: actor.joined() }), 0, 0)
  refutations = new Refutations(context, new Heartbeats(context))
})

/** Returns what is published if the timer is due. */
function publication(): Fact | undefined {
  let fact: Fact | undefined
  context.timers.fire(context.now, () => (fact = refutations.publication()))
  return fact
}

const heartbeatOf = (heartbeat: number): number | undefined => refutations.refute(alice.suspects(self, heartbeat))?.content.heartbeat

describe('the heartbeat of this node', () => {
  it('is the age of its life in seconds', () => {
    expect(refutations.heartbeat).toBe(100)
    context.now += 600
    expect(refutations.heartbeat).toBe(101)
  })

  it('is never less than the one that it signed', () => {
    expect(heartbeatOf(100)).toBe(101)
    expect(refutations.heartbeat).toBe(101)
  })
})

describe('a refutation by this node', () => {
  it('is signed once per heartbeat, however many peers ask', () => {
    const first = refutations.sign()
    expect(refutations.sign()).toBe(first)
    expect(signatures).toBe(1)
    context.now += 1_000
    expect(refutations.sign().content.heartbeat).toBe(101)
  })

  it('exceeds the heartbeat that it refutes', () => {
    expect(heartbeatOf(0)).toBe(100)
    expect(heartbeatOf(99)).toBe(100)
    expect(heartbeatOf(100)).toBe(101)
  })

  it('is signed at most once a second whatever heartbeats are cited, and does not run ahead of the clock', () => {
    for (let heartbeat = 0; heartbeat < 2_000; heartbeat++) heartbeatOf(heartbeat)
    expect(signatures).toBeLessThanOrEqual(2)
    expect(refutations.heartbeat).toBeLessThanOrEqual(101)
  })

  it('is a fact once it is published, and the latest of its life is kept', () => {
    heartbeatOf(50)
    expect(refutations.of(self.id)).toBeUndefined()
    expect(publication()).toBeDefined()
    expect(refutations.of(self.id)?.content.heartbeat).toBe(100)
    context.now += 10_000
    heartbeatOf(105)
    publication()
    expect(refutations.of(self.id)?.content.heartbeat).toBe(110)
  })

  it('is published at most once a second, and later refutations wait for that second to pass', () => {
    const publishes = (): boolean => {
      heartbeatOf(refutations.heartbeat)
      return publication() !== undefined
    }
    const start = context.now
    expect(publishes()).toBe(true)
    expect(context.timers.at('refutation')).toBe(Infinity)
    context.now += 800
    expect(publishes()).toBe(false)
    expect(context.timers.at('refutation')).toBe(start + 1_000)
    context.now = start + 1_000
    expect(publication()).toBeDefined()
    expect(publication()).toBeUndefined()
  })

  it('is not published again for an accusation that the published one refutes', () => {
    heartbeatOf(50)
    publication()
    context.now += 60_000
    expect(heartbeatOf(60)).toBe(100)
    expect(context.timers.at('refutation')).toBe(Infinity)
  })

  it('does not answer an accusation of another life', () => {
    expect(refutations.refute(alice.suspects(self, 0, 2))).toBeUndefined()
  })
})

describe('a refutation by another member', () => {
  it('is news if it is later than the known one and of the present life', () => {
    expect(refutations.isNews(alice.refutes(3))).toBe(true)
    refutations.merge(alice.refutes(3))
    expect([2, 3, 4].map((heartbeat) => refutations.isNews(alice.refutes(heartbeat)))).toEqual([false, false, true])
    context.view.merge(factOf({ statement: alice.joined({ incarnation: 2 }) }), 0, 0)
    expect(refutations.isNews(alice.refutes(4))).toBe(false)
    expect(refutations.of(alice.id)).toBeUndefined()
  })

  it('is kept for peers that join later, and forgotten with the life', () => {
    refutations.merge(alice.refutes(3))
    const size = context.facts.ranges.count
    refutations.forget(alice.id)
    expect(context.facts.ranges.count).toBe(size - 1)
    expect(refutations.of(alice.id)).toBeUndefined()
  })

  it('is no news if it is by a stranger', () => {
    const [stranger] = actors(1, 9) as [Actor]
    expect(refutations.isNews(stranger.refutes(3))).toBe(false)
  })
})
