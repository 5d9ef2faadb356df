import { beforeEach, describe, expect, it } from 'vitest'
import { actors, pool, servicesOf, type Actor } from '../../../test/actors.ts'
import { defaultConfig } from '../../base/config.ts'
import { Context } from '../../context/context.ts'
import { Heartbeats } from './heartbeats.ts'

const [self, alice] = actors(2) as [Actor, Actor]

let context: Context
let heartbeats: Heartbeats

beforeEach(() => {
  context = new Context({ id: self.id, pool, config: defaultConfig, services: servicesOf(self.id) })
  context.now = 50_000
  heartbeats = new Heartbeats(context)
})

describe('the heartbeat of a member', () => {
  it('is 0 until one is heard, and never decreases', () => {
    expect(heartbeats.of(alice.id)).toBe(0)
    heartbeats.heard(alice.id, 30)
    heartbeats.heard(alice.id, 20)
    heartbeats.signed(alice.refutes(25), true)
    expect(heartbeats.of(alice.id)).toBe(30)
    heartbeats.signed(alice.refutes(31), true)
    expect(heartbeats.of(alice.id)).toBe(31)
  })

  it('is forgotten with its life', () => {
    heartbeats.heard(alice.id, 30)
    heartbeats.forget(alice.id)
    expect(heartbeats.of(alice.id)).toBe(0)
    expect(heartbeats.isFresh(alice.refutes(1))).toBe(true)
  })
})

describe('a refutation that a member signed', () => {
  it('is passed on to others for a second', () => {
    const refutation = alice.refutes(30)
    heartbeats.signed(refutation, true)
    context.now += 900
    expect(heartbeats.recent(alice.id)).toBe(refutation)
    context.now += 100
    expect(heartbeats.recent(alice.id)).toBeUndefined()
  })

  it('is kept if it is the latest, and proves life only if it had just been signed', () => {
    const [old, latest] = [alice.refutes(20), alice.refutes(30)]
    heartbeats.signed(latest, true)
    context.now += 5_000
    heartbeats.signed(old, true)
    expect(heartbeats.refutation(alice.id)).toBe(latest)
    expect(heartbeats.provenAt(alice.id)).toBe(context.now - 5_000)
    heartbeats.signed(alice.refutes(31), false)
    expect(heartbeats.refutation(alice.id)?.content.heartbeat).toBe(31)
    expect(heartbeats.provenAt(alice.id)).toBe(context.now - 5_000)
  })

  it('is not served from memory if it was old when it came', () => {
    heartbeats.signed(alice.refutes(30), false)
    expect([heartbeats.recent(alice.id), heartbeats.provenAt(alice.id)]).toEqual([undefined, -Infinity])
  })

  it('is not served if only an unsigned answer was heard', () => {
    heartbeats.heard(alice.id, 30)
    expect(heartbeats.recent(alice.id)).toBeUndefined()
  })

  it('does not become recent again by an unsigned answer', () => {
    heartbeats.signed(alice.refutes(30), true)
    context.now += 5_000
    heartbeats.heard(alice.id, 35)
    expect(heartbeats.recent(alice.id)).toBeUndefined()
  })

  it('before the last answer does not change the known time', () => {
    heartbeats.heard(alice.id, 30)
    context.now += 5_000
    heartbeats.signed(alice.refutes(29), true)
    expect(heartbeats.isFresh(alice.refutes(30))).toBe(false)
  })

  it('is not fresh if it lags behind the time since the last heartbeat: a helper kept it back', () => {
    heartbeats.heard(alice.id, 30)
    context.now += 20_000
    expect([30, 40, 45].map((heartbeat) => heartbeats.isFresh(alice.refutes(heartbeat)))).toEqual([false, false, false])
    expect([46, 50, 60].map((heartbeat) => heartbeats.isFresh(alice.refutes(heartbeat)))).toEqual([true, true, true])
  })
})
