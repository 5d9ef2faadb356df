import { describe, expect, it } from 'vitest'
import { Seats } from '../../test/seats.ts'
import { ELECTION, HEARTBEAT, QUORUM } from './ledger-io.ts'
import { encode } from '../fold/bodies.ts'

const none = { term: 0, entries: [] }
const three = () => new Seats({ a: none, b: none, c: none })
const order = encode('gone', { id: 'a', incarnation: 1, how: 'left' })

/** Three voters, of which a leads in term 1 and has committed its first entry. */
function led(): Seats {
  const seats = three()
  seats.elect('a', 'b')
  seats.deliver('a', 'b', 'append')
  seats.deliver('b', 'a', 'appended')
  return seats
}

describe('a leader', () => {
  it('commits an entry of an old term only under one of its own (Raft, figure 8)', () => {
    const seats = new Seats({ a: { term: 2, entries: [1] }, b: { term: 2, votedFor: 'b/0', entries: [2] }, c: { term: 2, entries: [] } }, 1)
    seats.elect('a', 'c')
    // c lacks all, and gets one entry a page.
    while (seats.of('c').log.lastIndex === 0) {
      seats.deliver('a', 'c', 'append', 1)
      seats.deliver('c', 'a', 'appended', 1)
    }
    expect(seats.of('a')).toMatchObject({ role: 'leader', term: 3, commit: 0 })
    seats.deliver('a', 'c', 'append', 1)
    seats.deliver('c', 'a', 'appended', 1)
    expect(seats.of('a').commit).toBe(2)
  })

  it('answers a proposal when it is committed, with its index', () => {
    const seats = led()
    seats.say('a', 'client', { type: 'propose', number: 7, entries: [order, order] })
    expect(seats.answersTo('client')).toEqual([])
    seats.deliver('a', 'b', 'append')
    seats.deliver('b', 'a', 'appended')
    expect(seats.answersTo('client')).toEqual([{ type: 'proposed', number: 7, index: 3 }])
  })

  it('appends what is asked again once more only when it is committed', () => {
    const seats = led()
    const last = () => seats.of('a').log.lastIndex
    for (let number = 1; number <= 3; number++) seats.say('a', 'client', { type: 'propose', number, entries: [order] })
    expect(last()).toBe(2)
    seats.deliver('a', 'b', 'append')
    seats.deliver('b', 'a', 'appended')
    expect(seats.answersTo('client')).toEqual([1, 2, 3].map((number) => ({ type: 'proposed', number, index: 2 })))
    seats.say('a', 'client', { type: 'propose', number: 4, entries: [order] })
    expect(last()).toBe(3)
  })

  it('sends its entries to a seat once, and asks a silent one without entries what it lacks', () => {
    const seats = led()
    seats.lose('c')
    seats.say('a', 'client', { type: 'propose', number: 1, entries: [order] })
    const toC = () => seats.sent.flatMap(({ to, message }) => (to === 'c/0' && message.type === 'append' ? [message.entries.length] : []))
    seats.lose('c')
    for (let now = HEARTBEAT; now <= 3 * HEARTBEAT; now += HEARTBEAT) seats.feed('a', { type: 'timer' }, now)
    // It sends the second entry with the first heartbeat, and no entry again.
    expect(toC()).toEqual([1, 0, 0])
    seats.deliver('a', 'c', 'append', Infinity, 3 * HEARTBEAT)
    seats.deliver('c', 'a', 'appended', Infinity, 3 * HEARTBEAT)
    seats.deliver('a', 'c', 'append', Infinity, 3 * HEARTBEAT)
    expect(seats.of('c').log.lastIndex).toBe(2)
  })

  it('refuses changes of voters that somebody proposes, and proposals above its bound', () => {
    const seats = led()
    seats.say('a', 'client', { type: 'propose', number: 1, entries: [{ kind: 'voters', body: new Uint8Array() }] })
    for (let number = 2; number <= 10; number++) seats.say('a', 'client', { type: 'propose', number, entries: [order] })
    expect(seats.answersTo('client')).toEqual([
      { type: 'refused', number: 1, reason: 'invalid' },
      { type: 'refused', number: 10, reason: 'busy' },
    ])
    // Many clients together have a bound, too.
    for (let number = 0; number < 256; number++) seats.say('a', `client${number % 64}`, { type: 'propose', number, entries: [order] })
    expect(seats.answersTo('client7')).toEqual([])
    expect(seats.answersTo('client63')).toEqual([{ type: 'refused', number: 255, reason: 'busy' }])
  })

  it('answers a read after a round with a quorum that began after the question', () => {
    const seats = led()
    seats.say('a', 'client', { type: 'read', number: 1 })
    expect(seats.answersTo('client')).toEqual([])
    // Messages from before the question do not count.
    seats.say('a', 'b/0', { type: 'appended', term: 1, ok: true, index: 1, round: 0 })
    expect(seats.answersTo('client')).toEqual([])
    seats.deliver('a', 'b', 'append')
    seats.deliver('b', 'a', 'appended')
    expect(seats.answersTo('client')).toEqual([{ type: 'readAt', number: 1, index: 1 }])
  })

  it('holds a read until an entry of its own term is committed', () => {
    const seats = three()
    seats.elect('a', 'b')
    seats.say('a', 'client', { type: 'read', number: 1 })
    seats.say('a', 'b/0', { type: 'appended', term: 1, ok: true, index: 0, round: 1 })
    expect(seats.answersTo('client')).toEqual([])
    seats.say('a', 'b/0', { type: 'appended', term: 1, ok: true, index: 1, round: 1 })
    expect(seats.answersTo('client')).toEqual([{ type: 'readAt', number: 1, index: 1 }])
  })

  it('steps down after five seconds without a quorum, and tells those that wait', () => {
    const seats = led()
    seats.say('a', 'client', { type: 'propose', number: 3, entries: [order] })
    for (let now = HEARTBEAT; now <= QUORUM; now += HEARTBEAT) seats.feed('a', { type: 'timer' }, now)
    expect(seats.of('a').role).toBe('leader')
    seats.feed('a', { type: 'timer' }, QUORUM + HEARTBEAT)
    expect(seats.of('a').role).toBe('follower')
    expect(seats.effects).toContainEqual({ type: 'noMajority' })
    expect(seats.answersTo('client')).toEqual([{ type: 'redirected', number: 3 }])
  })

  it('hands over to the seat that has most when a write fails, and never writes again', () => {
    const seats = led()
    seats.feed('a', { type: 'writeFailed' })
    expect(seats.effects.at(-1)).toEqual({ type: 'stopped', code: 'LEDGER_WRITE_FAILED' })
    expect(seats.deliver('a', 'b', 'timeoutNow')).toBe(1)
    expect(seats.of('b').role).toBe('candidate')
    const before = seats.effects.length
    seats.say('a', 'b/0', { type: 'vote', term: 2, lastIndex: 9, lastTerm: 9 })
    expect(seats.effects).toHaveLength(before)
  })
})

describe('a snapshot', () => {
  const bytes = Uint8Array.of(1, 2, 3, 4, 5)

  /** A proposal is committed by a and b. */
  function commit(seats: Seats, number: number): void {
    seats.say('a', 'client', { type: 'propose', number, entries: [order] })
    seats.deliver('a', 'b', 'append')
    seats.deliver('b', 'a', 'appended')
  }

  /** c lacks all entries, and a has cut off the first ones. The first part is on its way. */
  function behind(): Seats {
    const seats = led()
    commit(seats, 1)
    commit(seats, 2)
    seats.feed('a', { type: 'compact', index: 2, state: bytes })
    seats.lose('c')
    seats.feed('a', { type: 'timer' }, HEARTBEAT)
    seats.deliver('a', 'c', 'append')
    seats.deliver('c', 'a', 'appended', 1, HEARTBEAT)
    return seats
  }

  /** Delivers one part and its answer. */
  function pass(seats: Seats): void {
    seats.deliver('a', 'c', 'snapshot', 1, HEARTBEAT)
    seats.deliver('c', 'a', 'part', 1, HEARTBEAT)
  }

  it('arrives in parts, and the entries behind it follow', () => {
    const seats = behind()
    for (let part = 0; part < 3; part++) pass(seats)
    expect(seats.of('c').log.snapshot).toMatchObject({ index: 2, state: bytes })
    seats.deliver('c', 'a', 'appended', 1, HEARTBEAT)
    seats.deliver('a', 'c', 'append', Infinity, HEARTBEAT)
    expect(seats.of('c')).toMatchObject({ commit: 3 })
    expect(seats.of('c').log.lastHash).toBe(seats.of('a').log.lastHash)
  })

  it('is sent to its end, although there is a newer one', () => {
    const seats = behind()
    pass(seats)
    commit(seats, 3)
    seats.feed('a', { type: 'compact', index: 4, state: bytes }, HEARTBEAT)
    pass(seats)
    pass(seats)
    expect(seats.of('c').log.snapshot.index).toBe(2)
  })

  it('begins again for a seat that lost the first parts', () => {
    const seats = behind()
    pass(seats)
    // A restart: the parts were in memory.
    seats.of('c').incoming = undefined
    pass(seats)
    for (const now of [2 * HEARTBEAT, 3 * HEARTBEAT]) seats.feed('a', { type: 'timer' }, now)
    for (let part = 0; part < 6; part++) pass(seats)
    expect(seats.of('c').log.snapshot.index).toBe(2)
  })
})

describe('a voter', () => {
  it('stops at a fork: a leader has another entry of the same index and term', () => {
    const seats = led()
    const prevHash = seats.of('b').log.snapshot.hash
    const entries = [{ term: 1, kind: 'order', body: new Uint8Array() }]
    seats.say('b', 'a/0', { type: 'append', term: 1, prevIndex: 0, prevTerm: 0, prevHash, entries, commit: 0, round: 0 })
    expect(seats.effects.at(-1)).toEqual({ type: 'stopped', code: 'LEDGER_FORK' })
  })

  it('stops at a fork: the entry before has the same term and another hash', () => {
    const seats = led()
    const prevHash = seats.of('b').log.snapshot.hash
    seats.say('b', 'a/0', { type: 'append', term: 1, prevIndex: 1, prevTerm: 1, prevHash, entries: [], commit: 0, round: 0 })
    expect(seats.effects.at(-1)).toEqual({ type: 'stopped', code: 'LEDGER_FORK' })
  })

  it('stops at a fork: a committed entry would be cut', () => {
    const seats = led()
    const { hash } = seats.of('b').log.snapshot
    seats.feed('b', { type: 'tip', index: 1, hash: seats.of('a').log.lastHash })
    const entries = [{ term: 2, kind: 'order', body: new Uint8Array() }]
    seats.say('b', 'c/0', { type: 'append', term: 2, prevIndex: 0, prevTerm: 0, prevHash: hash, entries, commit: 0, round: 0 })
    expect(seats.effects.at(-1)).toEqual({ type: 'stopped', code: 'LEDGER_FORK' })
  })

  it('grants no PreVote while it hears a leader, and grants it when the leader is lost', () => {
    const seats = led()
    const ask = (now: number): void => seats.say('b', 'c/0', { type: 'preVote', term: 2, lastIndex: 1, lastTerm: 1 }, now)
    ask(ELECTION - 1)
    expect(seats.sent.at(-1)?.message).toEqual({ type: 'preVoted', term: 1, ok: false })
    seats.feed('b', { type: 'lost', id: 'a' }, ELECTION - 1)
    ask(ELECTION - 1)
    expect(seats.sent.at(-1)?.message).toEqual({ type: 'preVoted', term: 2, ok: true })
    expect(seats.of('b').term).toBe(1)
  })

  it('takes no message for another seat or ledger, and no leap of terms', () => {
    const seats = led()
    const message = { type: 'vote', term: 5, lastIndex: 9, lastTerm: 4 } as const
    seats.feed('b', { type: 'message', ledger: 'another', from: 'c/0', to: 'b/0', message })
    seats.feed('b', { type: 'message', ledger: 'explored', from: 'c/0', to: 'b/1', message })
    seats.say('b', 'c/0', { ...message, term: 2_000_000 })
    expect(seats.of('b').term).toBe(1)
    seats.say('b', 'c/0', message)
    expect(seats.of('b')).toMatchObject({ term: 5, votedFor: 'c/0' })
  })

  it('stands at its turn when the leader is lost', () => {
    const seats = led()
    seats.deliver('a', 'c', 'append')
    seats.feed('b', { type: 'lost', id: 'a' })
    seats.feed('c', { type: 'lost', id: 'a' })
    seats.feed('b', { type: 'timer' }, 0)
    seats.feed('c', { type: 'timer' }, 0)
    expect([seats.of('b').role, seats.of('c').role]).toEqual(['preCandidate', 'follower'])
  })
})
