import { beforeEach, describe, expect, it } from 'vitest'
import { actors, alarm, death, facts, wireFact, type Actor } from '../../../test/actors.ts'
import { framesTo, type Bench } from '../../../test/bench.ts'
import { accuses, isDead, isSuspected, lose, poolOf, probesTo } from '../../../test/detection.ts'
import type { Effect } from '../../base/effect.ts'
import type * as wire from '../../wire/messages.js'
import { mostAccusers } from './quorum.ts'

const [self, suspect, ...others] = actors(12) as [Actor, Actor, ...Actor[]]
const accusers = others.slice(0, mostAccusers)
const [bob] = others as [Actor]
const holdTime = 5_000

let bench: Bench

beforeEach(() => {
  bench = poolOf(self, [suspect, ...others])
})

const toldTo = (actor: Actor, effects: readonly Effect[]): wire.Fact['certificate'][] =>
  framesTo(actor.id, effects).flatMap((frame) => (frame.facts?.facts ?? []).flatMap(({ certificate }) => certificate ?? []))

describe('a death of a member in contact with this node', () => {
  const certificate = death(suspect, accusers, 1)

  it('is passed on to that member first, and is reported when its next life comes', () => {
    const effects = bench.receive(bob, facts([certificate]))
    expect(toldTo(suspect, effects)).toEqual([wireFact(certificate).certificate])
    bench.advance(1_000)
    expect(bench.members).toContain(suspect.id)
    bench.receive(suspect, facts([suspect.joined({ incarnation: 2 })], true))
    expect(bench.changes.slice(-2)).toEqual([`died:${suspect.id}:1`, `joined:${suspect.id}:2`])
    bench.advance(holdTime * 3)
    expect(bench.node.member(suspect.id)?.incarnation).toBe(2)
  })

  it('is not believed because of a stall of this process: the next life may wait in its sockets', () => {
    bench.receive(bob, facts([certificate]))
    bench.sleep(holdTime * 2)
    expect(isDead(bench, suspect)).toBe(false)
    bench.receive(suspect, facts([suspect.joined({ incarnation: 2 })], true))
    expect(bench.changes.slice(-2)).toEqual([`died:${suspect.id}:1`, `joined:${suspect.id}:2`])
  })

  it('is believed if no next life comes', () => {
    bench.receive(bob, facts([certificate]))
    bench.advance(holdTime + 100)
    expect(isDead(bench, suspect)).toBe(true)
  })
})

describe('a death that its member has since refuted', () => {
  const few = death(suspect, accusers.slice(0, 2), 20)
  const many = death(suspect, accusers, 20)

  it('is passed on to its member and not believed: nodes that believed it earlier cannot undo it', () => {
    bench.advance(60_000)
    bench.receive(bob, alarm(suspect.refutes(50)))
    // Few accusers end no life: otherwise one liar would be enough.
    expect(toldTo(suspect, bench.receive(bob, facts([few])))).toEqual([])
    expect(toldTo(suspect, bench.receive(bob, facts([many])))).toEqual([wireFact(many).certificate])
    bench.advance(holdTime * 4)
    expect(isDead(bench, suspect)).toBe(false)
  })

  it('is believed once this node accuses the member itself', () => {
    bench.receive(bob, alarm(suspect.refutes(21)))
    lose(bench, suspect)
    bench.until(() => accuses(bench, suspect), 20_000)
    bench.overhears(few)
    expect(isDead(bench, suspect)).toBe(false)
    bench.receive(bob, facts([few]))
    expect(isDead(bench, suspect)).toBe(true)
  })

  it('makes this node probe the member, which may have died since, but not distrust it for long', () => {
    bench.receive(bob, alarm(suspect.refutes(21)))
    expect(probesTo(suspect, bench.receive(bob, facts([few])))).toBe(1)
    bench.advance(60_000)
    lose(bench, suspect)
    bench.advance(500)
    expect(isDead(bench, suspect)).toBe(false)
  })

  it('does not prevent a death with enough accusers', () => {
    bench.receive(bob, alarm(suspect.refutes(21)))
    bench.receive(bob, facts([few]))
    bench.receive(bob, facts([death(suspect, accusers, 22)]))
    bench.advance(holdTime + 100)
    expect(isDead(bench, suspect)).toBe(true)
  })
})

describe('a death whose accusers this node never met', () => {
  const certificate = death(suspect, actors(4, 99), 1)

  it('is believed once this node accuses the member itself, if a member sends it', () => {
    bench.receive(bob, facts([certificate]))
    lose(bench, suspect)
    bench.until(() => accuses(bench, suspect), 20_000)
    bench.overhears(certificate)
    expect(isDead(bench, suspect)).toBe(false)
    bench.receive(bob, facts([certificate]))
    expect(isDead(bench, suspect)).toBe(true)
  })
})

describe('a death that its member has outlived, as far as this node knows', () => {
  const old = death(suspect, accusers, 20)

  beforeEach(() => {
    bench.advance(200_000)
  })

  it('is passed on to its member and not believed, neither now nor later', () => {
    const effects = bench.receive(bob, facts([old]))
    expect(toldTo(suspect, effects)).toEqual([wireFact(old).certificate])
    bench.advance(holdTime * 4)
    expect(bench.members).toContain(suspect.id)
    expect([isDead(bench, suspect), isSuspected(bench)]).toEqual([false, false])
  })

  it('is passed on to its member when a link is up', () => {
    bench.receive(suspect, { goodbye: { reason: 'more links than needed' } })
    bench.unlink(suspect)
    bench.receive(bob, facts([old]))
    expect(toldTo(suspect, bench.link(suspect))).toEqual([wireFact(old).certificate])
    bench.advance(holdTime * 4)
    expect(isDead(bench, suspect)).toBe(false)
  })

  it('is not believed even if this node is not in contact with the member', () => {
    bench.reach.set(suspect.id, 'unresponsive')
    bench.unlink(suspect)
    bench.receive(bob, facts([old]))
    bench.advance(holdTime * 2)
    expect(isDead(bench, suspect)).toBe(false)
  })

  it('is believed if one of its accusers heard the member recently', () => {
    const mixed = death(suspect, accusers, bench.heartbeat - 10)
    bench.reach.set(suspect.id, 'unresponsive')
    bench.unlink(suspect)
    bench.receive(bob, facts([mixed]))
    expect(isDead(bench, suspect)).toBe(true)
  })
})
