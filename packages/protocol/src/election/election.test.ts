import { beforeEach, describe, expect, it } from 'vitest'
import { actors, death, facts, forged, wireFact, type Actor } from '../../test/actors.ts'
import { Bench, broadcastsIn } from '../../test/bench.ts'
import { defaultConfig } from '../base/config.ts'
import type { Certificate } from '../facts/certificate.ts'
import type { Evidence } from '../facts/fact.ts'
import { isKind, type Candidacy, type Claim, type Statement } from '../facts/statement.ts'

const everyone = actors(40)
const [lowest, lower, self, higher, highest, other, another] = everyone as [Actor, Actor, Actor, Actor, Actor, Actor, Actor]
const { settle, resettle, confirmations } = defaultConfig.election
const name = 'master'

let bench: Bench

beforeEach(() => {
  for (const actor of everyone) actor.incarnation = 1
  bench = new Bench(self)
})

function elect(): void {
  bench.input({ type: 'command', command: { type: 'elect', election: name } })
}

/** Tells a claim together with what ended the reign before it. */
function tell(from: Actor, claim: Statement<Claim>, because?: Statement | Certificate): void {
  const evidence: Evidence | undefined =
    because === undefined ? undefined : 'signer' in because ? { statement: because } : { certificate: because }
  bench.receive(from, {
    facts: { facts: [because === undefined ? wireFact(claim) : wireFact(claim, { because: evidence as Evidence })], fresh: true },
  })
}

/** The reign as this node sees it: epoch and winner. */
function reign(): [number, string] | undefined {
  const current = bench.node.reign(name)
  return current === undefined ? undefined : [current.epoch, current.winner.id]
}

function announced(): [number, string][] {
  return bench.notifications.flatMap((notification) =>
    notification.type === 'elected' ? [[notification.reign.epoch, notification.reign.winner.id]] : [],
  )
}

/** Own claims and candidacies that were published. */
function published(): Statement<Claim | Candidacy>[] {
  const told = broadcastsIn(bench.log.map(({ effect }) => effect)).flatMap((broadcast) => broadcast.facts)
  return told.flatMap(({ statement }) => {
    if (statement === undefined) return []
    const read = self.read(statement)
    return read.signer === self.id && (isKind(read, 'claim') || isKind(read, 'candidacy')) ? [read] : []
  })
}

describe('a candidate', () => {
  it('alone claims the first epoch once it has settled', () => {
    elect()
    bench.advance(settle - 1)
    expect(reign()).toBeUndefined()
    bench.advance(1)
    expect(reign()).toEqual([1, self.id])
    expect(announced()).toEqual([[1, self.id]])
  })

  it('that asks again changes nothing', () => {
    elect()
    bench.advance(settle)
    elect()
    bench.advance(5_000)
    expect(announced()).toEqual([[1, self.id]])
  })

  it('with others around waits for a reconciliation as well', () => {
    bench.reconciles = false
    bench.meet(higher)
    elect()
    bench.advance(settle * 6)
    expect(reign()).toBeUndefined()
    bench.receive(higher, { reconcile: { round: 2, ranges: [] } })
    bench.advance(10)
    expect(reign()).toEqual([1, self.id])
  })

  it('publishes its candidacy and its claim', () => {
    bench.meet(higher)
    elect()
    bench.advance(3_000)
    expect(published().map(({ content }) => content.kind)).toEqual(['candidacy', 'claim'])
  })

  it('leaves it to a lower one', () => {
    bench.meet(lower)
    elect()
    bench.receive(lower, facts([lower.stands(name)]))
    bench.advance(10_000)
    expect(announced()).toEqual([])
    tell(lower, lower.claims(name, 1))
    expect(reign()).toEqual([1, lower.id])
    expect(announced()).toEqual([[1, lower.id]])
  })

  it('does not wait for ever while ever more candidates trickle in', () => {
    elect()
    const start = bench.now
    for (const actor of everyone.slice(3)) {
      bench.meet(actor, { linked: false })
      bench.overhears(actor.stands(name))
      bench.advance(settle / 2)
      if (reign() !== undefined) break
    }
    expect(reign()).toEqual([1, self.id])
    expect(bench.now - start).toBeLessThanOrEqual(settle * 5)
  })

  it('asked for before this node has entered stands once it has', () => {
    bench = new Bench(self, { introducers: [{ address: Uint8Array.of(1) }] })
    elect()
    bench.advance(bench.config.introduction.aloneAfter + settle * 2)
    expect(reign()).toEqual([1, self.id])
  })

  it('puts itself forward again in its next life, and reigns in a new epoch', () => {
    for (const actor of [higher, highest, other, another]) bench.meet(actor)
    elect()
    bench.advance(5_000)
    expect(reign()).toEqual([1, self.id])
    const before = published().length
    bench.receive(higher, facts([death(self, [higher, highest, other, another])]))
    expect(bench.node.self?.incarnation).toBe(2)
    bench.advance(5_000)
    expect(bench.node.reign(name)).toMatchObject({ epoch: 2, winner: { id: self.id, incarnation: 2 } })
    const kinds = published()
      .slice(before)
      .map(({ content }) => [content.kind, content.incarnation])
    expect(kinds).toEqual([
      ['candidacy', 2],
      ['claim', 2],
    ])
  })
})

describe('a living winner', () => {
  beforeEach(() => {
    for (const actor of [lower, higher, highest]) bench.meet(actor)
    elect()
    bench.advance(3_000)
    expect(reign()).toEqual([1, self.id])
  })

  it('is not unseated by a late candidate with a lower id', () => {
    bench.receive(lower, facts([lower.stands(name)]))
    bench.advance(60_000)
    expect(announced()).toEqual([[1, self.id]])
  })

  it('gives way to a lower one that claimed the same epoch elsewhere, so that all agree, and not to a higher one', () => {
    tell(higher, higher.claims(name, 1))
    expect(reign()).toEqual([1, self.id])
    tell(lower, lower.claims(name, 1))
    expect(reign()).toEqual([1, lower.id])
  })

  it('is not unseated by a claim of the next epoch without a proof of its end', () => {
    tell(lower, lower.claims(name, 2, { winner: self }))
    expect(reign()).toEqual([1, self.id])
  })

  it.each<[string, () => Statement | Certificate]>([
    ['a death with a forged witness', () => ({ ...death(self, [higher, highest, lower]), incarnation: 2 })],
    ['a forged departure', () => forged(self.left())],
    ['the departure of somebody else', () => higher.left()],
    ['a candidacy that was not withdrawn', () => self.stands(name, { sequence: 9 })],
    ['a withdrawal from another election', () => self.stands('other', { sequence: 9, withdrawn: true })],
    ['a forged withdrawal', () => forged(self.stands(name, { sequence: 9, withdrawn: true }))],
  ])('is not unseated by %s', (_, proof) => {
    tell(lower, lower.claims(name, 2, { winner: self }), proof())
    expect(reign()).toEqual([1, self.id])
    expect(bench.members).toContain(self.id)
  })
})

describe('a winner with whom this node is in contact', () => {
  it('is not unseated by a death with too few witnesses, nor by one with enough', () => {
    for (const actor of [lower, higher, highest, other]) bench.meet(actor)
    tell(higher, higher.claims(name, 1))
    tell(lower, lower.claims(name, 2, { winner: higher }), death(higher, [lower]))
    expect(reign()).toEqual([1, higher.id])
    tell(lower, lower.claims(name, 2, { winner: higher }), death(higher, [lower, highest, other]))
    expect(reign()).toEqual([1, higher.id])
  })
})

describe('the end of a reign', () => {
  /** A pool in which `winner` reigns and this node is the next. */
  function reigning(winner: Actor): void {
    for (const actor of [winner, higher, highest, other]) bench.meet(actor)
    bench.receive(winner, facts([winner.stands(name)]))
    tell(winner, winner.claims(name, 1))
    elect()
    bench.advance(5_000)
    expect(reign()).toEqual([1, winner.id])
  }

  const ends: [string, () => Statement | Certificate][] = [
    ['leaves', () => lower.left()],
    ['dies', () => death(lower, [higher, highest, other])],
    ['withdraws', () => lower.stands(name, { sequence: 2, withdrawn: true })],
    ['begins another life', () => lower.joined({ incarnation: 2 })],
  ]

  it.each(ends)('that %s makes the next candidate claim the next epoch, unasked, with the proof', (_, end) => {
    reigning(lower)
    bench.unlink(lower)
    bench.receive(higher, facts([end()]))
    expect(reign()).toBeUndefined()
    bench.advance(resettle)
    expect(reign()).toEqual([2, self.id])
    bench.advance(1_000)
    const claim = broadcastsIn(bench.log.map(({ effect }) => effect))
      .flatMap((broadcast) => broadcast.facts)
      .findLast(({ statement }) => statement?.kind === 6)
    const expected = wireFact(end())
    expect(claim?.because ?? claim?.becauseDeath).toEqual(expected.statement ?? expected.certificate)
  })

  it.each(ends)('that %s is believed by the proof alone, in the claim of the next', (_, end) => {
    reigning(lower)
    if ('witnesses' in end()) bench.unlink(lower)
    tell(higher, higher.claims(name, 2, { winner: lower }), end())
    expect(reign()).toEqual([2, higher.id])
  })

  it('leaves others that are lower to claim', () => {
    reigning(lowest)
    bench.meet(lower)
    bench.receive(lower, facts([lower.stands(name)]))
    bench.receive(lowest, facts([lowest.left()]))
    bench.advance(10_000)
    expect(reign()).toBeUndefined()
    tell(lower, lower.claims(name, 2, { winner: lowest }), lowest.left())
    expect(reign()).toEqual([2, lower.id])
  })

  it('without candidates keeps the epoch for the next time', () => {
    bench.meet(lower)
    bench.meet(higher)
    bench.receive(lower, facts([lower.stands(name)]))
    tell(lower, lower.claims(name, 1))
    bench.receive(lower, facts([lower.left()]))
    bench.advance(120_000)
    expect(reign()).toBeUndefined()
    elect()
    bench.advance(5_000)
    expect(reign()).toEqual([2, self.id])
  })

  it('by its own wish leaves a node without a reign, and lets others in', () => {
    bench.meet(higher)
    elect()
    bench.receive(higher, facts([higher.stands(name)]))
    bench.advance(3_000)
    expect(reign()).toEqual([1, self.id])
    bench.input({ type: 'command', command: { type: 'withdraw', election: name } })
    bench.advance(5_000)
    expect(reign()).toBeUndefined()
    const withdrawal = published().at(-1)
    expect(withdrawal?.content).toMatchObject({ kind: 'candidacy', withdrawn: true })
    tell(higher, higher.claims(name, 2, { winner: self }), withdrawal)
    expect(reign()).toEqual([2, higher.id])
    elect()
    bench.advance(10_000)
    expect(reign()).toEqual([2, higher.id])
  })

  it('of a candidate that never reigned unseats nobody', () => {
    reigning(lower)
    bench.receive(higher, facts([higher.stands(name), higher.left()]))
    bench.advance(5_000)
    expect(announced()).toEqual([[1, lower.id]])
  })
})

describe('an epoch that skips some', () => {
  const peers = [lower, higher, highest, other, another]

  beforeEach(() => {
    for (const actor of peers) bench.meet(actor)
    elect()
    bench.advance(3_000)
  })

  it('counts only when several peers have told it', () => {
    const absurd = lower.claims(name, 1_000_000)
    for (let i = 0; i < 10; i++) tell(lower, absurd)
    bench.overhears(absurd)
    for (const peer of peers.slice(1, confirmations - 1)) tell(peer, absurd)
    expect(reign()).toEqual([1, self.id])
    tell(peers[confirmations - 1] as Actor, absurd)
    expect(reign()).toEqual([1_000_000, lower.id])
  })

  it('counts no peer twice that told another one in between', () => {
    const absurd = lower.claims(name, 1_000_000)
    tell(higher, absurd)
    for (let i = 0; i < 5; i++) {
      tell(lower, absurd)
      tell(lower, lower.claims(name, 2_000_000))
      bench.advance(defaultConfig.election.tellAgain)
    }
    expect(reign()).toEqual([1, self.id])
    for (const peer of [highest, other]) tell(peer, absurd)
    expect(reign()).toEqual([1_000_000, lower.id])
  })

  it('counts no peer whose link is gone, nor one that did not enter', () => {
    const absurd = highest.claims(name, 1_000_000)
    tell(lower, absurd)
    bench.unlink(lower)
    for (const actor of everyone.slice(-3)) {
      bench.link(actor, { incarnation: 0 })
      tell(actor, absurd)
    }
    for (const peer of [higher, highest]) tell(peer, absurd)
    expect(reign()).toEqual([1, self.id])
    tell(other, absurd)
    expect(reign()).toEqual([1_000_000, highest.id])
  })

  it('and leaves none above it is the last: nobody claims what others would not take', () => {
    bench = new Bench(self)
    bench.meet(lower)
    tell(lower, lower.claims(name, bench.config.limits.counter))
    expect(reign()).toEqual([bench.config.limits.counter, lower.id])
    elect()
    bench.receive(lower, facts([lower.left()]))
    bench.advance(10_000)
    expect(reign()).toBeUndefined()
    expect(published().map(({ content }) => content.kind)).toEqual(['candidacy'])
  })

  it('is not kept out by one peer that makes up many', () => {
    for (let i = 0; i < 100; i++) tell(lower, lower.claims(name, 1_000 + i))
    for (const peer of [higher, highest, other, another]) tell(peer, higher.claims(name, 7))
    expect(reign()).toEqual([7, higher.id])
  })

  it('is believed by a newcomer of all that it has: it can ask nobody else', () => {
    bench = new Bench(self)
    bench.meet(lower)
    tell(lower, lower.claims(name, 12))
    expect(reign()).toEqual([12, lower.id])
  })
})

describe('what is kept of candidates', () => {
  const { candidates } = defaultConfig.election
  const crowd = everyone.slice(3)

  function facing(actor: Actor): void {
    bench = new Bench(actor)
    for (const peer of everyone) if (peer !== actor) bench.meet(peer, { linked: peer === lowest })
  }

  it('are the lowest few', () => {
    facing(self)
    const before = bench.audit(lowest)
    bench.overhears(...crowd.toReversed().map((actor) => actor.stands(name)))
    const many = bench.audit(lowest)
    facing(self)
    bench.overhears(...crowd.slice(0, candidates).map((actor) => actor.stands(name)))
    expect(bench.audit(lowest)).not.toEqual(before)
    expect(many.facts.length).toBe(bench.audit(lowest).facts.length)
    expect(bench.overhears((crowd[candidates] as Actor).stands(name))).not.toBe('reject')
    // The next one in line gets a place when one becomes free.
    bench.overhears((crowd[0] as Actor).stands(name, { sequence: 2, withdrawn: true }))
    bench.overhears((crowd[candidates] as Actor).stands(name))
    bench.overhears(...crowd.slice(1, candidates).map((actor) => actor.left()))
    tell(lowest, (crowd[candidates] as Actor).claims(name, 1))
    expect(reign()).toEqual([1, (crowd[candidates] as Actor).id])
  })

  it('are the same in whatever order a withdrawal comes', () => {
    const withdrawn = (crowd[candidates] as Actor).stands(name, { sequence: 2, withdrawn: true })
    const standing = crowd.slice(0, candidates).map((actor) => actor.stands(name))
    facing(self)
    bench.overhears(withdrawn)
    bench.overhears(...standing)
    const before = bench.audit(lowest)
    facing(self)
    bench.overhears(...standing)
    bench.overhears(withdrawn)
    expect(bench.audit(lowest)).toEqual(before)
    // With a place free it is kept again.
    bench.overhears((crowd[0] as Actor).left())
    const free = bench.audit(lowest)
    bench.overhears(withdrawn)
    expect(bench.audit(lowest).facts.length).toBe(free.facts.length + 1)
  })

  it('are those of a former winner only as long as it would find a place', () => {
    const former = crowd[candidates] as Actor
    const [next] = crowd as [Actor]
    const withdrawn = former.stands(name, { sequence: 2, withdrawn: true })
    const standing = crowd.slice(0, candidates).map((actor) => actor.stands(name))
    facing(self)
    tell(lowest, former.claims(name, 1))
    bench.overhears(former.stands(name), ...standing)
    bench.overhears(withdrawn)
    tell(lowest, next.claims(name, 2, { winner: former }), withdrawn)
    expect(reign()).toEqual([2, next.id])
    const before = bench.audit(lowest)
    facing(self)
    bench.overhears(...standing)
    tell(lowest, next.claims(name, 2, { winner: former }), withdrawn)
    expect(bench.audit(lowest)).toEqual(before)
  })

  it('and who found no place stands again when places become free', () => {
    const last = everyone.at(-1) as Actor
    facing(last)
    bench.overhears(...crowd.slice(0, candidates).map((actor) => actor.stands(name)))
    bench.input({ type: 'command', command: { type: 'elect', election: name } })
    bench.advance(5_000)
    const ownCandidacies = (): number =>
      broadcastsIn(bench.log.map(({ effect }) => effect))
        .flatMap((broadcast) => broadcast.facts)
        .filter(({ statement }) => statement?.kind === 5).length
    expect(ownCandidacies()).toBe(0)
    for (const actor of crowd.slice(0, candidates)) bench.overhears(actor.left())
    bench.advance(10_000)
    expect(ownCandidacies()).toBe(1)
    expect(reign()).toEqual([1, last.id])
  })

  it('is nothing of the dead, of strangers and of earlier lives', () => {
    bench.meet(higher)
    const before = bench.audit(higher)
    bench.receive(higher, facts([highest.stands(name), higher.stands(name, { incarnation: 2 }), higher.stands(name, { incarnation: 7 })]))
    expect(bench.audit(higher)).toEqual(before)
  })

  it('is the latest word of each', () => {
    bench.meet(lower)
    bench.receive(lower, facts([lower.stands(name, { sequence: 2, withdrawn: true }), lower.stands(name, { sequence: 1 })]))
    elect()
    bench.advance(5_000)
    expect(reign()).toEqual([1, self.id])
  })

  it('is bounded in the number of elections', () => {
    bench = new Bench(self, { config: { limits: { elections: 2 } } })
    bench.meet(lower)
    bench.receive(lower, facts([lower.stands('a'), lower.claims('b', 1), lower.claims('c', 1), lower.stands('d')]))
    expect(bench.node.reign('b')).toBeDefined()
    expect(bench.node.reign('c')).toBeUndefined()
  })
})

describe('a reign', () => {
  it('is reported once, however often and from whomever it is heard', () => {
    for (const actor of [lower, higher]) bench.meet(actor)
    for (const actor of [lower, higher, lower]) tell(actor, lower.claims(name, 1))
    bench.overhears(lower.claims(name, 1))
    expect(announced()).toEqual([[1, lower.id]])
  })

  it('of a member that is not known yet is not reported before its join', () => {
    bench.meet(higher)
    tell(higher, lower.claims(name, 1))
    expect(announced()).toEqual([])
    bench.receive(higher, facts([lower.joined(), lower.claims(name, 1)]))
    expect(announced()).toEqual([[1, lower.id]])
  })

  it('does not begin without being asked for', () => {
    bench.meet(higher)
    bench.receive(higher, facts([higher.stands(name)]))
    bench.advance(60_000)
    expect(announced()).toEqual([])
  })

  it('in one election says nothing about another', () => {
    bench.meet(lower)
    tell(lower, lower.claims('other', 3))
    elect()
    bench.advance(5_000)
    expect(reign()).toEqual([1, self.id])
    expect(bench.node.reign('other')?.epoch).toBe(3)
  })
})
