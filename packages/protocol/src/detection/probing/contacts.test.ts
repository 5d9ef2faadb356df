import { beforeEach, expect, it } from 'vitest'
import { actors, pool, servicesOf, type Actor } from '../../../test/actors.ts'
import { defaultConfig } from '../../base/config.ts'
import { Context } from '../../context/context.ts'
import { Link } from '../../context/links.ts'
import { factOf } from '../../facts/fact.ts'
import { Contacts, relayedTime } from './contacts.ts'

const [self, alice, bob] = actors(3) as [Actor, Actor, Actor]

let context: Context
let contacts: Contacts

beforeEach(() => {
  context = new Context({ id: self.id, pool, config: defaultConfig, services: servicesOf(self.id) })
  context.now = 1_000_000
  for (const actor of [self, alice, bob]) context.view.merge(factOf({ statement: actor.joined() }), 0, 0)
  contacts = new Contacts(context)
})

function link({ id }: Actor, isDialable = true): void {
  context.links.set(id, new Link(id, isDialable, context.now))
  contacts.linkUp(id)
}

function unlink({ id }: Actor): void {
  const lost = context.links.get(id) as Link
  context.links.delete(id)
  contacts.linkLost(lost)
}

const canTell = ({ id }: Actor): boolean => contacts.canTell(id, context.now)

it('a node can judge only a member with which it had a link in the present life', () => {
  expect(canTell(alice)).toBe(false)
  link(alice)
  expect(canTell(alice)).toBe(true)
  unlink(alice)
  context.now += 3_600_000
  expect(canTell(alice)).toBe(true)
  contacts.forget(alice.id)
  expect(canTell(alice)).toBe(false)
})

it('after helpers reached a member that this node did not, only recent contact counts, for some minutes', () => {
  link(alice)
  unlink(alice)
  contacts.relayed(bob.id)
  expect(canTell(alice)).toBe(true)
  context.now += 31_000
  expect(canTell(alice)).toBe(false)
  expect(contacts.canTell(alice.id, context.now - 10_000)).toBe(true)
  link(alice)
  expect(canTell(alice)).toBe(true)
  unlink(alice)
  context.now += relayedTime - 31_001
  expect(canTell(alice)).toBe(false)
  context.now += 1
  expect(canTell(alice)).toBe(true)
})

it('a node can’t judge a member that helpers reach until it hears from that member again', () => {
  link(alice)
  unlink(alice)
  context.now += 4_000
  expect(contacts.relayed(alice.id)).toBe(true)
  expect(canTell(alice)).toBe(false)
  context.now += 10
  link(alice)
  expect(canTell(alice)).toBe(true)
})

it('an answer through a helper is no news if this node heard from the member a moment before', () => {
  link(alice)
  unlink(alice)
  context.now += 3_999
  expect(contacts.relayed(alice.id)).toBe(false)
  context.now += 1
  expect(canTell(alice)).toBe(true)
})

it('a member that was dialled once is dialable', () => {
  expect(contacts.isDialable(alice.id)).toBeUndefined()
  link(alice)
  unlink(alice)
  link(alice, false)
  expect(contacts.isDialable(alice.id)).toBe(true)
  link(bob, false)
  expect(contacts.isDialable(bob.id)).toBe(false)
})

it('a new life is dialable as its present link says, and a peer that is no member is not recorded', () => {
  link(alice)
  unlink(alice)
  link(alice, false)
  contacts.forget(alice.id)
  expect(contacts.isDialable(alice.id)).toBe(false)
  const [stranger] = actors(1, 77) as [Actor]
  link(stranger)
  unlink(stranger)
  expect(contacts.isDialable(stranger.id)).toBeUndefined()
})
