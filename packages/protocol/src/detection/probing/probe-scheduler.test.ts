import { beforeEach, describe, expect, it } from 'vitest'
import { actors, alarm, pool, servicesOf, type Actor } from '../../../test/actors.ts'
import { framesTo } from '../../../test/bench.ts'
import { isDead, lose, poolOf, probesTo } from '../../../test/detection.ts'
import { defaultConfig } from '../../base/config.ts'
import type { Milliseconds } from '../../base/values.ts'
import { Context } from '../../context/context.ts'
import { Link } from '../../context/links.ts'
import { ProbeScheduler } from './probe-scheduler.ts'

const [self, ...members] = actors(9) as [Actor, ...Actor[]]
const [suspect, bob, carol] = members as [Actor, Actor, Actor]
const { detection, links } = defaultConfig
const { period, probeTimeout } = detection

describe('the time allowed for an answer', () => {
  const observed = members.slice(0, 5)
  let context: Context<Uint8Array>
  let probes: ProbeScheduler

  beforeEach(() => {
    context = new Context({ id: self.id, pool, config: defaultConfig, services: servicesOf(self.id) })
    context.now = 1_000
    for (const { id } of observed) context.links.set(id, new Link(id, true, context.now))
    probes = new ProbeScheduler(context)
    probes.observe(new Set(observed.map(({ id }) => id)))
  })

  /** Probes now, and returns the number of the probe. */
  function ask({ id }: Actor): number {
    context.effects = []
    probes.ask(id)
    return framesTo(id, context.effects)[0]?.probe?.sequence ?? Number.NaN
  }

  function answerAfter(actor: Actor, delay: Milliseconds): void {
    const sequence = ask(actor)
    context.now += delay
    probes.acknowledged(actor.id, sequence, period)
  }

  it('follows the answer times of half of the members', () => {
    for (const actor of observed.slice(0, 2)) answerAfter(actor, 2_000)
    for (const actor of observed.slice(2)) answerAfter(actor, 10)
    expect(probes.isSlow).toBe(false)
    answerAfter(carol, 3_000)
    expect([probes.isSlow, probes.late]).toEqual([true, 6_000])
    for (const actor of observed) answerAfter(actor, 10)
    expect(probes.isSlow).toBe(false)
  })

  it('follows late answers as well', () => {
    probes.observe(new Set([suspect.id]))
    const sequence = ask(suspect)
    context.now += probeTimeout
    expect(probes.due()).toEqual([suspect.id])
    expect(ask(suspect)).toBe(sequence)
    context.now += 500
    probes.acknowledged(suspect.id, sequence, period)
    expect(probes.late).toBe((probeTimeout + 500) * 3)
  })

  it('follows a sign of life from a member whose answer is missing', () => {
    for (const actor of observed) {
      ask(actor)
      context.now += 4_000
      probes.heard(actor.id)
    }
    expect(probes.late).toBe(12_000)
  })

  it('ignores answers that never come', () => {
    for (const actor of observed) ask(actor)
    context.now += 60_000
    probes.due()
    expect(probes.isSlow).toBe(false)
  })

  it('leaves out the time in which this process was stalled', () => {
    for (const actor of observed) {
      const sequence = ask(actor)
      context.now += 10_000
      probes.stalled(10_000)
      probes.acknowledged(actor.id, sequence, period)
    }
    expect(probes.isSlow).toBe(false)
  })

  it('is bounded', () => {
    for (const actor of observed) answerAfter(actor, 3_600_000)
    expect(probes.late).toBe(60_000)
  })

  it('is longer while this node is unhealthy, and as usual again after a few answers', () => {
    ask(suspect)
    const asked = context.now
    for (let i = 0; i < 3; i++) probes.degrade()
    expect(probes.timeout).toBe(probeTimeout * 4)
    for (let i = 0; i < 3; i++) probes.recover()
    expect(context.timers.at('probe')).toBeLessThanOrEqual(asked + probeTimeout)
    for (let i = 0; i < 3; i++) probes.degrade()
    for (const actor of observed) answerAfter(actor, 10)
    expect(probes.timeout).toBe(probeTimeout)
  })
})

describe('probes', () => {
  it('go to each observed member about as often as that member gives turns', () => {
    const bench = poolOf(self, [suspect, bob, carol])
    const span = 60_000
    const effects = bench.advance(span)
    for (const actor of [suspect, bob, carol]) {
      const count = probesTo(actor, effects)
      // The bench answers that the next turn is a period later.
      expect(count).toBeGreaterThanOrEqual(span / period / 2)
      expect(count).toBeLessThanOrEqual(span / period + 1)
    }
  })

  it.each<[string, number, Milliseconds, Milliseconds]>([
    ['never', 0xffffffff, period, period * links.rings * 4 * 1.5],
    ['all the time', 0, period / 2, period],
  ])('continue within bounds to a member that asks for them %s', (_, nextInMs, atLeast, atMost) => {
    const bench = poolOf(self, [suspect])
    bench.unresponsive.add(suspect.id)
    const times: Milliseconds[] = []
    const end = bench.now + 120_000
    while (bench.now < end) {
      for (const frame of framesTo(suspect.id, bench.advance(50))) {
        if (frame.probe === undefined) continue
        times.push(bench.now)
        bench.receive(suspect, { ack: { sequence: frame.probe.sequence, nextInMs, heartbeat: bench.heartbeat } })
      }
    }
    const gaps = times.slice(1).map((time, i) => time - (times[i] as number))
    expect(gaps.length).toBeGreaterThan(3)
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(atLeast - 50)
    expect(Math.max(...gaps)).toBeLessThanOrEqual(atMost + 100)
  })

  it('go at a bounded rate to the only member that answers', () => {
    const bench = poolOf(self, members)
    for (const actor of members.filter((member) => member !== bob)) lose(bench, actor, 'silent')
    const count = probesTo(bob, bench.advance(20_000))
    expect(count).toBeGreaterThan(5)
    expect(count).toBeLessThanOrEqual(20_000 / 500 + 20_000 / period + 1)
  })
})

describe('a death among the observed members', () => {
  it('gives all other members a turn within one period: a rack may fall silent as a whole', () => {
    const bench = poolOf(self, members.slice(0, 4))
    bench.turn = 60_000
    bench.advance(period * 4)
    const others = members.slice(1, 4)
    expect(others.some((actor) => probesTo(actor, bench.advance(period)) > 0)).toBe(false)
    lose(bench, suspect)
    for (const actor of [bob, carol]) bench.receive(actor, alarm(actor.suspects(suspect, bench.heartbeat)))
    const effects = bench.advance(600)
    expect(isDead(bench, suspect)).toBe(true)
    effects.push(...bench.advance(period))
    for (const actor of others) expect(probesTo(actor, effects)).toBeGreaterThan(0)
  })
})
