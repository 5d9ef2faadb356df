import { describe, expect, it } from 'vitest'
import { actors, facts, alarm, pool, servicesOf, type Actor } from '../../test/actors.ts'
import { Bench, framesTo, type BenchOptions } from '../../test/bench.ts'
import { defaultConfig } from '../base/config.ts'
import { decodeId } from '../base/id.ts'
import type { DialFailure, Effect, Milliseconds } from '../base/io.ts'
import { Context } from '../context/context.ts'
import { Link } from '../context/links.ts'
import { certify } from '../facts/certificate.ts'
import { factOf } from '../facts/fact.ts'
import { Detector } from './detector.ts'

const everyone = actors(12)
const [self, suspect, bob, carol, dave] = everyone as [Actor, Actor, Actor, Actor, Actor]
const { detection, links } = defaultConfig
/** One witness makes a death, also of a stranger, so that what this node finds out alone can be seen. */
const sure = { detection: { quorum: 1, strangersAlone: 0 } }

function poolOf(others: readonly Actor[], options: BenchOptions = {}): Bench {
  const bench = new Bench(self, options)
  for (const actor of others) bench.meet(actor)
  bench.advance(1_000)
  return bench
}

const isDead = (bench: Bench, actor: Actor = suspect): boolean => bench.changes.includes(`died:${actor.id}:1`)
const timeToDeath = (bench: Bench, atMost: Milliseconds): Milliseconds | undefined => bench.until(() => isDead(bench), atMost)
const probesTo = (actor: Actor, effects: readonly Effect[]): number =>
  framesTo(actor.id, effects).filter(({ probe }) => probe !== undefined).length
const aims = (effects: readonly Effect[], actor: Actor): string[] =>
  effects.flatMap((effect) => ((effect.type === 'connect' || effect.type === 'knock') && effect.peer === actor.id ? [effect.type] : []))

describe('a link that breaks', () => {
  it('is a reason to look at once: by a knock, and by a dial where that is answered', () => {
    const bench = poolOf([suspect, bob])
    bench.reach.set(suspect.id, 'mute')
    expect(aims([...bench.unlink(suspect), ...bench.advance(10)], suspect).sort()).toEqual(['connect', 'knock'])
    const dead = poolOf([suspect, bob])
    dead.reach.set(suspect.id, 'refused')
    expect(aims([...dead.unlink(suspect), ...dead.advance(10)], suspect)).not.toContain('connect')
  })

  it.each<DialFailure>(['refused', 'impostor'])('and a dial that finds it %s make this node a witness at once', (failure) => {
    const bench = poolOf([suspect])
    bench.reach.set(suspect.id, failure)
    bench.unlink(suspect)
    bench.advance(10)
    expect(isDead(bench)).toBe(true)
  })

  it('to a member that comes back is nothing', () => {
    const bench = poolOf([suspect, bob])
    bench.reach.set(suspect.id, 'up')
    bench.unlink(suspect)
    bench.advance(60_000)
    expect(bench.node.links).toContain(suspect.id)
    expect(bench.node.health(bench.now).suspectedShare).toBe(0)
  })

  it('after a goodbye raises no doubt', () => {
    const bench = poolOf([suspect, bob])
    bench.receive(suspect, { goodbye: { reason: 'more links than needed' } })
    bench.unlink(suspect)
    expect(bench.node.health(bench.now).suspectedShare).toBe(0)
  })

  it('to somebody who is no member raises none either', () => {
    const bench = poolOf([bob])
    bench.link(suspect, { incarnation: 0 })
    expect(aims([...bench.unlink(suspect), ...bench.advance(5_000)], suspect)).toEqual([])
  })
})

describe('how a peer was reached', () => {
  const context = new Context({ id: self.id, pool, config: defaultConfig, services: servicesOf(self.id) })
  const detector = new Detector(context, {
    onUnreachable: () => undefined,
    onReached: () => undefined,
    suspectedSince: () => undefined,
  })
  const connect = ({ id }: Actor): void => {
    context.links.set(id, new Link(id, true, context.now))
    detector.linkUp(id)
  }
  const disconnect = ({ id }: Actor): void => {
    context.links.delete(id)
    detector.linkLost(id, true)
  }
  const tell = (statement: ReturnType<Actor['joined'] | Actor['left']>): void => {
    context.view.merge(factOf({ statement }), context.now, 0)
    detector.forget(statement.signer)
  }

  it('is remembered of a member without a link, until its life ends', () => {
    connect(bob)
    tell(bob.joined())
    disconnect(bob)
    expect(detector.isHidden(bob.id)).toBe(false)
    tell(bob.left())
    expect(detector.isHidden(bob.id)).toBe(true)
  })

  it('is forgotten with the link of somebody who never was a member, or is none any more', () => {
    connect(carol)
    disconnect(carol)
    expect(detector.isHidden(carol.id)).toBe(true)
    connect(dave)
    tell(dave.joined())
    tell(dave.left())
    disconnect(dave)
    expect(detector.isHidden(dave.id)).toBe(true)
  })
})

describe('a host that is silent', () => {
  it('is believed dead after a short patience, within five seconds in all', () => {
    const bench = poolOf([suspect, bob], { config: sure })
    bench.reach.set(suspect.id, 'silent')
    bench.unlink(suspect)
    const time = timeToDeath(bench, 5_000)
    expect(time).toBeDefined()
    expect(time).toBeGreaterThanOrEqual(detection.silence)
  })

  it('without any break of its link is believed dead within a probe or two more', () => {
    const bench = poolOf([suspect, bob], { config: sure })
    bench.reach.set(suspect.id, 'silent')
    bench.mute.add(suspect.id)
    const rounds = detection.period * 2 * 1.5 + detection.period
    expect(timeToDeath(bench, rounds + detection.probeTimeout + detection.silence + 3 * detection.recheck)).toBeDefined()
  })

  const lose = (bench: Bench, lost: readonly Actor[]): void => {
    for (const actor of lost) {
      bench.reach.set(actor.id, 'silent')
      bench.unlink(actor)
    }
  }

  it('gets more time from one of three who reaches nobody: the fault may be its own', () => {
    const time = (lost: readonly Actor[]): Milliseconds | undefined => {
      const bench = poolOf([suspect, bob], { config: sure })
      lose(bench, lost)
      return timeToDeath(bench, 60_000)
    }
    expect(time([suspect, bob]) as number).toBeGreaterThan((time([suspect]) as number) * 2)
  })

  it('is one as soon as another answers while it does not', () => {
    const bench = poolOf([suspect, bob, carol, dave], { config: sure })
    lose(bench, [suspect, bob, carol, dave])
    bench.advance(60_000)
    expect(isDead(bench)).toBe(false)
    bench.link(bob)
    expect(timeToDeath(bench, detection.mute)).toBeDefined()
  })
})

describe('a process that is mute while its kernel accepts', () => {
  it.each<DialFailure>(['mute', 'failed'])('gets fifteen seconds when a dial ends %s', (failure) => {
    const bench = poolOf([suspect, bob], { config: sure })
    bench.reach.set(suspect.id, failure)
    bench.unlink(suspect)
    const time = timeToDeath(bench, detection.mute * 2) as number
    expect(time).toBeGreaterThanOrEqual(detection.mute)
    expect(time).toBeLessThanOrEqual(detection.mute + 3 * detection.recheck)
  })

  it('for five seconds is not held for dead', () => {
    const bench = poolOf([suspect, bob], { config: sure })
    bench.mute.add(suspect.id)
    bench.input({ type: 'command', command: { type: 'maybeDead', id: suspect.id } })
    bench.advance(5_000)
    expect(bench.node.health(bench.now).suspectedShare).toBeGreaterThan(0)
    bench.mute.delete(suspect.id)
    bench.receive(suspect, { ack: { sequence: 0, nextInMs: 0 } })
    expect(bench.node.health(bench.now).suspectedShare).toBe(0)
    bench.advance(60_000)
    expect(isDead(bench)).toBe(false)
  })

  it('is found out without a break of its link', () => {
    const bench = poolOf([suspect, bob], { config: sure })
    bench.mute.add(suspect.id)
    expect(timeToDeath(bench, 60_000)).toBeGreaterThanOrEqual(detection.mute)
  })
})

describe('a member that nobody can dial', () => {
  it('gets time to come back by itself, whatever its address says', () => {
    const bench = new Bench(self, { config: sure })
    bench.meet(suspect, { dialable: false })
    bench.meet(bob)
    bench.reach.set(suspect.id, 'refused')
    bench.unlink(suspect)
    const time = timeToDeath(bench, 60_000) as number
    expect(time).toBeGreaterThanOrEqual(detection.undialable)
    expect(time).toBeLessThanOrEqual(detection.undialable + 3 * detection.recheck)
  })

  it('and does come back is no suspect', () => {
    const bench = new Bench(self, { config: sure })
    bench.meet(suspect, { dialable: false })
    bench.meet(bob)
    bench.reach.set(suspect.id, 'refused')
    bench.unlink(suspect)
    bench.advance(detection.undialable / 2)
    bench.link(suspect, { dialable: false })
    bench.advance(60_000)
    expect(isDead(bench)).toBe(false)
  })
})

describe('a host that stalled itself', () => {
  it('gives others the time that it missed', () => {
    const bench = poolOf([suspect, bob], { config: sure })
    bench.reach.set(suspect.id, 'mute')
    bench.unlink(suspect)
    bench.advance(5_000)
    bench.sleep(60_000)
    bench.advance(1_000)
    expect(isDead(bench)).toBe(false)
    expect(timeToDeath(bench, detection.mute * 4)).toBeDefined()
  })

  it('does not hold a probe for unanswered that waited while it slept', () => {
    const bench = poolOf([suspect, bob], { config: sure })
    bench.mute.add(suspect.id)
    const probed = bench.until(() => probesTo(suspect, bench.advance(50)) > 0, 20_000)
    expect(probed).toBeDefined()
    bench.sleep(60_000)
    expect(bench.node.health(bench.now).suspectedShare).toBe(0)
  })

  it('trusts a refusal all the same', () => {
    const bench = poolOf([suspect])
    bench.sleep(60_000)
    bench.reach.set(suspect.id, 'refused')
    bench.unlink(suspect)
    bench.advance(100)
    expect(isDead(bench)).toBe(true)
  })
})

describe('a hint that a member may be dead', () => {
  const hint = (bench: Bench): Effect[] => bench.input({ type: 'command', command: { type: 'maybeDead', id: suspect.id } })

  it('makes this node look now', () => {
    const bench = poolOf([suspect, bob])
    expect(probesTo(suspect, [...hint(bench), ...bench.advance(10)])).toBe(1)
  })

  it.each<[string, boolean]>([
    ['linked', true],
    ['not linked', false],
  ])('kills nobody alive who is %s', (_, linked) => {
    const bench = poolOf([bob], { config: sure })
    bench.meet(suspect, { linked })
    bench.reach.set(suspect.id, 'up')
    for (let i = 0; i < 10; i++) {
      hint(bench)
      bench.receive(bob, { alarm: { statements: [], doubted: [decodeId(suspect.id) as Uint8Array<ArrayBuffer>] } })
      bench.advance(3_000)
    }
    expect(isDead(bench)).toBe(false)
    expect(bench.node.health(bench.now).suspectedShare).toBe(0)
  })

  it('kills nobody who answers on a link although nothing listens at the address it announced', () => {
    const bench = poolOf([suspect, bob], { config: sure })
    bench.reach.set(suspect.id, 'refused')
    for (let i = 0; i < 10; i++) {
      hint(bench)
      bench.advance(3_000)
    }
    expect(isDead(bench)).toBe(false)
  })

  it('about nobody, about this node or about nonsense is nothing', () => {
    const bench = poolOf([bob])
    for (const id of [dave.id, self.id, 'nonsense', '']) {
      const effects = bench.input({ type: 'command', command: { type: 'maybeDead', id } })
      expect(effects.filter(({ type }) => type !== 'timer')).toEqual([])
    }
  })

  it('about many at a time checks a bounded number', () => {
    const bench = new Bench(self, { config: { detection: { checks: 3 } } })
    bench.meet(bob)
    const crowd = everyone.slice(4)
    for (const actor of crowd) bench.meet(actor, { linked: false })
    for (const { id } of crowd) bench.input({ type: 'command', command: { type: 'maybeDead', id } })
    expect(bench.node.health(bench.now).suspectedShare).toBeCloseTo(3 / (crowd.length + 1))
  })
})

describe('probes', () => {
  it('go to each observed member about as often as the member deals out turns', () => {
    const bench = poolOf([suspect, bob, carol])
    const span = 60_000
    const effects = bench.advance(span)
    for (const actor of [suspect, bob, carol]) {
      const count = probesTo(actor, effects)
      // The bench answers that the next turn comes a period later.
      expect(count).toBeGreaterThanOrEqual(span / detection.period / 2)
      expect(count).toBeLessThanOrEqual(span / detection.period + 1)
    }
  })

  it.each<[string, number, Milliseconds, Milliseconds]>([
    ['never', 0xffffffff, detection.period, detection.period * links.rings * 4 * 1.5],
    ['all the time', 0, detection.period / 2, detection.period],
  ])('go on within bounds to a member that wants them %s', (_, nextInMs, atLeast, atMost) => {
    const bench = poolOf([suspect])
    bench.mute.add(suspect.id)
    const times: Milliseconds[] = []
    const end = bench.now + 120_000
    while (bench.now < end) {
      for (const frame of framesTo(suspect.id, bench.advance(50))) {
        if (frame.probe === undefined) continue
        times.push(bench.now)
        bench.receive(suspect, { ack: { sequence: frame.probe.sequence, nextInMs } })
      }
    }
    const gaps = times.slice(1).map((time, i) => time - (times[i] as number))
    expect(gaps.length).toBeGreaterThan(3)
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(atLeast - 50)
    expect(Math.max(...gaps)).toBeLessThanOrEqual(atMost + 100)
  })

  it('are answered, and the turns dealt out so that observers come one after the other', () => {
    const bench = poolOf([suspect, bob, carol, dave])
    const turns = [suspect, bob, carol, dave].map((actor) => {
      const ack = framesTo(actor.id, bench.receive(actor, { probe: { sequence: 9 } })).find((frame) => frame.ack !== undefined)?.ack
      expect(ack?.sequence).toBe(9)
      return ack?.nextInMs as number
    })
    const sorted = turns.toSorted((a, b) => a - b)
    expect(sorted[0]).toBeGreaterThanOrEqual(detection.period * 0.5)
    for (let i = 1; i < sorted.length; i++)
      expect((sorted[i] as number) - (sorted[i - 1] as number)).toBeGreaterThanOrEqual(detection.period * 0.5)
    expect(sorted.at(-1)).toBeLessThanOrEqual(detection.period * 4 * 1.5)
  })

  it('go at a bounded rate to the only one that answers: it is asked whether it is there, too, but not after each answer', () => {
    const crowd = everyone.slice(1, 9)
    const bench = poolOf(crowd)
    for (const actor of crowd.filter((actor) => actor !== bob)) {
      bench.reach.set(actor.id, 'silent')
      bench.unlink(actor)
    }
    const count = probesTo(bob, bench.advance(20_000))
    expect(count).toBeGreaterThan(5)
    expect(count).toBeLessThanOrEqual(20_000 / detection.recheck + 20_000 / detection.period + 1)
  })

  it('that find no answer make the other observers look, too', () => {
    const bench = poolOf([suspect, bob, carol])
    bench.mute.add(suspect.id)
    const effects: Effect[] = []
    bench.until(() => {
      effects.push(...bench.advance(50))
      return bench.node.health(bench.now).suspectedShare > 0
    }, 30_000)
    for (const actor of [bob, carol])
      expect(framesTo(actor.id, effects).flatMap((frame) => frame.alarm?.doubted ?? [])).toContainEqual(
        Uint8Array.from(decodeId(suspect.id)),
      )
  })

  it('are answered by any frame: whoever speaks is alive', () => {
    const bench = poolOf([suspect, bob])
    bench.mute.add(suspect.id)
    bench.until(() => bench.node.health(bench.now).suspectedShare > 0, 30_000)
    bench.receive(suspect, { probe: { sequence: 1 } })
    expect(bench.node.health(bench.now).suspectedShare).toBe(0)
  })
})

describe('a new life', () => {
  it('is not doubted for what happened to the one before', () => {
    const bench = poolOf([suspect, bob], { config: sure })
    bench.reach.set(suspect.id, 'mute')
    bench.unlink(suspect)
    bench.advance(detection.mute - 1_000)
    bench.reach.set(suspect.id, 'hang')
    bench.receive(bob, facts([suspect.joined({ incarnation: 2 })]))
    expect(bench.node.health(bench.now).suspectedShare).toBe(0)
    bench.receive(bob, alarm(bob.suspects(suspect, 0, 1)))
    expect(bench.node.health(bench.now).suspectedShare).toBe(0)
  })
})

describe('a member that this node never had a link with', () => {
  const stranger = (options: BenchOptions = {}): Bench => {
    const bench = poolOf([bob, carol, dave], options)
    bench.meet(suspect, { linked: false })
    return bench
  }
  const doubted = (bench: Bench): boolean => bench.node.health(bench.now).suspectedShare > 0

  it.each<DialFailure>(['refused', 'silent'])('is not convicted by a dial that finds it %s: it may stand behind a NAT', (failure) => {
    const bench = stranger({ config: sure })
    bench.reach.set(suspect.id, failure)
    bench.advance(detection.stranger - 200 - (failure === 'silent' ? detection.silentDial : 0))
    expect(isDead(bench)).toBe(false)
    bench.advance(10_000)
    expect(isDead(bench)).toBe(true)
  })

  it('that is only stopped, as its kernel accepts, gets as long as one that this node knows', () => {
    const bench = stranger({ config: sure })
    bench.reach.set(suspect.id, 'mute')
    bench.receive(bob, alarm(bob.suspects(suspect)))
    bench.advance(detection.mute - 1_000)
    expect(isDead(bench)).toBe(false)
    bench.advance(5_000)
    expect(isDead(bench)).toBe(true)
  })

  it('that is refused is, as soon as somebody who knew it misses it', () => {
    const bench = stranger({ config: sure })
    bench.reach.set(suspect.id, 'refused')
    bench.receive(bob, alarm(bob.suspects(suspect)))
    bench.advance(100)
    expect(isDead(bench)).toBe(true)
  })

  it('that is silent gets the time to refute, and is above doubt for a while when it did', () => {
    const bench = stranger({ config: sure })
    bench.reach.set(suspect.id, 'silent')
    bench.receive(bob, alarm(bob.suspects(suspect)))
    bench.advance(detection.objection - 200)
    expect([isDead(bench), doubted(bench)]).toEqual([false, true])
    bench.receive(carol, alarm(suspect.refutes(1)))
    expect(doubted(bench)).toBe(false)
    bench.advance(detection.vouch - 1_000)
    expect([isDead(bench), doubted(bench)]).toEqual([false, false])
    bench.advance(detection.stranger + 10_000)
    expect(isDead(bench)).toBe(true)
  })
})

describe('a death among those that this node observes', () => {
  it('gives all others a turn within one period: racks fall silent, and the next turns may be those of the dead', () => {
    const neighbours = everyone.slice(1, 5)
    const bench = poolOf(neighbours, { config: sure })
    bench.turn = 60_000
    bench.advance(detection.period * neighbours.length)
    expect(neighbours.some((actor) => probesTo(actor, bench.advance(detection.period)) > 0)).toBe(false)
    bench.reach.set(suspect.id, 'refused')
    bench.unlink(suspect)
    bench.advance(20)
    expect(isDead(bench)).toBe(true)
    const effects = bench.advance(detection.period)
    for (const actor of neighbours.slice(1)) expect(probesTo(actor, effects)).toBeGreaterThan(0)
  })
})

describe('a hint that a member may be gone', () => {
  it('goes on to the next observers, once: those of a member are not all linked with each other', () => {
    const bench = poolOf([suspect, bob, carol])
    bench.mute.add(suspect.id)
    const hint = { alarm: { statements: [], doubted: [Uint8Array.from(decodeId(suspect.id))] } }
    const hints = (effects: readonly Effect[]): number => framesTo(carol.id, effects).flatMap((frame) => frame.alarm?.doubted ?? []).length
    expect(hints(bench.receive(bob, hint))).toBe(1)
    expect(hints([...bench.receive(bob, hint), ...bench.receive(carol, hint)])).toBe(0)
    bench.receive(suspect, { probe: { sequence: 1 } })
    expect(hints(bench.receive(bob, hint))).toBe(0)
  })
})

describe('a death whose witnesses had not heard of a refutation that this node knows', () => {
  it('is looked into at once: the refutation may be old, and the member gone since', () => {
    const bench = poolOf(everyone.slice(2))
    bench.meet(suspect, { linked: false })
    bench.reach.set(suspect.id, 'refused')
    bench.receive(carol, alarm(suspect.refutes(1)))
    const witnesses = everyone.slice(2, 2 + detection.quorum)
    bench.overhears(certify(witnesses.map((witness) => witness.suspects(suspect))))
    expect(isDead(bench)).toBe(false)
    expect(timeToDeath(bench, detection.vouch / 2)).toBeLessThan(detection.stranger + 1_000)
  })
})

describe('a death with enough witnesses, of a member that this node is linked with', () => {
  it('is believed after one unanswered probe, in less time than a doubt of its own takes', () => {
    const bench = poolOf(everyone.slice(1))
    bench.mute.add(suspect.id)
    bench.reach.set(suspect.id, 'silent')
    const witnesses = everyone.slice(2, 2 + detection.quorum)
    bench.overhears(certify(witnesses.map((witness) => witness.suspects(suspect))))
    expect(isDead(bench)).toBe(false)
    expect(timeToDeath(bench, 5_000)).toBeLessThan(detection.silence)
  })

  it('is not while the member answers', () => {
    const bench = poolOf(everyone.slice(1))
    const witnesses = everyone.slice(2, 2 + detection.quorum)
    bench.overhears(certify(witnesses.map((witness) => witness.suspects(suspect))))
    bench.advance(detection.hold - 500)
    expect(isDead(bench)).toBe(false)
  })
})

describe('where most members answer late', () => {
  const crowd = [suspect, bob, carol, dave]
  const slowness = detection.probeTimeout * 2

  /** Answers each probe so much later, ms, or never (undefined). Returns the way to let time pass, which returns all effects. */
  function answering(bench: Bench, delayOf: (actor: Actor) => Milliseconds | undefined): (span: Milliseconds) => Effect[] {
    let waiting: { readonly at: Milliseconds; readonly actor: Actor; readonly sequence: number }[] = []
    for (const actor of crowd) bench.mute.add(actor.id)
    return (span) => {
      const effects: Effect[] = []
      const note = (more: readonly Effect[]): void => {
        effects.push(...more)
        for (const actor of crowd) {
          const delay = delayOf(actor)
          for (const { probe } of framesTo(actor.id, more))
            if (probe !== undefined && delay !== undefined) waiting.push({ at: bench.now + delay, actor, sequence: probe.sequence })
        }
      }
      for (const end = bench.now + span; bench.now < end;) {
        note(bench.advance(50))
        const due = waiting.filter(({ at }) => at <= bench.now)
        waiting = waiting.filter(({ at }) => at > bench.now)
        for (const { actor, sequence } of due) note(bench.receive(actor, { ack: { sequence, nextInMs: detection.period } }))
      }
      return effects
    }
  }

  function slowPool(options: BenchOptions = {}): { bench: Bench; pass: (span: Milliseconds) => Effect[]; gone: Set<Actor> } {
    const bench = poolOf(crowd, options)
    const gone = new Set<Actor>()
    for (const actor of crowd) bench.reach.set(actor.id, 'mute')
    const pass = answering(bench, (actor) => (gone.has(actor) ? undefined : slowness))
    pass(60_000)
    return { bench, pass, gone }
  }

  const looksAt = (actor: Actor, effects: readonly Effect[]): string[] => aims(effects, actor)

  it('nobody is in doubt for that', () => {
    const effects = slowPool().pass(60_000)
    expect(crowd.flatMap((actor) => looksAt(actor, effects))).toEqual([])
    expect(probesTo(suspect, effects)).toBeGreaterThan(10)
  })

  it('the word of one that another is late is nothing', () => {
    const { bench } = slowPool()
    const doubted = [decodeId(suspect.id) as Uint8Array<ArrayBuffer>]
    expect(looksAt(suspect, bench.receive(bob, { alarm: { statements: [], doubted } }))).toEqual([])
    expect(looksAt(suspect, poolOf(crowd).receive(bob, { alarm: { statements: [], doubted } }))).toEqual(['knock'])
  })

  it('a handshake with a stranger that takes too long is nothing', () => {
    const doubts = (bench: Bench): number => {
      const stranger = everyone[7] as Actor
      bench.meet(stranger, { linked: false })
      bench.input({ type: 'unreachable', peer: stranger.id, addresses: [], failure: 'mute', reason: 'timed out' })
      return bench.node.health(bench.now).suspectedShare
    }
    expect(doubts(slowPool().bench)).toBe(0)
    expect(doubts(poolOf(crowd))).toBeGreaterThan(0)
  })

  it('looks come by one dial at a time, elsewhere by a few', () => {
    const dials = (bench: Bench): number => {
      const strangers = everyone.slice(6, 11)
      for (const actor of strangers) bench.meet(actor, { linked: false })
      return strangers.filter(({ id }) => {
        bench.input({ type: 'command', command: { type: 'maybeDead', id } })
        const effects = bench.input({ type: 'knocked', peer: id, outcome: 'accepted' })
        return effects.some((effect) => effect.type === 'connect' && effect.peer === id)
      }).length
    }
    expect(dials(slowPool().bench)).toBe(1)
    expect(dials(poolOf(crowd))).toBe(detection.dials)
  })

  it('who never answers is found out all the same', () => {
    const { bench, pass, gone } = slowPool({ config: sure })
    bench.reach.set(suspect.id, 'silent')
    gone.add(suspect)
    pass(60_000)
    expect(isDead(bench)).toBe(true)
  })

  it('but one alone that answers late is in doubt each time', () => {
    const bench = poolOf(crowd)
    const effects = answering(bench, (actor) => (actor === suspect ? slowness : 10))(60_000)
    expect(looksAt(suspect, effects).length).toBeGreaterThan(5)
    expect(looksAt(bob, effects)).toEqual([])
  })
})

describe('looks on the word of others', () => {
  it('that ended in a link count for as long as it is kept at least', () => {
    const bench = new Bench(self, { config: { detection: { checks: 3 } } })
    bench.meet(bob)
    const crowd = everyone.slice(4)
    for (const actor of crowd) {
      bench.meet(actor, { linked: false })
      bench.reach.set(actor.id, 'up')
    }
    const hintAll = (): void => {
      for (const { id } of crowd) bench.input({ type: 'command', command: { type: 'maybeDead', id } })
    }
    const linked = (): number => crowd.filter(({ id }) => bench.node.links.has(id)).length
    hintAll()
    expect(linked()).toBe(3)
    bench.advance(links.look + 100)
    hintAll()
    expect(linked()).toBeGreaterThan(3)
  })
})

describe('looks on the word of others, where a node has as many links as it wants', () => {
  const looksWith = (linked: number): number => {
    const bench = new Bench(self, { config: { links: { max: 4 }, detection: { checks: 4 } } })
    const strangers = everyone.slice(1 + linked, 1 + linked + 4)
    for (const actor of everyone.slice(1, 1 + linked)) bench.meet(actor)
    for (const actor of strangers) bench.meet(actor, { linked: false })
    return strangers.filter(({ id }) => {
      const effects = bench.input({ type: 'command', command: { type: 'maybeDead', id } })
      return effects.some((effect) => effect.type === 'knock' && effect.peer === id)
    }).length
  }

  it('are fewer, so that it does not end with more than it may have', () => {
    expect(looksWith(3)).toBe(4)
    expect(looksWith(5)).toBe(2)
  })

  it('but there is always one', () => {
    expect(looksWith(7)).toBe(1)
  })
})

describe('looks at one member in doubt', () => {
  it('come ever more rarely', () => {
    const bench = poolOf([suspect, bob])
    bench.mute.add(suspect.id)
    bench.input({ type: 'command', command: { type: 'maybeDead', id: suspect.id } })
    const knocksIn = (span: Milliseconds): number => aims(bench.advance(span), suspect).length
    expect(knocksIn(detection.recheckMax)).toBeGreaterThanOrEqual(3)
    expect(knocksIn(detection.recheckMax * 2)).toBeLessThanOrEqual(2)
  })
})
