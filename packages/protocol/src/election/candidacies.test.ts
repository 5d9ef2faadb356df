import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { actors, facts, type Actor } from '../../test/actors.ts'
import { Bench } from '../../test/bench.ts'
import type { Statement } from '../facts/statement.ts'
import { places, remembered, withdrawals } from './candidacies.ts'

const name = 'master'
const many = actors(places + withdrawals + 40)
const [self, peer, ...crowd] = many as [Actor, Actor, ...Actor[]]

function makeBench(): Bench {
  const bench = new Bench(self)
  bench.meet(peer)
  for (const actor of crowd) bench.meet(actor, { linked: false })
  return bench
}

/** Returns the same content under another signature, as a dishonest member may sign it. */
function inOtherBytes({ body, kind, content }: Statement, by: Actor, byte: number): Statement {
  return by.says(kind, Uint8Array.from([...body, 0x78, byte]), content)
}

describe('the exchanged facts of an election', () => {
  const small = fc.integer({ min: 1, max: 3 })
  const byte = fc.integer({ min: 0, max: 2 })
  const by = fc.constantFrom(...crowd)
  const candidacy = fc
    .record({ by, sequence: small, withdrawn: fc.boolean(), byte })
    .map(({ by: actor, byte: other, ...details }) => inOtherBytes(actor.stands(name, details), actor, other))
  const claim = fc
    .record({ by, sequence: small, epoch: small, byte })
    .map(({ by: actor, epoch, byte: other, ...details }) => inOtherBytes(actor.claims(name, epoch, details), actor, other))
  /** Many candidacies of one kind at once, so that bounds are exceeded. */
  const wave = fc
    .record({ sequence: small, withdrawn: fc.boolean(), from: fc.nat(crowd.length) })
    .map(({ from, ...details }) => crowd.slice(from).map((actor) => actor.stands(name, details)))
  const history = fc
    .array(
      fc.oneof(
        { weight: 6, arbitrary: candidacy.map((one) => [one]) },
        { weight: 3, arbitrary: claim.map((one) => [one]) },
        { weight: 1, arbitrary: wave },
      ),
      {
        maxLength: 25,
      },
    )
    .map((parts) => parts.flat())

  it('are the same in any order and grouping of the same facts, and of repeated ones', () => {
    fc.assert(
      fc.property(history, fc.infiniteStream(fc.nat()), fc.infiniteStream(fc.integer({ min: 1, max: 12 })), (statements, lots, sizes) => {
        const one = makeBench()
        const other = makeBench()
        for (const statement of statements) one.receive(peer, facts([statement]))
        const shuffled = [...statements, ...statements.slice(0, 5)]
          .map((statement) => ({ statement, lot: lots.next().value as number }))
          .sort((a, b) => a.lot - b.lot)
          .map(({ statement }) => statement)
        while (shuffled.length > 0) {
          const group = shuffled.splice(0, sizes.next().value as number)
          // A claim must come from a peer, as the topic vouches for nothing.
          if (group.every(({ content }) => content.kind === 'candidacy')) other.overhears(...group)
          else other.receive(peer, facts(group))
        }
        expect(other.audit(peer)).toEqual(one.audit(peer))
        expect(other.node.reign(name)).toEqual(one.node.reign(name))
      }),
      // Histories are long, and shrinking one takes minutes.
      { numRuns: 60, endOnFailure: true },
    )
  })
})

describe('withdrawn candidacies', () => {
  let bench: Bench

  beforeEach(() => {
    bench = makeBench()
  })

  it('are bounded', () => {
    bench.overhears(...crowd.map((actor) => actor.stands(name, { sequence: 2, withdrawn: true })))
    expect(told(bench)).toBe(many.length + withdrawals)
  })

  it('keep out older candidacies that stand, whether the withdrawals are exchanged or not', () => {
    bench.overhears(...crowd.map((actor) => actor.stands(name, { sequence: 2, withdrawn: true })))
    const before = bench.audit(peer)
    bench.overhears(...crowd.map((actor) => actor.stands(name)))
    expect(bench.audit(peer)).toEqual(before)
  })

  it('that were forgotten are remembered again when their author corrects an older candidacy', () => {
    const later = actors(many.length + remembered).filter(({ id }) => !many.some((actor) => actor.id === id))
    for (const actor of later) bench.meet(actor, { linked: false })
    const everybody = [...crowd, ...later].sort((a, b) => (a.id < b.id ? -1 : 1))
    const last = everybody.at(-1) as Actor
    bench.overhears(last.stands(name, { sequence: 2, withdrawn: true }))
    bench.overhears(...everybody.map((actor) => actor.stands(name, { sequence: 2, withdrawn: true })))
    const before = bench.audit(peer)
    bench.overhears(last.stands(name))
    expect(bench.audit(peer)).not.toEqual(before)
    bench.overhears(last.stands(name, { sequence: 2, withdrawn: true }))
    expect(bench.audit(peer)).toEqual(before)
  })
})

describe('an older candidacy of this node', () => {
  it('is corrected in an answer to the peer that sent it', () => {
    const bench = makeBench()
    bench.input({ type: 'command', command: { type: 'elect', election: name } })
    bench.input({ type: 'command', command: { type: 'withdraw', election: name } })
    bench.advance(1_000)
    const before = bench.audit(peer)
    const [answer, ...more] = bench.sent(peer, bench.receive(peer, facts([self.stands(name)])))
    expect(more).toEqual([])
    const { facts: correction, fresh } = answer?.facts ?? {}
    expect(fresh).toBe(true)
    expect(correction?.map(({ statement }) => self.read(statement!).content)).toMatchObject([{ sequence: 2, withdrawn: true }])
    expect(bench.audit(peer)).toEqual(before)
    // A correct candidacy needs no answer.
    expect(bench.sent(peer, bench.receive(peer, facts([self.stands(name, { sequence: 2, withdrawn: true })])))).toEqual([])
  })
})

/**
 * Returns the number of facts that a node exchanges. An audit lists the facts of a short range, and
 * counts the facts of a long one.
 */
function told(bench: Bench): number {
  const { facts: items } = bench.audit(peer)
  return items.reduce((sum, item) => sum + (item.includes(':') ? Number(item.split(':')[1]) : 1), 0)
}
