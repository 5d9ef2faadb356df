import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { accused, bob, carol, dave, others, pool, self, suspect, tell } from '../../../test/accused.ts'
import { alarm, type Actor } from '../../../test/actors.ts'
import { broadcastsIn, type Bench } from '../../../test/bench.ts'
import { accusationsOf, accuses, isDead, isSuspected, lose, poolOf } from '../../../test/detection.ts'
import { makeConfig } from '../../base/config.ts'
import type { Context } from '../../context/context.ts'
import { heartbeatWindow } from '../../facts/certificate.ts'
import type { Accusation, Statement } from '../../facts/statement.ts'
import { statementToWire } from '../../facts/statement-codec.ts'
import { Suspicion } from '../suspicion/suspicion.ts'
import { Confirmation, type ConfirmationParts } from './confirmation.ts'
import { mostAccusers } from './quorum.ts'

describe('a death needs', () => {
  it.each([
    [2, 1],
    [3, 2],
    [4, 2],
    [5, 3],
    [12, mostAccusers],
    [40, mostAccusers],
  ])('among %i members %i accusers', (size, needed) => {
    const bench = accused(size)
    let accusers = 1
    for (const actor of others.slice(1, size - 1)) {
      if (isDead(bench, suspect)) break
      accusers += 1
      tell(bench, [actor], bench.heartbeat)
      bench.advance(1_000)
    }
    expect(isDead(bench, suspect)).toBe(true)
    expect(accusers).toBe(needed)
  })

  it('among three members one accuser, if the third is accused as well', () => {
    const bench = pool(3)
    lose(bench, suspect)
    bench.advance(1_000)
    expect(isDead(bench, suspect)).toBe(false)
    lose(bench, bob)
    bench.advance(7_000)
    expect([isDead(bench, suspect), isDead(bench, bob)]).toEqual([true, true])
  })

  it('the time for a refutation', () => {
    const bench = pool(5)
    tell(bench, [bob, carol, dave], bench.heartbeat)
    lose(bench, suspect)
    bench.until(() => accuses(bench, suspect), 100, 1)
    bench.advance(20)
    expect(isDead(bench, suspect)).toBe(false)
    bench.advance(1_000)
    expect(isDead(bench, suspect)).toBe(true)
  })

  it.each<['refused' | 'silent', number, number]>([
    ['refused', 30, 90],
    ['silent', 580, 1_100],
  ])('the time for a refutation over the remaining way if the host is %s', (how, least, most) => {
    const bench = pool(5)
    lose(bench, suspect, how)
    bench.until(() => accuses(bench, suspect), 10_000, 1)
    tell(bench, [bob, carol, dave], bench.heartbeat)
    const time = bench.until(() => isDead(bench, suspect), 10_000, 1)
    expect(time).toBeGreaterThanOrEqual(least)
    expect(time).toBeLessThanOrEqual(most)
  })

  it('the time for a refutation again if this process stalled: the refutation may wait in its sockets', () => {
    const bench = pool(5)
    lose(bench, suspect, 'silent')
    bench.until(() => accuses(bench, suspect), 10_000, 1)
    tell(bench, [bob, carol, dave], bench.heartbeat)
    bench.sleep(20_000)
    expect(isDead(bench, suspect)).toBe(false)
    bench.receive(bob, alarm(suspect.refutes(bench.heartbeat)))
    bench.advance(5_000)
    expect(isDead(bench, suspect)).toBe(false)
  })

  it('twice that time if hosts of several members refuse at once: a firewall does that', () => {
    const [other] = others.slice(4, 5) as [Actor]
    const times = [[], [other]].map((more) => {
      const bench = pool(9)
      for (const actor of more) lose(bench, actor)
      lose(bench, suspect)
      const start = bench.now
      bench.until(() => accuses(bench, suspect), 10_000, 1)
      tell(bench, [bob, carol, dave], bench.heartbeat)
      bench.until(() => isDead(bench, suspect), 10_000, 1)
      return bench.now - start
    })
    expect((times[1] as number) - (times[0] as number)).toBe(50)
  })

  it("the time for a refutation of this node's own accusation, which may be the only one that arrives", () => {
    const alone = pool(5)
    lose(alone, suspect, 'silent')
    const accused = alone.until(() => accuses(alone, suspect), 10_000, 1) ?? Infinity

    const bench = pool(5)
    lose(bench, suspect, 'silent')
    bench.advance(accused - 800)
    for (const actor of [bob, carol]) bench.overhears(actor.suspects(suspect, bench.heartbeat))
    const time = bench.until(() => isDead(bench, suspect), 10_000, 1) ?? Infinity
    expect(time).toBeGreaterThanOrEqual(800 + 580)
    expect(time).toBeLessThanOrEqual(800 + 1_100)
  })

  it("this node's own accusation: a node in contact with a member believes no death of it", () => {
    const bench = pool(6)
    tell(bench, others.slice(1, 5), bench.heartbeat)
    bench.advance(20_000)
    expect(bench.members).toContain(suspect.id)
    expect([isDead(bench, suspect), isSuspected(bench)]).toEqual([false, false])
  })

  it('a present accusation by this node: one that others send back is void once it reached the member', () => {
    const bench = accused(6)
    const own = accusationsOf(bench)
    expect(own).not.toEqual([])
    bench.link(suspect)
    bench.unresponsive.add(suspect.id)
    bench.receive(bob, { alarm: { statements: own.map(statementToWire) } })
    tell(bench, others.slice(2, 5), bench.heartbeat)
    bench.advance(1_000)
    expect(isDead(bench, suspect)).toBe(false)
  })

  it('the usual number of accusers if a liar accuses all others: members that this node reaches count', () => {
    const bench = accused(9)
    for (const other of [suspect, ...others.slice(2, 8)]) tell(bench, [bob], bench.heartbeat, other)
    bench.advance(20_000)
    expect(bench.members).toContain(suspect.id)
    expect(isDead(bench, suspect)).toBe(false)
  })

  it('different accusers, all of them members', () => {
    const bench = accused(5)
    for (let i = 0; i < 5; i++) tell(bench, [bob], i)
    for (const stranger of others.slice(20, 30)) bench.receive(bob, alarm(stranger.suspects(suspect)))
    bench.receive(bob, alarm(suspect.suspects(suspect)))
    bench.advance(1_000)
    expect(isDead(bench, suspect)).toBe(false)
  })

  it('accusers of the present life', () => {
    const bench = accused(5)
    for (const actor of [bob, carol, dave]) bench.receive(actor, alarm(actor.suspects(suspect, 0, 2)))
    bench.advance(1_000)
    expect(isDead(bench, suspect)).toBe(false)
  })

  it(`accusers of about the same time: no two of them more than ${heartbeatWindow} s apart`, () => {
    const bench = pool(5)
    bench.advance(100_000)
    lose(bench, suspect)
    bench.advance(100)
    const own = accusationsOf(bench)[0]?.content.heartbeat as number
    expect(own).toBeGreaterThan(90)
    tell(bench, [bob], own - 50)
    tell(bench, [carol], own + 50)
    bench.advance(1_000)
    expect(isDead(bench, suspect)).toBe(false)
    tell(bench, [dave], own + 20)
    bench.advance(1_000)
    expect(isDead(bench, suspect)).toBe(true)
  })

  it('suspicions that the member has not outlived: an old heartbeat does not count', () => {
    const bench = pool(5)
    bench.advance(200_000)
    tell(bench, [bob, carol, dave], bench.heartbeat - heartbeatWindow - 10)
    expect(isSuspected(bench)).toBe(false)
    lose(bench, suspect)
    bench.advance(1_000)
    expect(isDead(bench, suspect)).toBe(false)
  })
})

describe('a node that did not probe the member', () => {
  function bystander(of: Actor): Bench {
    const bench = poolOf(
      self,
      others.filter((actor) => actor !== of),
    )
    bench.meet(of, { linked: false })
    bench.reach.set(of.id, 'silent')
    return bench
  }
  const accusers = others.slice(1, 1 + mostAccusers)
  const publish = (bench: Bench, by: readonly Actor[], of = strange): void => {
    for (const actor of by) bench.overhears(actor.suspects(of, bench.heartbeat))
  }
  /** A member that the bench's node does not observe. An observer would probe it at once. */
  const strange = others.slice(10).find((actor) => {
    const bench = bystander(actor)
    publish(bench, accusers.slice(1), actor)
    bench.advance(10)
    return !isSuspected(bench)
  }) as Actor

  it.each<[number, string, typeof publish]>([
    [300, 'by the topic', publish],
    [900, 'by the topic', publish],
    [900, 'over a link', (bench, by) => tell(bench, by, bench.heartbeat, strange)],
  ])(
    'pronounces it dead with enough accusers and the time to refute each of them: the last one came %i ms later, %s',
    (pause, _, tellLast) => {
      const bench = bystander(strange)
      publish(bench, accusers.slice(0, -1))
      bench.advance(pause)
      tellLast(bench, accusers.slice(-1))
      const time = bench.until(() => isDead(bench, strange), 5_000, 1)
      expect(time).toBeGreaterThanOrEqual(580)
      expect(time).toBeLessThanOrEqual(1_100)
    },
  )

  it('pronounces no death with too few accusers', () => {
    const bench = bystander(strange)
    publish(bench, accusers.slice(2))
    bench.advance(5_000)
    expect(isDead(bench, strange)).toBe(false)
  })

  it('publishes neither the death nor an accusation', () => {
    const bench = bystander(strange)
    publish(bench, accusers)
    const before = bench.log.length
    bench.until(() => isDead(bench, strange), 5_000)
    bench.advance(5_000)
    expect(isDead(bench, strange)).toBe(true)
    expect(broadcastsIn(bench.log.slice(before).map(({ effect }) => effect))).toEqual([])
  })

  it.each<[string, (bench: Bench) => void]>([
    ['it has a link with the member', (bench) => void bench.link(strange)],
    ['the member refuted one of them', (bench) => void bench.receive(bob, alarm(strange.refutes(bench.heartbeat + 1)))],
  ])('pronounces no death if %s', (_, change) => {
    const bench = bystander(strange)
    publish(bench, accusers)
    bench.advance(100)
    change(bench)
    bench.advance(5_000)
    expect(bench.members).toContain(strange.id)
    expect(isDead(bench, strange)).toBe(false)
  })
})

describe('the certificate of a death', () => {
  it.each([
    ['at once if its accuser misses nobody else', [], 0, 0],
    ['with other news if it does', [others[1] as Actor], 20, 500],
  ])('is published %s', (_, more, least, most) => {
    const accusers = others.slice(2, 2 + mostAccusers)
    const waits = [self, ...others.slice(0, 20)].flatMap((actor) => {
      if ([suspect, ...accusers, ...more].includes(actor)) return []
      const bench = poolOf(actor, [suspect, ...more, ...accusers])
      const before = bench.log.length
      for (const other of more) lose(bench, other)
      lose(bench, suspect)
      for (const other of accusers) bench.overhears(other.suspects(suspect, bench.heartbeat))
      bench.until(() => isDead(bench, suspect), 10_000, 1)
      const told = (): boolean =>
        broadcastsIn(bench.log.slice(before).map(({ effect }) => effect)).some(({ facts }) =>
          facts.some(({ certificate }) => certificate !== undefined),
        )
      return bench.until(told, 500, 1) ?? []
    })
    expect(waits.length).toBeGreaterThan(0)
    for (const wait of waits) {
      expect(wait).toBeGreaterThanOrEqual(least)
      expect(wait).toBeLessThanOrEqual(most)
    }
  })

  it('is published at once by the first accuser by lot, by another if that one did not publish it', () => {
    const times = others.slice(2, 22).map((_, i) => {
      const bench = poolOf(self, [suspect, ...others.slice(2 + i, 14 + i)])
      for (const actor of others.slice(2 + i, 2 + i + mostAccusers)) bench.overhears(actor.suspects(suspect, bench.heartbeat))
      lose(bench, suspect)
      const before = bench.log.length
      const published = (): boolean => {
        const effects = bench.log.slice(before).map(({ effect }) => effect)
        return broadcastsIn(effects).some(({ facts }) => facts.some(({ certificate }) => certificate !== undefined))
      }
      expect(bench.until(() => isDead(bench, suspect), 10_000)).toBeDefined()
      return bench.until(published, 5_000) ?? Infinity
    })
    const isAtOnce = times.map((time) => time < 500)
    expect(isAtOnce.filter(Boolean).length).toBeGreaterThan(0)
    expect(isAtOnce.filter(Boolean).length).toBeLessThan(12)
    for (const time of times) expect(time < 500 || (time >= 1_000 && time < 2_000)).toBe(true)
  })
})

describe('accusations with heartbeats of any distance', () => {
  const content = (heartbeat: number): Accusation => ({ kind: 'suspicion', suspect: suspect.id, incarnation: 1, heartbeat })
  const accusation = (signer: string, said: Accusation): Statement<Accusation> => ({
    signer,
    kind: 3,
    body: new Uint8Array(),
    signature: new Uint8Array(64),
    content: said,
  })

  /** The pool has many members, and the member refuted all heartbeats below `refuted`. */
  function suffices(suspicion: Suspicion, refuted = 0): boolean {
    const context = { config: makeConfig(), view: { size: 5_000 } } as unknown as Context
    const parts = {
      suspicions: { accused: 0, isAccused: () => false },
      scheduler: { roundTrip: 0 },
      refutations: { isValid: ({ heartbeat }: Accusation) => heartbeat >= refuted },
    } as unknown as ConfirmationParts
    return new Confirmation(context, parts).suffices(suspicion)
  }

  it('suffice if four valid ones lie together', () => {
    const said = fc.record({
      signer: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'),
      heartbeat: fc.nat(300),
      isTakenBack: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(said, { maxLength: 30 }), fc.nat(150), (all, refuted) => {
        const suspicion = new Suspicion(suspect.id, 1, 0)
        const held = new Map<string, number>()
        for (const { signer, heartbeat, isTakenBack } of all) {
          suspicion.add(accusation(signer, content(heartbeat)))
          held.set(signer, heartbeat)
          if (isTakenBack && held.delete(signer)) suspicion.remove(signer)
        }
        const valid = [...held.values()].filter((heartbeat) => heartbeat >= refuted)
        const groups = valid.map((first) => valid.filter((other) => other >= first && other <= first + heartbeatWindow).length)
        expect(suffices(suspicion, refuted)).toBe(Math.max(0, ...groups) >= mostAccusers)
      }),
    )
  })

  it('take no time that is the square of their number', () => {
    let reads = 0
    const count = 3_000
    const suspicion = new Suspicion(suspect.id, 1, 0)
    for (let i = 0; i < count; i++) {
      const heartbeat = 1_000_000 + Math.floor(i / 3) * (heartbeatWindow + 1)
      const said = Object.defineProperty(content(heartbeat), 'heartbeat', {
        get: () => {
          reads += 1
          return heartbeat
        },
      })
      suspicion.add(accusation(`sybil ${i}`, said))
    }
    reads = 0
    expect(suffices(suspicion)).toBe(false)
    expect(reads).toBeLessThan(count * 10)
  })
})
