import { describe, expect, it } from 'vitest'
import { actors, pool, servicesOf, type Actor } from '../../../test/actors.ts'
import { defaultConfig } from '../../base/config.ts'
import { Context } from '../../context/context.ts'
import { factOf } from '../../facts/fact.ts'
import { mostAccusers, Quorum } from './quorum.ts'

const everyone = actors(40)
const [self, suspect, ...others] = everyone as [Actor, Actor, ...Actor[]]

/**
 * Returns the quorum among `size` members. `observers`: the suspect's observers without this node.
 * `accused`: the members that this node accuses without the suspect.
 */
function quorumOf(size: number, { observers = size - 2, accused = 0 } = {}): Quorum {
  const context = new Context({ id: self.id, pool, config: defaultConfig, services: servicesOf(self.id) })
  for (const actor of everyone.slice(0, size)) context.view.merge(factOf({ statement: actor.joined() }), 0, 0)
  const dead = others.slice(0, accused).map(({ id }) => id)
  return new Quorum(context, {
    observersOf: () => new Set([self.id, ...others.slice(0, observers).map(({ id }) => id)]),
    isAccused: (id) => id === suspect.id || dead.includes(id),
    accused: 1 + dead.length,
  })
}

describe('a quorum', () => {
  it('fits into a certificate', () => {
    expect(mostAccusers).toBeLessThanOrEqual(defaultConfig.limits.accusers)
  })

  it.each([
    [2, 1],
    [3, 2],
    [4, 2],
    [5, 3],
    [6, 3],
    [7, 4],
    [8, 4],
    [40, 4],
  ])('among %i members is the majority of the others, at most %i', (size, needed) => {
    expect(quorumOf(size).toBelieve(suspect.id)).toBe(needed)
    expect(quorumOf(size).toCertify(suspect.id)).toBe(needed)
  })

  it('to certify is the majority of the observers, in a pool of any size', () => {
    expect(quorumOf(40, { observers: 4 }).toCertify(suspect.id)).toBe(3)
    expect(quorumOf(40, { observers: 4 }).toBelieve(suspect.id)).toBe(4)
  })

  it('leaves out members that this node accuses itself: a remainder can still pronounce deaths', () => {
    expect(quorumOf(8, { accused: 5 }).toBelieve(suspect.id)).toBe(2)
    expect(quorumOf(8, { accused: 5 }).toCertify(suspect.id)).toBe(2)
    expect(quorumOf(8, { accused: 6 }).toBelieve(suspect.id)).toBe(1)
  })

  it('is never zero', () => {
    expect(quorumOf(2, { observers: 0 }).toCertify(suspect.id)).toBe(1)
    expect(quorumOf(1).toBelieve(suspect.id)).toBe(1)
  })
})
