import { describe, expect, it } from 'vitest'
import type { Position, Reign } from './history.ts'
import { Replica } from './replica.ts'
import type { OutgoingMessage, ReplicaMessage } from './replica-messages.ts'

const before: Reign = { epoch: 1, winner: 'z', incarnation: 1 }
const reign: Reign = { epoch: 2, winner: 'a', incarnation: 1 }
const nothing: Position = { history: [], from: 1 }

/** A replica that has just won, with two other instances, and what it sends. */
class Won {
  readonly replica = new Replica({
    self: 'a',
    replicas: 3,
    alone: false,
    refusesInMinority: false,
    initial: 0,
    apply: (state, operation) => [(state as number) + (operation as number), 0],
    calendar: 0,
  })
  sent: { readonly to: string; readonly message: OutgoingMessage }[] = []
  now = 0

  constructor() {
    this.handle({ type: 'instances', ids: ['a', 'b', 'c'] })
    this.handle({ type: 'elected', reign })
  }

  handle(input: Parameters<Replica['handle']>[0]): void {
    for (const effect of this.replica.handle(input, this.now)) if (effect.type === 'send') this.sent.push(effect)
  }

  hear(from: string, message: ReplicaMessage): void {
    this.handle({ type: 'message', from, message })
  }

  position(from: string, position: Position): void {
    this.hear(from, { type: 'position', reign, wants: true, position })
  }

  /** Time passes, and `answer` gets each message that is sent meanwhile. */
  pass(time: number, answer: (to: string, type: OutgoingMessage['type']) => void = () => {}): void {
    for (const end = this.now + time; this.now < end; this.now += 100) {
      this.handle({ type: 'timer' })
      for (const { to, message } of this.sent.splice(0)) answer(to, message.type)
    }
  }

  asked(to: string, type: OutgoingMessage['type']): number {
    return this.sent.filter((each) => each.to === to && each.message.type === type).length
  }
}

/** One operation that the winner has not. */
const ahead: Position = { history: [{ reign: before, last: 1 }], from: 1 }
const entry = { reign: before, seq: 1, caller: 'c', key: 'k', operation: 5, now: 1, result: 0 }

describe('a primary', () => {
  it('asks again for the operations of another side if they do not come', () => {
    const won = new Won()
    for (const id of ['b', 'c']) won.position(id, nothing)
    expect(won.replica.role).toBe('primary')
    won.position('b', ahead)
    expect(won.asked('b', 'wanted')).toBe(1)
    // b did not read the question.
    won.sent = []
    won.pass(15_000, (to, type) => {
      if (to === 'b' && type === 'hello') won.position('b', ahead)
      if (to === 'b' && type === 'wanted') won.hear('b', { type: 'log', reign, from: 1, entries: [entry], end: true })
    })
    expect(won.replica.state).toBe(5)
  })
})

describe('a winner', () => {
  it('serves once it has heard all other instances, and not before', () => {
    const won = new Won()
    expect(won.replica.role).toBe('takes over')
    expect([won.asked('b', 'hello'), won.asked('c', 'hello')]).toEqual([1, 1])
    won.position('b', nothing)
    won.pass(4000)
    expect(won.replica.role).toBe('takes over')
    won.position('c', nothing)
    expect(won.replica.role).toBe('primary')
  })

  it('takes the operations of the replica that has more', () => {
    const won = new Won()
    won.position('b', ahead)
    won.position('c', nothing)
    expect([won.replica.role, won.asked('b', 'wanted')]).toEqual(['takes over', 1])
    won.hear('b', { type: 'log', reign, from: 1, entries: [entry], end: true })
    expect([won.replica.role, won.replica.state]).toEqual(['primary', 5])
  })

  it('asks again if the replica that has more did not hear it', () => {
    const won = new Won()
    won.position('b', ahead)
    won.position('c', nothing)
    // b took the winner for dead for a moment, and so did not read its question.
    won.sent = []
    won.pass(1000)
    won.position('b', ahead)
    expect([won.replica.role, won.asked('b', 'wanted')]).toEqual(['takes over', 1])
    won.hear('b', { type: 'log', reign, from: 1, entries: [entry], end: true })
    expect([won.replica.role, won.replica.state]).toEqual(['primary', 5])
  })

  it.each([
    ['its log has no answer', ahead, false],
    ['its log is empty', ahead, true],
    ['its snapshot has no answer', { ...ahead, from: 2 }, false],
  ])('goes on without a replica that states more and never gives it: %s', (_, position, answers) => {
    const won = new Won()
    won.position('b', position)
    won.position('c', nothing)
    won.pass(20_000, (to, type) => {
      if (to === 'b' && type === 'hello') won.position('b', position)
      if (to === 'b' && type === 'wanted' && answers) won.hear('b', { type: 'log', reign, from: 1, entries: [], end: true })
    })
    expect(won.replica.role).toBe('primary')
  })
})
