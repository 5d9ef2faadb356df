import { beforeEach, describe, expect, it } from 'vitest'
import { accused, bob, carol, dave, others, pool, self, suspect, tell } from '../../../test/accused.ts'
import { alarm, death, facts, type Actor } from '../../../test/actors.ts'
import { Bench, broadcastsIn, framesTo } from '../../../test/bench.ts'
import {
  accusationsOf,
  accuses,
  everything,
  gather,
  isDead,
  isSuspected,
  lose,
  poolOf,
  probesTo,
  refutationsIn,
  refutationsTo,
  accusationsTo,
} from '../../../test/detection.ts'
import { hashSpace } from '../../base/hash.ts'
import type { Effect } from '../../base/effect.ts'
import { mostAccusers } from './quorum.ts'

describe('an accusation', () => {
  it('cites the last heartbeat that this node heard', () => {
    const bench = pool(5)
    bench.advance(60_000)
    const heard = bench.heartbeat
    lose(bench, suspect)
    bench.advance(100)
    const [suspicion] = accusationsOf(bench)
    expect(suspicion?.content.heartbeat).toBeGreaterThanOrEqual(heard - 3)
    expect(suspicion?.content.heartbeat).toBeLessThanOrEqual(heard)
  })

  it('without an own heartbeat cites the one that others cite, and at least the one that the member refuted', () => {
    const bench = poolOf(self, [bob, carol, dave])
    bench.meet(suspect, { linked: false })
    bench.reach.set(suspect.id, 'refused')
    tell(bench, [bob], 40)
    bench.advance(100)
    const cited = (): number[] => [...new Set(accusationsOf(bench).map(({ content }) => content.heartbeat))]
    expect(cited()).toEqual([40])
    bench.receive(bob, alarm(suspect.refutes(60)))
    bench.advance(60_000)
    expect(cited()).toEqual([40, 60])
  })

  it.each([
    [200, [0, 0, 0]],
    [4_000, [1, 1, 1]],
  ])('by a node that entered %i ms ago goes to links as well, while the topic hardly reaches anybody', (age, silent) => {
    const bench = new Bench(self)
    for (const actor of [suspect, bob, carol, dave]) bench.meet(actor)
    bench.advance(age)
    lose(bench, suspect)
    bench.until(() => accuses(bench, suspect), 1_000, 1)
    const told = (actor: Actor): number =>
      framesTo(actor.id, everything(bench))
        .flatMap(({ facts: sent }) => sent?.facts ?? [])
        .filter(({ statement }) => statement !== undefined && self.read(statement).content.kind === 'suspicion').length
    expect([bob, carol, dave].map((actor) => 1 - told(actor))).toEqual(silent)
  })

  it('is void when this node reaches the member after all', () => {
    const bench = accused(5)
    bench.reach.set(suspect.id, 'up')
    bench.link(suspect)
    tell(bench, [bob, carol], bench.heartbeat)
    bench.advance(5_000)
    expect(bench.members).toContain(suspect.id)
  })

  it('does not keep this node busy if it reaches the member before a refutation could have come', () => {
    const bench = pool(9)
    tell(bench, [bob], bench.heartbeat)
    lose(bench, suspect)
    bench.until(() => accuses(bench, suspect), 100, 1)
    bench.link(suspect)
    const woken = bench.advance(1_000).filter(({ type }) => type === 'timer')
    expect(woken.length).toBeLessThan(100)
  })

  it('is sent to the member once that is reached again, to be refuted: others may hold it', () => {
    const bench = accused(5)
    const [own] = accusationsOf(bench)
    expect(own).toBeDefined()
    expect(accusationsTo(suspect, everything(bench))).toEqual([])
    const effects = [...bench.link(suspect), ...bench.advance(gather)]
    expect(accusationsTo(suspect, effects)).toEqual([own])
  })

  it('by another makes this node probe the member itself', () => {
    const bench = pool(5)
    const effects = bench.receive(bob, alarm(bob.suspects(suspect)))
    expect(probesTo(suspect, [...effects, ...bench.advance(100)])).toBe(1)
  })

  it('without further accusers is forgotten after a while', () => {
    const bench = pool(5)
    tell(bench, [bob, carol], bench.heartbeat)
    bench.advance(31_000)
    lose(bench, suspect)
    bench.advance(100)
    tell(bench, [dave], bench.heartbeat)
    expect(isDead(bench, suspect)).toBe(false)
  })

  it('does not outlast the life of the suspect', () => {
    const bench = pool(5)
    tell(bench, [bob, carol], bench.heartbeat)
    bench.receive(bob, facts([suspect.joined({ incarnation: 2 })]))
    lose(bench, suspect)
    bench.advance(100)
    expect(bench.node.member(suspect.id)?.incarnation).toBe(2)
  })
})

describe('a refutation', () => {
  it('voids suspicions that cite a lower heartbeat, later ones as well', () => {
    const bench = accused(5)
    tell(bench, [bob], bench.heartbeat)
    bench.receive(bob, alarm(suspect.refutes(bench.heartbeat + 1)))
    tell(bench, [carol, dave], bench.heartbeat)
    bench.advance(1_000)
    expect(isDead(bench, suspect)).toBe(false)
  })

  it('is passed on once to the accusers of the member', () => {
    const bench = pool(5)
    tell(bench, [bob, carol], 0)
    bench.advance(gather)
    const effects = [...bench.receive(bob, alarm(suspect.refutes(5))), ...bench.advance(gather)]
    expect(refutationsTo(carol, effects).map(({ content }) => content.heartbeat)).toEqual([5])
    for (const actor of [bob, dave]) expect(refutationsTo(actor, effects)).toEqual([])
    const again = [...bench.receive(dave, alarm(suspect.refutes(5))), ...bench.advance(gather)]
    expect(refutationsTo(carol, again)).toEqual([])
  })

  it('from the topic is not passed on: everybody has heard it', () => {
    const bench = pool(5)
    tell(bench, [bob, carol], 0)
    bench.advance(gather)
    const from = bench.log.length
    bench.overhears(suspect.refutes(5))
    bench.advance(gather)
    const effects = bench.log.slice(from).map(({ effect }) => effect)
    for (const actor of [bob, carol, dave]) expect(refutationsTo(actor, effects)).toEqual([])
    expect(isSuspected(bench)).toBe(false)
  })

  it('that only a helper received is published when it voids an accusation: nobody else may have it', () => {
    const bench = pool(5)
    bench.receive(carol, alarm(suspect.refutes(5)))
    expect(refutationsIn(bench)).toEqual([])
    bench.overhears(bob.suspects(suspect, 0))
    bench.advance(1_000)
    expect(refutationsIn(bench).map(({ signer, content }) => [signer, content.heartbeat])).toEqual([[suspect.id, 5]])
    bench.overhears(bob.suspects(suspect, 0))
    bench.advance(10_000)
    expect(refutationsIn(bench)).toHaveLength(1)
  })

  it('keeps this node from accusing the member again for eight seconds', () => {
    const bench = pool(5)
    bench.receive(carol, alarm(suspect.refutes(bench.heartbeat)))
    lose(bench, suspect)
    bench.advance(7_000)
    expect(accuses(bench, suspect)).toBe(false)
    bench.advance(120_000)
    expect(accuses(bench, suspect)).toBe(true)
  })

  it('is sent to accusers that do not know it', () => {
    const bench = pool(5)
    bench.receive(carol, alarm(suspect.refutes(5)))
    const effects = [...bench.receive(bob, alarm(bob.suspects(suspect, 0))), ...bench.advance(gather)]
    expect(refutationsTo(bob, effects).map(({ content }) => content.heartbeat)).toEqual([5])
    expect(refutationsTo(carol, effects)).toEqual([])
    expect(isSuspected(bench)).toBe(false)
  })

  it("is sent to peers that received this node's own suspicion, even when it voids that suspicion", () => {
    const bench = accused(5)
    bench.advance(2_000)
    for (const actor of [carol, dave]) expect(accusationsTo(actor, everything(bench))).toHaveLength(1)
    const effects = [...bench.receive(bob, alarm(suspect.refutes(5))), ...bench.advance(gather)]
    for (const actor of [carol, dave]) expect(refutationsTo(actor, effects).map(({ content }) => content.heartbeat)).toEqual([5])
  })

  it('informs an accuser that the member lives, if only others reach it', () => {
    const bench = accused(5)
    expect(isSuspected(bench)).toBe(true)
    bench.receive(bob, alarm(suspect.refutes(5)))
    expect(isSuspected(bench)).toBe(false)
  })

  it('counts for a moment the first time, as it may be older than the suspicion, then for long', () => {
    const bench = accused(5)
    const again = (): number | undefined => {
      const before = accusationsOf(bench).length
      bench.receive(bob, alarm(suspect.refutes(bench.heartbeat)))
      return bench.until(() => accusationsOf(bench).length > before, 200_000)
    }
    expect(again()).toBeLessThan(12_000)
    expect(again()).toBeGreaterThan(60_000)
  })

  it('counts for a moment only, even if it comes several ways', () => {
    const bench = accused(5)
    const before = accusationsOf(bench).length
    const refutation = suspect.refutes(bench.heartbeat)
    bench.receive(bob, alarm(refutation))
    bench.overhears(refutation)
    expect(bench.until(() => accusationsOf(bench).length > before, 200_000)).toBeLessThan(12_000)
  })

  it('does not save a member that stays away: the same accusers may accuse it again', () => {
    const bench = accused(5)
    bench.receive(bob, alarm(suspect.refutes(5)))
    const before = accusationsOf(bench).length
    expect(bench.until(() => accusationsOf(bench).length > before, 60_000)).toBeDefined()
    tell(bench, [bob, carol, dave], 6)
    bench.advance(3_000)
    expect(isDead(bench, suspect)).toBe(true)
  })

  it('is passed on by reconciliation: refuted suspicions end no life at a node that joined since', () => {
    const certificate = death(suspect, others.slice(1, 1 + mostAccusers), 10)
    /** A member that received everything. It answers a newcomer that asks for everything. */
    const member = pool(8)
    tell(member, others.slice(1, 1 + mostAccusers), 10)
    member.overhears(suspect.refutes(11))
    const range = { from: 0, to: hashSpace, count: 0, fingerprint: new Uint8Array(0), items: new Uint8Array(0), wanted: new Uint8Array(0) }
    const told = framesTo(carol.id, member.receive(carol, { reconcile: { round: 2, ranges: [{ ...range, listed: true }] } }))
    const newcomer = new Bench(others[30] as Actor)
    newcomer.link(carol)
    for (const frame of told) if (frame.facts !== undefined) newcomer.receive(carol, frame)
    expect(newcomer.members).toContain(suspect.id)
    newcomer.receive(carol, facts([certificate], true))
    newcomer.overhears(certificate)
    newcomer.advance(10_000)
    expect(newcomer.members).toContain(suspect.id)
    expect(isDead(newcomer, suspect)).toBe(false)
  })
})

describe('a suspect', () => {
  let bench: Bench

  beforeEach(() => {
    bench = pool(5)
    bench.advance(9_500)
  })

  const answers = (actor: Actor, effects: readonly Effect[]): number[] =>
    refutationsTo(actor, [...effects, ...bench.advance(gather)]).map(({ content }) => content.heartbeat)

  it('answers the accuser and the peer that passed the accusation on, at once, with its present heartbeat', () => {
    const effects = [...bench.receive(bob, alarm(carol.suspects(self, 0))), ...bench.advance(gather)]
    for (const actor of [bob, carol]) expect(answers(actor, effects)).toEqual([bench.heartbeat])
    for (const refutation of refutationsTo(bob, effects)) expect(bob.codec.verify(refutation)).toBe(true)
  })

  it('answers a later accuser with the same refutation, and one that cites it with a later one', () => {
    const first = bench.heartbeat
    bench.receive(bob, alarm(bob.suspects(self, 0)))
    expect(answers(carol, bench.receive(carol, alarm(carol.suspects(self, 0))))).toEqual([first])
    bench.advance(2_000)
    expect(answers(dave, bench.receive(dave, alarm(dave.suspects(self, first))))).toEqual([bench.heartbeat])
  })

  it('signs a heartbeat above the present one if an accuser cites the present one', () => {
    const [heartbeat] = answers(bob, bench.receive(bob, alarm(bob.suspects(self, bench.heartbeat))))
    expect(heartbeat).toBe(bench.heartbeat + 1)
  })

  it('does not answer accusations of another life, or of a heartbeat that nobody can have heard', () => {
    expect(answers(bob, bench.receive(bob, alarm(bob.suspects(self, 0, 3))))).toEqual([])
    expect(answers(bob, bench.receive(bob, alarm(bob.suspects(self, bench.heartbeat + 2))))).toEqual([])
  })

  it('publishes a refutation, but at most once a second', () => {
    const times: number[] = []
    for (let i = 0; i < 200; i++) {
      bench.receive(bob, alarm(bob.suspects(self, bench.heartbeat)))
      if (refutationsIn(bench).length > times.length) times.push(bench.now)
      bench.advance(100)
    }
    expect(times.length).toBeGreaterThanOrEqual(12)
    for (const [i, time] of times.entries()) if (i > 0) expect(time - (times[i - 1] as number)).toBeGreaterThanOrEqual(900)
  })

  it.each([100, 300, 500, 800])('publishes a refutation in the end, even of an accusation that came %i ms after another', (pause) => {
    bench.receive(bob, alarm(bob.suspects(self, bench.heartbeat - 1)))
    const start = bench.now
    bench.advance(pause)
    const [first] = refutationsIn(bench)
    const last = first?.content.heartbeat as number
    bench.receive(bob, alarm(bob.suspects(self, last)))
    bench.advance(start + 950 - bench.now)
    expect(refutationsIn(bench)).toEqual([first])
    bench.advance(250)
    expect(refutationsIn(bench)).toHaveLength(2)
    expect(refutationsIn(bench)[1]?.content.heartbeat).toBeGreaterThan(last)
  })

  it.each<[string, boolean]>([
    ['', false],
    [', also of one that comes back again and again', true],
  ])('does not amplify: 2,000 suspicions in a second cause two frames to their accuser and two broadcasts%s', (_, returns) => {
    bench.advance(120_000)
    const signed = bench.heartbeat
    const effects: Effect[] = []
    for (let i = 0; i < 2_000; i++) {
      // Any heartbeats, including recently signed ones.
      const heartbeat = i % 2 === 0 ? i % signed : signed + Math.floor(i / 2)
      if (returns && i % 200 === 0) effects.push(...bench.unlink(bob), ...bench.link(bob, { known: 1 }))
      effects.push(...bench.receive(bob, alarm(bob.suspects(self, heartbeat))))
      if (i % 2 === 1) effects.push(...bench.advance(1))
    }
    const alarms = (actor: Actor): number => framesTo(actor.id, effects).filter(({ alarm: sent }) => sent !== undefined).length
    expect(alarms(bob)).toBeGreaterThan(0)
    expect(alarms(bob)).toBeLessThanOrEqual(2)
    for (const actor of [suspect, carol, dave]) {
      expect(alarms(actor)).toBe(0)
      expect(framesTo(actor.id, effects).length).toBeLessThan(10)
    }
    expect(broadcastsIn([...effects, ...bench.advance(900)]).length).toBeLessThanOrEqual(2)
    for (const actor of [bob, carol, dave]) expect(bench.node.links).toContain(actor.id)
  })

  it('gives up its life for accusers that it has not refuted: nodes that believed them cannot undo it', () => {
    bench = pool(9)
    bench.overhears(death(self, others.slice(0, mostAccusers), bench.heartbeat))
    expect(bench.node.self?.incarnation).toBe(2)
  })

  it('keeps its life against suspicions that it has refuted', () => {
    bench = pool(9)
    bench.receive(bob, alarm(carol.suspects(self, 0)))
    bench.overhears(death(self, others.slice(0, mostAccusers), 0))
    expect(bench.node.self?.incarnation).toBe(1)
  })

  it('keeps its life if its accusers are too few, though all other members are accused', () => {
    bench = pool(9)
    for (const other of others.slice(2, 8)) tell(bench, [bob], 0, other)
    bench.overhears(death(self, others.slice(0, mostAccusers - 1), 0))
    expect(bench.node.self?.incarnation).toBe(1)
  })
})
