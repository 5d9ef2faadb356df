import { beforeEach, describe, expect, it } from 'vitest'
import { actors, pool, servicesOf, type Actor } from '../../test/actors.ts'
import { framesTo } from '../../test/bench.ts'
import { defaultConfig } from '../base/config.ts'
import type { Milliseconds } from '../base/io.ts'
import { Context } from '../context/context.ts'
import { Link } from '../context/links.ts'
import { LocalHealth } from './local-health.ts'
import { Probes } from './probes.ts'

const [self, ...members] = actors(6) as [Actor, ...Actor[]]
const { period, probeTimeout } = defaultConfig.detection

describe('how long an answer may take', () => {
  let context: Context<Uint8Array>
  let probes: Probes
  let silent: string[]

  beforeEach(() => {
    context = new Context({ id: self.id, pool, config: defaultConfig, services: servicesOf(self.id) })
    context.now = 1_000
    for (const { id } of members) context.links.set(id, new Link(id, true, context.now))
    silent = []
    probes = new Probes(context, new LocalHealth(context), (id) => silent.push(id))
    probes.observe(new Set(members.map(({ id }) => id)))
  })

  /** Asks now, and returns the number of the question. */
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

  it('follows from how long those of half of the members take', () => {
    for (const actor of members.slice(0, 2)) answerAfter(actor, 2_000)
    for (const actor of members.slice(2)) answerAfter(actor, 10)
    expect(probes.isSlow).toBe(false)
    answerAfter(members[2] as Actor, 3_000)
    expect([probes.isSlow, probes.late]).toEqual([true, 6_000])
    for (const actor of members) answerAfter(actor, 10)
    expect(probes.isSlow).toBe(false)
  })

  it('follows from answers that come when nobody waits for them any longer, too', () => {
    const [actor] = members as [Actor, ...Actor[]]
    probes.observe(new Set([actor.id]))
    const sequence = ask(actor)
    context.now += probeTimeout
    probes.due()
    expect(silent).toEqual([actor.id])
    expect(ask(actor)).toBe(sequence)
    context.now += 500
    probes.acknowledged(actor.id, sequence, period)
    expect(probes.late).toBe((probeTimeout + 500) * 3)
  })

  it('follows from a sign of life of a member whose answer is missing', () => {
    for (const actor of members) {
      ask(actor)
      context.now += 4_000
      probes.heard(actor.id)
    }
    expect(probes.late).toBe(12_000)
  })

  it('does not follow from answers that never come', () => {
    for (const actor of members) ask(actor)
    context.now += 60_000
    probes.due()
    expect(probes.isSlow).toBe(false)
  })

  it('leaves out the time in which this process did nothing', () => {
    for (const actor of members) {
      const sequence = ask(actor)
      context.now += 10_000
      probes.stalled(10_000)
      probes.acknowledged(actor.id, sequence, period)
    }
    expect(probes.isSlow).toBe(false)
  })

  it('is not unbounded', () => {
    for (const actor of members) answerAfter(actor, 3_600_000)
    expect(probes.late).toBe(60_000)
  })
})
