import { describe, expect, it } from 'vitest'
import { actors, alarm, facts, type Actor } from '../../test/actors.ts'
import { Bench } from '../../test/bench.ts'
import { mostAccusers } from '../detection/verdict/quorum.ts'
import { certify } from '../facts/certificate.ts'

const [self, ...others] = actors(9) as [Actor, ...Actor[]]
const strangers = actors(4, 2)

function pool(): Bench {
  const bench = new Bench(self)
  for (const actor of others) bench.meet(actor)
  bench.advance(2_000)
  return bench
}

const life = (bench: Bench): number => bench.node.self?.incarnation ?? 0

/** Sends another hello which states that the present life of the node is over. */
function renounce(bench: Bench, actor: Actor, incarnation = life(bench)): void {
  bench.unlink(actor)
  bench.link(actor, { known: incarnation, ended: true })
}

describe('a life that others believe to be over', () => {
  it('is given up on the word of one peer, less often each time', () => {
    const bench = pool()
    const [liar] = others as [Actor]
    const begun: number[] = []
    const start = bench.now
    while (bench.now - start < 120_000) {
      const before = life(bench)
      renounce(bench, liar)
      if (life(bench) > before) begun.push(bench.now)
      bench.advance(500)
    }
    const gaps = begun.slice(1).map((time, i) => time - (begun[i] as number))
    expect(gaps.length).toBeGreaterThan(2)
    expect(gaps.length).toBeLessThan(6)
    for (let i = 1; i < gaps.length; i++) expect(gaps[i]).toBeGreaterThan((gaps[i - 1] as number) * 1.5)
  })

  it('is given up soon on the word of as many peers as a death needs, even if it happened often before', () => {
    const bench = pool()
    const [liar] = others as [Actor]
    for (let i = 0; i < 200; i++) {
      renounce(bench, liar)
      bench.advance(500)
    }
    const before = life(bench)
    for (const actor of others.slice(1, mostAccusers - 1)) renounce(bench, actor, before)
    expect(life(bench)).toBe(before)
    bench.advance(5_000)
    renounce(bench, others[mostAccusers] as Actor, before)
    expect(life(bench)).toBe(before + 1)
  })

  it('is given up on the word of many strangers no sooner than on that of one', () => {
    const bench = pool()
    const start = life(bench)
    for (const stranger of strangers) bench.link(stranger)
    for (let second = 0; second < 60; second++) {
      for (const stranger of strangers) bench.receive(stranger, { hello: { known: life(bench), ended: true, incarnation: 1 } })
      bench.advance(1_000)
    }
    expect(life(bench)).toBeGreaterThan(start)
    // Its life ends at once, and after 5, 10 and 20 s. The next pause would last beyond the minute.
    expect(life(bench) - start).toBeLessThanOrEqual(4)
  })

  it('is not proven to be over by one accuser that accuses all others as well', () => {
    const bench = pool()
    const [liar] = others as [Actor]
    const start = life(bench)
    for (let i = 0; i < 10; i++) {
      for (const other of others.slice(1)) bench.receive(liar, alarm(liar.suspects(other)))
      bench.overhears(certify([liar.suspects(self, 100, life(bench))]))
      bench.advance(6_000)
    }
    expect(life(bench) - start).toBeLessThan(5)
  })

  it('is not given up because of statements about the life before', () => {
    const bench = pool()
    const before = life(bench)
    for (const actor of others.slice(0, mostAccusers)) renounce(bench, actor, before)
    expect(life(bench)).toBe(before + 1)
    bench.advance(10_000)
    for (const actor of others.slice(0, mostAccusers)) renounce(bench, actor, before)
    expect(life(bench)).toBe(before + 1)
  })

  it('is given up at once if its end is proven', () => {
    const bench = pool()
    for (let expected = 2; expected <= 6; expected++) {
      bench.overhears(certify(others.slice(0, mostAccusers).map((accuser) => accuser.suspects(self, 0, expected - 1))))
      expect(life(bench)).toBe(expected)
      bench.advance(5_000)
    }
  })

  it('is not given up sooner if many pass on a death that one peer made up', () => {
    const bench = pool()
    const [liar] = others as [Actor]
    for (let round = 0; round < 3; round++) {
      const made = certify([liar.suspects(self, 0, life(bench))])
      for (const actor of others) bench.receive(actor, facts([made]))
      bench.advance(6_000)
    }
    expect(life(bench)).toBe(3)
  })
})
