import { beforeEach, describe, expect, it } from 'vitest'
import { actors, death, facts, forged, wireFact, type Actor } from '../../test/actors.ts'
import { Bench, broadcastsIn, electionNewsOf } from '../../test/bench.ts'
import type { Certificate } from '../facts/certificate.ts'
import type { Candidacy, Claim, Statement } from '../facts/statement.ts'
import { places, withdrawals } from './candidacies.ts'
import { turn } from './reign-confirmation.ts'
import { resettle, settle } from './settling.ts'
import { confirmations, countAgain } from './unconfirmed-claims.ts'

const everyone = actors(40)
const [lowest, lower, self, higher, highest, other, another] = everyone as [Actor, Actor, Actor, Actor, Actor, Actor, Actor]
const name = 'master'

let bench: Bench

beforeEach(() => {
  for (const actor of everyone) actor.incarnation = 1
  bench = new Bench(self)
})

function elect(): void {
  bench.input({ type: 'command', command: { type: 'elect', election: name } })
}

/** Sends a claim, after the end of the former reign. */
function tell(from: Actor, claim: Statement<Claim>, end?: Statement | Certificate): void {
  bench.receive(from, facts(end === undefined ? [claim] : [end, claim], true))
}

/** Returns the reign as this node sees it: epoch and winner. */
function reign(): [number, string] | undefined {
  const current = bench.node.reign(name)
  return current === undefined ? undefined : [current.epoch, current.winner.id]
}

function announced(): [number, string][] {
  return bench.notifications.flatMap((notification) =>
    notification.type === 'elected' ? [[notification.reign.epoch, notification.reign.winner.id]] : [],
  )
}

/** Returns the published claims and candidacies of this node. */
function published(): Statement<Claim | Candidacy>[] {
  return electionNewsOf(self, bench)
}

describe('a candidate that remembers epochs from an earlier run', () => {
  const epochOf = (stored: number, isLinked: boolean): number | undefined => {
    bench = new Bench(self, { storedEpochs: new Map([[name, stored]]) })
    if (isLinked) bench.meet(higher)
    elect()
    bench.advance(10_000)
    return reign()?.[0]
  }

  it('claims a higher epoch', () => {
    expect(epochOf(7, false)).toBe(8)
    expect(epochOf(7, true)).toBe(8)
    expect(epochOf(5_000, false)).toBe(5_001)
  })

  it('claims no epoch that is absurd to members that remember lower ones', () => {
    expect(epochOf(5_000, true)).toBe(969)
  })
})

describe('a candidate', () => {
  it('alone in the pool claims the first epoch once it has settled', () => {
    elect()
    bench.advance(settle - 1)
    expect(reign()).toBeUndefined()
    bench.advance(1)
    expect(reign()).toEqual([1, self.id])
    expect(announced()).toEqual([[1, self.id]])
  })

  it('that stands twice changes nothing', () => {
    elect()
    bench.advance(settle)
    elect()
    bench.advance(5_000)
    expect(announced()).toEqual([[1, self.id]])
  })

  it('with other members around waits for a reconciliation as well', () => {
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

  it('leaves the claim to a lower candidate', () => {
    bench.meet(lower)
    elect()
    bench.receive(lower, facts([lower.stands(name)]))
    bench.advance(turn)
    expect(announced()).toEqual([])
    tell(lower, lower.claims(name, 1))
    expect(reign()).toEqual([1, lower.id])
    expect(announced()).toEqual([[1, lower.id]])
  })

  it('does not wait for ever while more and more candidates trickle in', () => {
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

  it('that stands before this node has entered is put forward once it has', () => {
    bench = new Bench(self, { introducers: [{ address: Uint8Array.of(1) }] })
    elect()
    bench.input({ type: 'command', command: { type: 'found' } })
    bench.advance(settle * 2)
    expect(reign()).toEqual([1, self.id])
  })

  it('stands again in its next life, and reigns in a new epoch', () => {
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

  it('gives way to a lower winner of the same epoch, so that all agree, and not to a higher one', () => {
    tell(higher, higher.claims(name, 1))
    expect(reign()).toEqual([1, self.id])
    tell(lower, lower.claims(name, 1))
    expect(reign()).toEqual([1, lower.id])
  })

  it('is not unseated by a lower key that claims the same epoch but was never a member', () => {
    tell(higher, lowest.claims(name, 1), lowest.left())
    expect(reign()).toEqual([1, self.id])
    bench.advance(turn + 100)
    // The winner claims above the made-up claim, since a newcomer may believe that claim.
    expect(announced()).toEqual([
      [1, self.id],
      [2, self.id],
    ])
  })

  it('known from others is not unseated by such a key either', () => {
    bench = new Bench(self)
    for (const actor of [lower, higher, highest]) bench.meet(actor)
    bench.receive(lower, facts([lower.stands(name), lower.claims(name, 1)]))
    tell(higher, lowest.claims(name, 1), lowest.left())
    expect(reign()).toEqual([1, lower.id])
  })

  it('is not unseated by a claim of the next epoch without the end of its reign', () => {
    tell(lower, lower.claims(name, 2))
    expect(reign()).toEqual([1, self.id])
  })

  it.each<[string, () => Statement | Certificate]>([
    ['a death with a forged accusation', () => ({ ...death(self, [higher, highest, lower]), incarnation: 2 })],
    ['a forged departure', () => forged(self.left())],
    ['the departure of somebody else', () => higher.left()],
    ['a candidacy that was not withdrawn', () => self.stands(name, { sequence: 9 })],
    ['a withdrawal from another election', () => self.stands('other', { sequence: 9, withdrawn: true })],
    ['a forged withdrawal', () => forged(self.stands(name, { sequence: 9, withdrawn: true }))],
  ])('is not unseated by %s', (_, proof) => {
    tell(lower, lower.claims(name, 2), proof())
    expect(reign()).toEqual([1, self.id])
    expect(bench.members).toContain(self.id)
  })
})

describe('a winner that hears of a later claim by a node that did not know of its reign', () => {
  const peers = [lower, higher, highest]

  beforeEach(() => {
    for (const actor of peers) bench.meet(actor)
    elect()
    bench.advance(3_000)
    expect(reign()).toEqual([1, self.id])
  })

  it('claims once more, above that epoch, so that everybody comes to believe the same', () => {
    bench.overhears(lower.claims(name, 3))
    bench.advance(turn - 100)
    expect(reign()).toEqual([1, self.id])
    bench.advance(200)
    expect(reign()).toEqual([4, self.id])
    expect(published().at(-1)?.content).toMatchObject({ kind: 'claim', epoch: 4 })
  })

  it('claims again after twice the time, as two sides would outdo each other for ever', () => {
    bench.overhears(lower.claims(name, 3))
    bench.advance(turn + 100)
    bench.overhears(lower.claims(name, 5))
    bench.advance(2 * turn - 100)
    expect(reign()).toEqual([4, self.id])
    bench.advance(200)
    expect(reign()).toEqual([6, self.id])
    bench.overhears(lower.claims(name, 7))
    bench.advance(4 * turn - 100)
    expect(reign()).toEqual([6, self.id])
  })

  it('gives way if several peers send it that claim in time', () => {
    const claim = lower.claims(name, 3)
    for (const peer of peers) tell(peer, claim)
    bench.advance(turn + 100)
    expect(reign()).toEqual([3, lower.id])
  })

  it('does not answer an epoch that nobody can have reached', () => {
    bench.overhears(lower.claims(name, 2 + places))
    bench.advance(60_000)
    expect(reign()).toEqual([1, self.id])
  })
})

describe('a later claim of the winner itself', () => {
  it('counts at once, as it unseats nobody', () => {
    for (const actor of [lower, higher]) bench.meet(actor)
    bench.receive(lower, facts([lower.stands(name)]))
    tell(lower, lower.claims(name, 1))
    bench.overhears(lower.claims(name, 5))
    expect(reign()).toEqual([5, lower.id])
  })
})

describe('a winner in contact with this node', () => {
  it('is not unseated by a death with too few accusers, nor by one with enough', () => {
    for (const actor of [lower, higher, highest, other]) bench.meet(actor)
    tell(higher, higher.claims(name, 1))
    tell(lower, lower.claims(name, 2), death(higher, [lower]))
    expect(reign()).toEqual([1, higher.id])
    tell(lower, lower.claims(name, 2), death(higher, [lower, highest, other]))
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

  it.each(ends)('that %s makes the next candidate claim the next epoch, unasked, after the news of that end', (_, end) => {
    reigning(lower)
    bench.unlink(lower)
    bench.receive(higher, facts([end()]))
    expect(reign()).toBeUndefined()
    bench.advance(resettle)
    expect(reign()).toEqual([2, self.id])
    bench.advance(1_000)
    const told = broadcastsIn(bench.log.map(({ effect }) => effect)).findLast(({ facts: each }) => each.length > 0)
    expect(told?.facts).toMatchObject([wireFact(end()), { statement: { kind: 6 } }])
  })

  it.each(ends)("that %s makes the next candidate's claim count", (_, end) => {
    reigning(lower)
    if ('accusers' in end()) bench.unlink(lower)
    tell(higher, higher.claims(name, 2), end())
    expect(reign()).toEqual([2, higher.id])
  })

  it('leaves the claim to lower candidates', () => {
    reigning(lowest)
    bench.meet(lower)
    bench.receive(lower, facts([lower.stands(name)]))
    bench.receive(lowest, facts([lowest.left()]))
    bench.advance(turn)
    expect(reign()).toBeUndefined()
    tell(lower, lower.claims(name, 2), lowest.left())
    expect(reign()).toEqual([2, lower.id])
  })

  it('without candidates keeps the epoch for the next reign', () => {
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

  it('by its own withdrawal leaves a node without a reign, and lets others win', () => {
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
    tell(higher, higher.claims(name, 2), withdrawal)
    expect(reign()).toEqual([2, higher.id])
    elect()
    bench.advance(10_000)
    expect(reign()).toEqual([2, higher.id])
  })

  it('is final, though this node forgot the election and others missed the end', () => {
    bench.meet(higher)
    elect()
    bench.advance(3_000)
    const [stood, claimed] = [self.stands(name), self.claims(name, 1)]
    bench.input({ type: 'command', command: { type: 'withdraw', election: name } })
    for (let i = 0; i < 300; i++)
      for (const type of ['elect', 'withdraw'] as const) bench.input({ type: 'command', command: { type, election: `m${i}` } })
    bench.advance(2_000)
    for (let i = 0; i < 2; i++) bench.receive(higher, facts([stood, claimed]))
    bench.advance(10_000)
    expect(reign()).toBeUndefined()
    expect(announced()).toEqual([[1, self.id]])
  })

  it('of a candidate that never reigned unseats nobody', () => {
    reigning(lower)
    bench.receive(higher, facts([higher.stands(name), higher.left()]))
    bench.advance(5_000)
    expect(announced()).toEqual([[1, lower.id]])
  })
})

describe('a winner that withdraws and stands again', () => {
  const again: [string, (winner: Actor) => Statement[]][] = [
    ['both are heard of', (winner) => [winner.stands(name, { sequence: 2, withdrawn: true }), winner.stands(name, { sequence: 3 })]],
    ['only the last is heard of', (winner) => [winner.stands(name, { sequence: 3 })]],
    [
      'they come the wrong way round',
      (winner) => [winner.stands(name, { sequence: 3 }), winner.stands(name, { sequence: 2, withdrawn: true })],
    ],
  ]

  beforeEach(() => {
    for (const actor of [lower, higher]) bench.meet(actor)
  })

  it.each(again)('has ended its reign for good if %s', (_, said) => {
    bench.receive(lower, facts([lower.stands(name), lower.claims(name, 1)]))
    expect(reign()).toEqual([1, lower.id])
    bench.receive(lower, facts(said(lower)))
    expect(reign()).toBeUndefined()
    bench.advance(turn / 2)
    tell(higher, lower.claims(name, 1))
    expect(reign()).toBeUndefined()
    tell(lower, lower.claims(name, 2, { sequence: 3 }))
    expect(reign()).toEqual([2, lower.id])
  })

  it.each(again)('has ended its reign even if the claim comes last and %s', (_, said) => {
    bench.receive(lower, facts([...said(lower), lower.claims(name, 1)]))
    expect(reign()).toBeUndefined()
    expect(announced()).toEqual([])
  })

  it('claims a new epoch itself, even within the settle time', () => {
    elect()
    bench.advance(3_000)
    expect(reign()).toEqual([1, self.id])
    bench.input({ type: 'command', command: { type: 'withdraw', election: name } })
    elect()
    expect(reign()).toBeUndefined()
    bench.advance(3_000)
    expect(announced()).toEqual([
      [1, self.id],
      [2, self.id],
    ])
  })

  it('is made known although many others withdrew', () => {
    const last = everyone.at(-1) as Actor
    for (const actor of everyone.slice(4)) bench.meet(actor, { linked: false })
    bench.overhears(last.stands(name), last.claims(name, 1))
    const before = bench.audit(lower).facts.length
    bench.overhears(...everyone.slice(4).map((actor) => actor.stands(name, { sequence: 2, withdrawn: true })))
    expect(reign()).toBeUndefined()
    // The lowest of the 36 withdrawals are exchanged. The winner's is exchanged as well, and
    // replaces its candidacy.
    expect(bench.audit(lower).facts.length - before).toBe(withdrawals)
  })
})

describe('a claim that comes before the end of the previous reign', () => {
  beforeEach(() => {
    for (const actor of [lower, higher, highest, other]) bench.meet(actor)
    bench.receive(lower, facts([lower.stands(name), lower.claims(name, 1)]))
  })

  it.each<[string, (claim: Statement<Claim>) => void]>([
    ['a peer', (claim) => tell(highest, claim)],
    ['the topic', (claim) => bench.overhears(claim)],
  ])('waits for that end if it comes from %s', (_, hear) => {
    hear(higher.claims(name, 2))
    expect(reign()).toEqual([1, lower.id])
    bench.receive(lower, facts([lower.left()]))
    expect(announced()).toEqual([
      [1, lower.id],
      [2, higher.id],
    ])
  })

  it('counts if it is the greatest of those that wait', () => {
    tell(highest, higher.claims(name, 3))
    tell(other, higher.claims(name, 2))
    bench.receive(lower, facts([lower.left()]))
    expect(reign()).toEqual([3, higher.id])
  })

  it('stops waiting once the peer that sent it is gone', () => {
    tell(highest, higher.claims(name, 1_000_000))
    tell(other, higher.claims(name, 2))
    bench.unlink(other)
    tell(highest, higher.claims(name, 3))
    bench.receive(lower, facts([lower.left()]))
    expect(reign()).toEqual([3, higher.id])
  })
})

describe('a silent candidate', () => {
  beforeEach(() => {
    for (const actor of [lowest, lower, higher]) bench.meet(actor)
  })

  it('is passed over after its turn, in an epoch that it can no longer claim', () => {
    bench.receive(lower, facts([lower.stands(name)]))
    elect()
    bench.advance(settle + turn - 1)
    expect(reign()).toBeUndefined()
    bench.advance(5_000)
    expect(announced()).toEqual([[2, self.id]])
    tell(lower, lower.claims(name, 1))
    bench.advance(5_000)
    expect(announced()).toEqual([[2, self.id]])
  })

  it('is passed over after its own turn, one after the other', () => {
    bench.receive(lower, facts([lowest.stands(name), lower.stands(name)]))
    elect()
    bench.advance(settle + 2 * turn - 1)
    expect(reign()).toBeUndefined()
    bench.advance(5_000)
    expect(reign()).toEqual([3, self.id])
  })

  it('is not passed over by a node that has not reconciled since', () => {
    bench.receive(lower, facts([lower.stands(name)]))
    elect()
    bench.advance(settle / 2)
    bench.reconciles = false
    bench.advance(turn * 4)
    expect(reign()).toBeUndefined()
    bench.receive(higher, { reconcile: { round: 2, ranges: [] } })
    bench.advance(10)
    expect(reign()).toEqual([2, self.id])
  })
})

describe('a candidate whose process was stalled', () => {
  it('looks around before it claims', () => {
    bench.meet(higher)
    elect()
    bench.advance(settle / 2)
    bench.reconciles = false
    bench.sleep(8_000)
    bench.receive(higher, { reconcile: { round: 2, ranges: [] } }) // this lay in its socket
    bench.advance(settle)
    expect(reign()).toBeUndefined()
    tell(higher, higher.claims(name, 2))
    bench.receive(higher, { reconcile: { round: 2, ranges: [] } })
    bench.advance(5_000)
    expect(announced()).toEqual([[2, higher.id]])
  })

  it('claims then, if nobody else did', () => {
    bench.meet(higher)
    elect()
    bench.advance(settle / 2)
    bench.sleep(8_000)
    bench.advance(3_000)
    expect(reign()).toEqual([1, self.id])
  })

  it('for more than a day and without links reconciles with others first', () => {
    const others = [lower, higher, highest]
    for (const actor of others) {
      bench.meet(actor)
      bench.reach.set(actor.id, 'hang')
    }
    bench.receive(lower, facts([lower.stands(name), lower.claims(name, 7)]))
    elect()
    bench.advance(5_000)
    expect(reign()).toEqual([7, lower.id])
    bench.sleep(25 * 3_600_000)
    for (const actor of others) bench.unlink(actor)
    bench.advance(59_000)
    expect(reign()).not.toEqual([8, self.id])
    bench.advance(1_500)
    expect(reign()).toEqual([8, self.id])
  })
})

describe('a node with introducers', () => {
  beforeEach(() => {
    bench = new Bench(self, { introducers: [{ id: higher.id, address: Uint8Array.of(1) }] })
    elect()
    bench.advance(bench.config.introduction.aloneAfter * 2)
    expect(bench.members).toEqual([self.id])
  })

  it('claims in no election before it has reached one', () => {
    expect(reign()).toBeUndefined()
    bench.meet(higher)
    bench.advance(5_000)
    expect(reign()).toEqual([1, self.id])
  })

  it('does not count a link to another peer as that', () => {
    bench.reconciles = false
    bench.meet(higher)
    bench.advance(5_000)
    bench.unlink(higher)
    bench.advance(60_000)
    expect(reign()).toBeUndefined()
  })

  it('continues alone on command', () => {
    bench.input({ type: 'command', command: { type: 'found' } })
    bench.advance(10)
    expect(reign()).toEqual([1, self.id])
  })
})

describe('an epoch that skips others', () => {
  const peers = [lower, higher, highest, other, another]

  beforeEach(() => {
    for (const actor of peers) bench.meet(actor)
    elect()
    bench.advance(3_000)
  })

  it('counts only once several peers have sent it', () => {
    const absurd = lower.claims(name, 1_000_000)
    for (let i = 0; i < 10; i++) tell(lower, absurd)
    bench.overhears(absurd)
    for (const peer of peers.slice(1, confirmations - 1)) tell(peer, absurd)
    expect(reign()).toEqual([1, self.id])
    tell(peers[confirmations - 1] as Actor, absurd)
    expect(reign()).toEqual([1_000_000, lower.id])
  })

  it('does not count a peer twice that sent another one in between', () => {
    const absurd = lower.claims(name, 1_000_000)
    tell(higher, absurd)
    for (let i = 0; i < 5; i++) {
      tell(lower, absurd)
      tell(lower, lower.claims(name, 2_000_000))
      bench.advance(countAgain)
    }
    expect(reign()).toEqual([1, self.id])
    for (const peer of [highest, other]) tell(peer, absurd)
    expect(reign()).toEqual([1_000_000, lower.id])
  })

  it('does not count a peer whose link is gone, nor one that has not entered', () => {
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

  it('is not kept out by one peer that makes up many epochs', () => {
    for (let i = 0; i < 100; i++) tell(lower, lower.claims(name, 1_000 + i))
    for (const peer of [higher, highest, other, another]) tell(peer, higher.claims(name, 7))
    expect(reign()).toEqual([7, higher.id])
  })

  it('is believed by a newcomer in the first state that it receives: it can ask nobody else', () => {
    bench = new Bench(self)
    bench.meet(lower)
    tell(lower, lower.claims(name, 12))
    expect(reign()).toEqual([12, lower.id])
  })
})

describe('the remembered candidacies', () => {
  const crowd = everyone.slice(3)

  function facing(actor: Actor): void {
    bench = new Bench(actor)
    for (const peer of everyone) if (peer !== actor) bench.meet(peer, { linked: peer === lowest })
  }

  it('are those of the lowest few candidates', () => {
    facing(self)
    const before = bench.audit(lowest)
    bench.overhears(...crowd.toReversed().map((actor) => actor.stands(name)))
    const many = bench.audit(lowest)
    facing(self)
    bench.overhears(...crowd.slice(0, places).map((actor) => actor.stands(name)))
    expect(bench.audit(lowest)).not.toEqual(before)
    expect(many.facts.length).toBe(bench.audit(lowest).facts.length)
    expect(bench.overhears((crowd[places] as Actor).stands(name))).not.toBe('reject')
    // When a place becomes free, the next candidate in order gets it.
    bench.overhears((crowd[0] as Actor).stands(name, { sequence: 2, withdrawn: true }))
    bench.overhears((crowd[places] as Actor).stands(name))
    bench.overhears(...crowd.slice(1, places).map((actor) => actor.left()))
    tell(lowest, (crowd[places] as Actor).claims(name, 1))
    expect(reign()).toEqual([1, (crowd[places] as Actor).id])
  })

  it('are the same in whatever order a withdrawal comes', () => {
    const withdrawn = (crowd[places] as Actor).stands(name, { sequence: 2, withdrawn: true })
    const standing = crowd.slice(0, places).map((actor) => actor.stands(name))
    facing(self)
    bench.overhears(withdrawn)
    bench.overhears(...standing)
    const before = bench.audit(lowest)
    facing(self)
    bench.overhears(...standing)
    bench.overhears(withdrawn)
    expect(bench.audit(lowest)).toEqual(before)
  })

  it('let a candidate without a place stand again when places become free', () => {
    const last = everyone.at(-1) as Actor
    facing(last)
    bench.overhears(...crowd.slice(0, places).map((actor) => actor.stands(name)))
    bench.input({ type: 'command', command: { type: 'elect', election: name } })
    bench.advance(5_000)
    const ownCandidacies = (): number =>
      broadcastsIn(bench.log.map(({ effect }) => effect))
        .flatMap((broadcast) => broadcast.facts)
        .filter(({ statement }) => statement?.kind === 5).length
    expect(ownCandidacies()).toBe(0)
    for (const actor of crowd.slice(0, places)) bench.overhears(actor.left())
    bench.advance(10_000)
    expect(ownCandidacies()).toBe(1)
    expect(reign()).toEqual([1, last.id])
  })

  it('exclude those of dead members, strangers and earlier lives', () => {
    bench.meet(higher)
    const before = bench.audit(higher)
    bench.receive(higher, facts([highest.stands(name), higher.stands(name, { incarnation: 2 }), higher.stands(name, { incarnation: 7 })]))
    expect(bench.audit(higher)).toEqual(before)
  })

  it('include only the latest of each candidate', () => {
    bench.meet(lower)
    bench.receive(lower, facts([lower.stands(name, { sequence: 2, withdrawn: true }), lower.stands(name, { sequence: 1 })]))
    elect()
    bench.advance(5_000)
    expect(reign()).toEqual([1, self.id])
  })

  it('are of a bounded number of elections', () => {
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

  it("of a member that is not known yet is not reported before that member's join", () => {
    bench.meet(higher)
    tell(higher, lower.claims(name, 1))
    expect(announced()).toEqual([])
    bench.receive(higher, facts([lower.joined(), lower.claims(name, 1)]))
    expect(announced()).toEqual([[1, lower.id]])
  })

  it('does not begin unless a node stands itself', () => {
    bench.meet(higher)
    bench.receive(higher, facts([higher.stands(name)]))
    bench.advance(60_000)
    expect(announced()).toEqual([])
  })

  it('in one election does not affect another', () => {
    bench.meet(lower)
    tell(lower, lower.claims('other', 3))
    elect()
    bench.advance(5_000)
    expect(reign()).toEqual([1, self.id])
    expect(bench.node.reign('other')?.epoch).toBe(3)
  })
})
