import { beforeEach, describe, expect, it } from 'vitest'
import { actors, pool, servicesOf, type Actor } from '../../../test/actors.ts'
import { defaultConfig } from '../../base/config.ts'
import { Context } from '../../context/context.ts'
import { Beats } from './beats.ts'

const [self, alice] = actors(2) as [Actor, Actor]

let context: Context
let beats: Beats

beforeEach(() => {
  context = new Context({ id: self.id, pool, config: defaultConfig, services: servicesOf(self.id) })
  context.now = 50_000
  beats = new Beats(context)
})

describe('the beat of a member', () => {
  it('is 0 while none was heard, and never goes back', () => {
    expect(beats.of(alice.id)).toBe(0)
    beats.heard(alice.id, 30)
    beats.heard(alice.id, 20)
    beats.signed(alice.refutes(25), true)
    expect(beats.of(alice.id)).toBe(30)
    beats.signed(alice.refutes(31), true)
    expect(beats.of(alice.id)).toBe(31)
  })

  it('is forgotten with its life', () => {
    beats.heard(alice.id, 30)
    beats.forget(alice.id)
    expect(beats.of(alice.id)).toBe(0)
    expect(beats.isFresh(alice.refutes(1))).toBe(true)
  })
})

describe('what a member signed', () => {
  it('is told to others for a second', () => {
    const refutation = alice.refutes(30)
    beats.signed(refutation, true)
    context.now += 900
    expect(beats.recent(alice.id)).toBe(refutation)
    context.now += 100
    expect(beats.recent(alice.id)).toBeUndefined()
  })

  it('is kept, the latest of it, and counts as proof of life only where it had just been signed', () => {
    const [old, latest] = [alice.refutes(20), alice.refutes(30)]
    beats.signed(latest, true)
    context.now += 5_000
    beats.signed(old, true)
    expect(beats.refutation(alice.id)).toBe(latest)
    expect(beats.provenAt(alice.id)).toBe(context.now - 5_000)
    beats.signed(alice.refutes(31), false)
    expect(beats.refutation(alice.id)?.content.beat).toBe(31)
    expect(beats.provenAt(alice.id)).toBe(context.now - 5_000)
  })

  it('is not told from memory where it was old when it came', () => {
    beats.signed(alice.refutes(30), false)
    expect([beats.recent(alice.id), beats.provenAt(alice.id)]).toEqual([undefined, -Infinity])
  })

  it('is not, if that was before its last answer only', () => {
    beats.heard(alice.id, 30)
    expect(beats.recent(alice.id)).toBeUndefined()
  })

  it('is not made young again by an answer that nobody signed', () => {
    beats.signed(alice.refutes(30), true)
    context.now += 5_000
    beats.heard(alice.id, 35)
    expect(beats.recent(alice.id)).toBeUndefined()
  })

  it('before its last answer leaves what is known of the time as it is', () => {
    beats.heard(alice.id, 30)
    context.now += 5_000
    beats.signed(alice.refutes(29), true)
    expect(beats.isFresh(alice.refutes(30))).toBe(false)
  })

  it('long ago, by the time that went by since the last beat, is not fresh: a helper kept it back', () => {
    beats.heard(alice.id, 30)
    context.now += 20_000
    expect([30, 40, 45].map((beat) => beats.isFresh(alice.refutes(beat)))).toEqual([false, false, false])
    expect([46, 50, 60].map((beat) => beats.isFresh(alice.refutes(beat)))).toEqual([true, true, true])
  })
})
