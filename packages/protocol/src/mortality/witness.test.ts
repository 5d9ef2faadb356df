import { beforeEach, describe, expect, it } from 'vitest'
import { actors, alarm, facts, type Actor } from '../../test/actors.ts'
import { Bench, broadcastsIn, framesTo } from '../../test/bench.ts'
import { defaultConfig } from '../base/config.ts'
import { encodeId } from '../base/id.ts'
import type { Effect } from '../base/io.ts'
import { certify } from '../facts/certificate.ts'
import { factOf } from '../facts/fact.ts'
import { FactSet } from '../facts/facts.ts'
import { Registry } from '../facts/registry.ts'
import { isKind, type Refutation, type Statement } from '../facts/statement.ts'
import { View } from '../facts/view.ts'
import { observersOf } from '../topology/rings.ts'
import type * as wire from '../wire/messages.js'

const everyone = actors(40)
const [self, ...others] = everyone as [Actor, ...Actor[]]
const [suspect, bob, carol, dave] = others as [Actor, Actor, Actor, Actor]
const { alone, aloneAmongMute, checks, recheck, quorum, stranger, strangersAlone, suspicionLifetime, widen, gather, roundPeers } =
  defaultConfig.detection
const { delay, patience } = defaultConfig.rumours

function poolOf(size: number): Bench {
  const bench = new Bench(self)
  for (const actor of others.slice(0, size - 1)) bench.meet(actor)
  expect(bench.members.length).toBe(size)
  return bench
}

/** This node finds out by itself that nobody is there. */
function lose(bench: Bench, actor: Actor, how: 'refused' | 'silent' = 'refused'): Effect[] {
  bench.reach.set(actor.id, how)
  return bench.unlink(actor)
}

/** As all see them who know these members. */
function observersAmong(members: readonly Actor[], of: Actor): ReadonlySet<string> {
  const registry = new Registry()
  const view = new View(new FactSet(registry), defaultConfig)
  for (const actor of members) view.merge(factOf({ statement: actor.joined() }), 0, 0)
  return observersOf(of.id, defaultConfig.links.rings, registry, view)
}

const isDead = (bench: Bench, actor: Actor): boolean => bench.changes.includes(`died:${actor.id}:${actor.incarnation}`)

function statementsTo(actor: Actor, effects: readonly Effect[]): wire.Statement[] {
  return framesTo(actor.id, effects).flatMap((frame) => frame.alarm?.statements ?? [])
}

function refutationsTo(actor: Actor, effects: readonly Effect[]): Statement<Refutation>[] {
  return statementsTo(actor, effects).flatMap((message) => {
    const read = actor.read(message)
    return isKind(read, 'refutation') ? [read] : []
  })
}

describe('a death needs', () => {
  it.each([
    [2, 1],
    [3, 2],
    [4, 2],
    [5, 3],
    [12, quorum],
    [40, quorum],
  ])('among %i members %i witnesses', (size, needed) => {
    const bench = poolOf(size)
    lose(bench, suspect)
    let witnesses = 1
    const observers = observersAmong(
      everyone.filter(({ id }) => bench.members.includes(id)),
      suspect,
    )
    for (const actor of others.slice(1, size - 1).filter(({ id }) => observers.has(id))) {
      if (isDead(bench, suspect)) break
      witnesses += 1
      bench.receive(actor, alarm(actor.suspects(suspect)))
    }
    expect(isDead(bench, suspect)).toBe(true)
    expect(witnesses).toBe(needed)
  })

  it('among three members one witness, if the third is suspect, too', () => {
    const bench = poolOf(3)
    lose(bench, suspect)
    bench.advance(1_000)
    expect(isDead(bench, suspect)).toBe(false)
    lose(bench, bob)
    bench.advance(1_000)
    expect([isDead(bench, suspect), isDead(bench, bob)]).toEqual([true, true])
  })

  describe('two witnesses where nobody is heard any more, as it may be this node that is cut off', () => {
    const cutOff = (size: number): Bench => {
      const bench = poolOf(size)
      for (const actor of others.slice(0, size - 1)) lose(bench, actor, 'silent')
      return bench
    }

    it.each([4, 9])('among %i members: it keeps them, and says that it is alone', (size) => {
      const bench = cutOff(size)
      bench.advance(600_000)
      expect(bench.members).toHaveLength(size)
      expect(bench.node.health(bench.now).alone).toBe(true)
    })

    it('but not if hosts refuse: that is an answer', () => {
      const bench = poolOf(9)
      for (const actor of others.slice(0, 8)) lose(bench, actor, 'refused')
      bench.advance(10_000)
      expect(bench.members).toEqual([self.id])
    })

    it('nor after an hour', () => {
      const bench = cutOff(9)
      bench.advance(alone - 120_000)
      expect(bench.members).toHaveLength(9)
      bench.advance(240_000)
      expect(bench.members).toEqual([self.id])
    })

    it('an hour of its own time: what it slept does not count', () => {
      const bench = cutOff(9)
      bench.advance(10_000)
      bench.sleep(alone * 2)
      bench.advance(60_000)
      expect(bench.members).toHaveLength(9)
    })

    it('and what it found out meanwhile is told to nobody who answers at last', () => {
      const bench = cutOff(40)
      bench.advance(120_000)
      expect(bench.node.health(bench.now)).toMatchObject({ alone: true, suspectedShare: 1 })
      for (const actor of others) bench.reach.set(actor.id, 'up')
      bench.link(bob)
      expect(statementsTo(bob, bench.advance(10_000))).toEqual([])
      expect(bench.node.health(bench.now)).toMatchObject({ alone: false, suspectedShare: 0 })
    })

    it('nor after five minutes if kernels accept again and again where processes are mute: not at once, or a starved machine would do', () => {
      const bench = poolOf(9)
      for (const actor of others.slice(0, 8)) bench.mute.add(actor.id)
      bench.advance(aloneAmongMute - 30_000)
      expect(bench.members).toHaveLength(9)
      bench.advance(180_000)
      expect(bench.members).toEqual([self.id])
    })

    it('an hour without a member: strangers who call do not count', () => {
      const bench = cutOff(9)
      const stranger = others[30] as Actor
      for (let i = 0; i < 6; i++) {
        bench.advance(alone / 6)
        bench.link(stranger, { incarnation: 0 })
        bench.advance(1_000)
        bench.unlink(stranger)
      }
      bench.advance(180_000)
      expect(bench.members).toEqual([self.id])
    })

    it('and it looks for them at a bounded rate, ever more rarely', () => {
      const bench = cutOff(40)
      const looks = (): number => bench.advance(20_000).filter(({ type }) => type === 'knock' || type === 'connect').length
      bench.advance(10_000)
      const soon = looks()
      bench.advance(120_000)
      const late = looks()
      expect(soon).toBeLessThan((20_000 / recheck) * checks * 1.5)
      expect(late).toBeGreaterThan(20)
      expect(late).toBeLessThan(soon / 2)
    })
  })

  it("this node's own word: who is in contact with a member is not talked into its death", () => {
    const bench = poolOf(6)
    for (const actor of others.slice(1, 5)) bench.receive(actor, alarm(actor.suspects(suspect)))
    bench.advance(20_000)
    expect(bench.members).toContain(suspect.id)
    expect(isDead(bench, suspect)).toBe(false)
  })

  it("this node's own word as it is now: its suspicion that others send back is void, as it reached the member since", () => {
    const bench = poolOf(6)
    const before = lose(bench, suspect)
    const effects = [...before, ...bench.advance(gather * 2)]
    const own = statementsTo(bob, effects)
    expect(own).not.toEqual([])
    bench.link(suspect)
    bench.mute.add(suspect.id)
    bench.receive(bob, { alarm: { statements: own, doubted: [] } })
    for (const actor of others.slice(2, 5)) bench.receive(actor, alarm(actor.suspects(suspect)))
    expect(isDead(bench, suspect)).toBe(false)
  })

  it('as many witnesses as ever where a liar accuses all others: whom this node itself can reach is counted on', () => {
    const bench = poolOf(9)
    lose(bench, suspect)
    for (const other of [suspect, ...others.slice(2, 8)]) bench.receive(bob, alarm(bob.suspects(other)))
    bench.advance(20_000)
    expect(bench.members).toContain(suspect.id)
    expect(isDead(bench, suspect)).toBe(false)
  })

  it('somebody who ever had a link with the member: who had none may never reach it, and leaves the time to object', () => {
    const bench = poolOf(9)
    const hidden = others[20] as Actor
    bench.meet(hidden, { linked: false })
    bench.reach.set(hidden.id, 'silent')
    const witnesses = others.slice(0, quorum)
    for (const witness of witnesses) bench.receive(witness, alarm(witness.suspects(hidden)))
    bench.advance(stranger)
    expect(bench.node.health(bench.now).suspectedShare).toBeGreaterThan(0)
    bench.advance(strangersAlone - stranger - 100)
    expect(isDead(bench, hidden)).toBe(false)
    bench.advance(2_500)
    expect(isDead(bench, hidden)).toBe(true)
  })

  it('different witnesses, and members all of them', () => {
    const bench = poolOf(5)
    lose(bench, suspect)
    for (let i = 0; i < 5; i++) bench.receive(bob, alarm(bob.suspects(suspect, i)))
    for (const stranger of others.slice(20, 30)) bench.receive(bob, alarm(stranger.suspects(suspect)))
    bench.receive(bob, alarm(suspect.suspects(suspect)))
    expect(isDead(bench, suspect)).toBe(false)
  })

  it('witnesses of this life, not of another', () => {
    const bench = poolOf(5)
    lose(bench, suspect)
    for (const actor of [bob, carol, dave]) bench.receive(actor, alarm(actor.suspects(suspect, 0, 2)))
    expect(isDead(bench, suspect)).toBe(false)
  })

  describe('after a while fewer in a large pool, if most of those whose task it is are suspects themselves', () => {
    const members = everyone.slice(0, 30)
    const observersOfActor = (actor: Actor): Actor[] => members.filter(({ id }) => observersAmong(members, actor).has(id))
    const victim = members.find((actor) => actor !== self && observersOfActor(actor).includes(self)) as Actor
    const [survivor, ...lost] = observersOfActor(victim).filter((actor) => actor !== self) as [Actor, ...Actor[]]
    const remainder = (): Bench => {
      const bench = poolOf(30)
      for (const actor of lost) lose(bench, actor)
      lose(bench, victim)
      for (const actor of members) if (bench.node.links.has(actor.id)) bench.reach.set(actor.id, 'up')
      return bench
    }
    const hear = (bench: Bench): void => {
      bench.receive(survivor, alarm(survivor.suspects(victim)))
      bench.advance(5_000)
    }

    it('and none of them turns out to live', () => {
      const bench = remainder()
      hear(bench)
      expect(isDead(bench, victim)).toBe(true)
    })

    it('but as many as ever for as long as one that did counts: who was wrong about it may be wrong about the others', () => {
      const bench = remainder()
      const [back] = lost as [Actor]
      bench.reach.set(back.id, 'up')
      bench.link(back)
      hear(bench)
      expect(isDead(bench, victim)).toBe(false)
      bench.advance(suspicionLifetime)
      hear(bench)
      expect(isDead(bench, victim)).toBe(true)
    })
  })
})

describe('a suspicion', () => {
  it('goes to the other observers and to the suspect itself, and round by round to more when it found no company', () => {
    const bench = poolOf(20)
    for (const actor of others.slice(0, 19)) bench.reach.set(actor.id, 'up')
    const observers = observersAmong(
      everyone.filter(({ id }) => bench.members.includes(id)),
      suspect,
    )
    const effects = [...lose(bench, suspect), ...bench.advance(gather)]
    const told = (all: readonly Effect[]): Actor[] => others.slice(1, 19).filter((actor) => statementsTo(actor, all).length > 0)
    expect(told(effects).map(({ id }) => id)).toEqual(
      others
        .slice(1, 19)
        .map(({ id }) => id)
        .filter((id) => observers.has(id)),
    )
    const round = bench.advance(widen + gather)
    expect(told(round)).toHaveLength(roundPeers)
    const later = bench.advance(25_000)
    expect(new Set([...told(effects), ...told(round), ...told(later)]).size).toBe(18)
    for (const actor of others.slice(1, 19)) expect(statementsTo(actor, [...effects, ...round, ...later])).toHaveLength(1)
  })

  it('travels with those of other members that died in the same moment', () => {
    const bench = poolOf(6)
    const effects = [suspect, bob, carol].flatMap((actor) => lose(bench, actor))
    const frames = framesTo(dave.id, [...effects, ...bench.advance(gather)]).filter(({ alarm }) => alarm !== undefined)
    expect(frames.map(({ alarm }) => alarm?.statements.length)).toEqual([3])
  })

  it('is not sent to who sent it', () => {
    const bench = poolOf(5)
    const effects = [...bench.receive(bob, alarm(bob.suspects(suspect))), ...bench.advance(gather)]
    expect(statementsTo(bob, effects).filter(({ signer }) => encodeId(signer) === bob.id)).toEqual([])
    expect(statementsTo(carol, effects).some(({ signer }) => encodeId(signer) === bob.id)).toBe(true)
  })

  it('that made a death is told of by one observer after the other, by lot, until it is overheard', () => {
    const observers = everyone.slice(0, 5).filter((actor) => actor !== suspect)
    const waits = observers.map((actor) => {
      const bench = new Bench(actor)
      for (const other of everyone.slice(0, 5)) if (other !== actor) bench.meet(other)
      bench.advance(2_000)
      lose(bench, suspect)
      const witnesses = observers.filter((other) => other !== actor).slice(0, quorum)
      for (const other of witnesses) bench.receive(other, alarm(other.suspects(suspect)))
      expect(isDead(bench, suspect)).toBe(true)
      const told = bench.log.length
      return bench.until(() => broadcastsIn(bench.log.slice(told).map(({ effect }) => effect)).length > 0, 10_000)
    })
    const places = waits.map((wait) => Math.floor(((wait as number) - delay) / patience)).sort((a, b) => a - b)
    expect(places).toEqual(observers.map((_, place) => place))
  })

  it('waits for those observers that are not linked, and is told when they are', () => {
    const bench = new Bench(self)
    bench.meet(bob)
    bench.meet(suspect)
    bench.meet(carol, { linked: false })
    const dialled = [...lose(bench, suspect), ...bench.advance(widen + 10)]
    expect(dialled).toContainEqual(expect.objectContaining({ type: 'connect', peer: carol.id }))
    const effects = bench.link(carol)
    expect(statementsTo(carol, effects).length).toBe(1)
  })

  it('looks for few of those at a time, whatever the number of suspects', () => {
    const soughtWith = (dials: number): number => {
      const bench = new Bench(self, { config: { detection: { dials } } })
      const suspects = others.slice(0, 12)
      const unlinked = others.slice(12, 36)
      for (const actor of suspects) bench.meet(actor)
      for (const actor of unlinked) bench.meet(actor, { linked: false })
      bench.advance(60_000)
      const effects = suspects.flatMap((actor) => lose(bench, actor))
      effects.push(...bench.advance(3_000))
      return unlinked.filter(({ id }) => effects.some((effect) => effect.type === 'connect' && effect.peer === id)).length
    }
    // Some it dials anyhow, as they are its neighbours.
    expect(soughtWith(4) - soughtWith(1)).toBe(3)
    expect(soughtWith(24) - soughtWith(4)).toBeGreaterThan(6)
  })

  it('is void when this node reaches the member after all', () => {
    const bench = poolOf(5)
    lose(bench, suspect)
    bench.reach.set(suspect.id, 'up')
    bench.link(suspect)
    for (const actor of [bob, carol]) bench.receive(actor, alarm(actor.suspects(suspect)))
    bench.advance(5_000)
    expect(bench.members).toContain(suspect.id)
  })

  it('of others makes this node look by itself', () => {
    const bench = poolOf(5)
    const effects = bench.receive(bob, alarm(bob.suspects(suspect)))
    expect(framesTo(suspect.id, [...effects, ...bench.advance(100)]).some((frame) => frame.probe !== undefined)).toBe(true)
  })

  it('that found no company is forgotten after a while', () => {
    const bench = poolOf(5)
    bench.receive(bob, alarm(bob.suspects(suspect)))
    bench.advance(defaultConfig.detection.suspicionLifetime + 1_000)
    lose(bench, suspect)
    bench.receive(carol, alarm(carol.suspects(suspect)))
    expect(isDead(bench, suspect)).toBe(false)
  })

  it('does not outlive the life it was about', () => {
    const bench = poolOf(5)
    for (const actor of [bob, carol]) bench.receive(actor, alarm(actor.suspects(suspect)))
    bench.receive(bob, facts([suspect.joined({ incarnation: 2 })]))
    lose(bench, suspect)
    expect(bench.node.member(suspect.id)?.incarnation).toBe(2)
  })
})

describe('a suspect', () => {
  let bench: Bench

  beforeEach(() => {
    bench = poolOf(5)
  })

  it('answers at once, to the witness and to who told it, with a number that no suspicion knew', () => {
    const effects = bench.receive(bob, alarm(carol.suspects(self, 0)))
    for (const actor of [bob, carol]) expect(refutationsTo(actor, effects).map(({ content }) => content.number)).toEqual([1])
    for (const refutation of refutationsTo(bob, effects)) expect(bob.codec.verify(refutation)).toBe(true)
  })

  it('answers a later witness with the same, and one that knew it with the next', () => {
    bench.receive(bob, alarm(bob.suspects(self, 0)))
    const same = bench.receive(carol, alarm(carol.suspects(self, 0)))
    expect(refutationsTo(carol, same).map(({ content }) => content.number)).toEqual([1])
    const next = bench.receive(dave, alarm(dave.suspects(self, 1)))
    expect(refutationsTo(dave, next).map(({ content }) => content.number)).toEqual([2])
  })

  it('gives its life up for witnesses that had not heard of its answer: who believed them before that came can not take it back', () => {
    bench = poolOf(9)
    bench.receive(bob, alarm(carol.suspects(self, 0)))
    bench.overhears(certify(others.slice(0, quorum).map((witness) => witness.suspects(self, 0))))
    expect(bench.node.self?.incarnation).toBe(2)
  })

  it('keeps its life if those whom it answered are too few, though it hears everybody accused', () => {
    bench = poolOf(9)
    for (const other of others.slice(2, 8)) bench.receive(bob, alarm(bob.suspects(other, 0)))
    bench.receive(bob, alarm(bob.suspects(self, 0)))
    bench.overhears(certify(others.slice(0, quorum - 1).map((witness) => witness.suspects(self, 0))))
    expect(bench.node.self?.incarnation).toBe(1)
  })

  it('does not answer for another life', () => {
    const effects = bench.receive(bob, alarm(bob.suspects(self, 0, 3)))
    expect(refutationsTo(bob, effects)).toEqual([])
  })
})

describe('a refutation', () => {
  it('voids the suspicions that did not know it, those to come as well', () => {
    const bench = poolOf(5)
    lose(bench, suspect)
    bench.receive(bob, alarm(bob.suspects(suspect, 0)))
    bench.receive(bob, alarm(suspect.refutes(1)))
    bench.receive(carol, alarm(carol.suspects(suspect, 0)))
    bench.receive(dave, alarm(dave.suspects(suspect, 0)))
    expect(isDead(bench, suspect)).toBe(false)
  })

  it('is passed on to the other observers', () => {
    const bench = poolOf(5)
    bench.receive(bob, alarm(bob.suspects(suspect, 0)))
    bench.advance(gather)
    const effects = [...bench.receive(bob, alarm(suspect.refutes(1))), ...bench.advance(gather)]
    for (const actor of [carol, dave]) expect(refutationsTo(actor, effects).map(({ content }) => content.number)).toEqual([1])
    expect(refutationsTo(bob, effects)).toEqual([])
    const again = [...bench.receive(carol, alarm(suspect.refutes(1))), ...bench.advance(gather)]
    expect(refutationsTo(carol, again)).toEqual([])
  })

  it('is told to who suspects without knowing of it, and the case is forgotten', () => {
    const bench = poolOf(5)
    bench.receive(carol, alarm(suspect.refutes(1)))
    const effects = [...bench.receive(bob, alarm(bob.suspects(suspect, 0))), ...bench.advance(gather)]
    expect(refutationsTo(bob, effects).map(({ content }) => content.number)).toEqual([1])
    expect(refutationsTo(carol, effects)).toEqual([])
  })

  it('reaches whom this node told of its own suspicion, also when that suspicion is void with it', () => {
    const bench = poolOf(5)
    lose(bench, suspect)
    bench.advance(gather)
    const effects = [...bench.receive(bob, alarm(suspect.refutes(1))), ...bench.advance(gather)]
    for (const actor of [carol, dave]) expect(refutationsTo(actor, effects).map(({ content }) => content.number)).toEqual([1])
  })

  it('does not save who stays away: the same witnesses may say so again', () => {
    const bench = poolOf(5)
    lose(bench, suspect)
    bench.receive(bob, alarm(suspect.refutes(1)))
    bench.advance(3_000)
    for (const actor of [bob, carol, dave]) bench.receive(actor, alarm(actor.suspects(suspect, 1)))
    bench.advance(3_000)
    expect(isDead(bench, suspect)).toBe(true)
  })
})
