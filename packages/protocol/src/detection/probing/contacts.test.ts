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

it('a node can tell of a member only if it had a link with it in its present life', () => {
  expect(canTell(alice)).toBe(false)
  link(alice)
  expect(canTell(alice)).toBe(true)
  unlink(alice)
  context.now += 3_600_000
  expect(canTell(alice)).toBe(true)
  contacts.forget(alice.id)
  expect(canTell(alice)).toBe(false)
})

it('once helpers reached some member that it did not, only what it heard a moment before counts, for some minutes', () => {
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

it('of a member that helpers reach it can’t tell until it heard that again', () => {
  link(alice)
  unlink(alice)
  context.now += 4_000
  expect(contacts.relayed(alice.id)).toBe(true)
  expect(canTell(alice)).toBe(false)
  context.now += 10
  link(alice)
  expect(canTell(alice)).toBe(true)
})

it('what a helper brings is no news of a member that this node heard a moment before: it may have died since', () => {
  link(alice)
  unlink(alice)
  context.now += 3_999
  expect(contacts.relayed(alice.id)).toBe(false)
  context.now += 1
  expect(canTell(alice)).toBe(true)
})

it('a member that was dialled once can be dialled', () => {
  expect(contacts.isDialable(alice.id)).toBeUndefined()
  link(alice)
  unlink(alice)
  link(alice, false)
  expect(contacts.isDialable(alice.id)).toBe(true)
  link(bob, false)
  expect(contacts.isDialable(bob.id)).toBe(false)
})

it('a new life is known by the link that is up, and one that is no member by none', () => {
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
