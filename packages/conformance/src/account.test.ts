import { describe, expect, it } from 'vitest'
import { Account } from './account.ts'
import { AcceptanceError } from './failure.ts'
import type { SwarmEvent, SwarmNode } from './swarm.ts'

const told = (type: 'joined' | 'left' | 'died', id: string, incarnation = 1): SwarmEvent => ({
  type,
  member: { id, incarnation, location: '', tag: new Uint8Array() },
})

/** The account of a node `me` with these events. */
const account = (...events: SwarmEvent[]): Account => new Account({ id: 'me', events } as unknown as SwarmNode)

describe('an account', () => {
  it('knows the present members, the ends of the others, and the winners', () => {
    const reign = { election: 'master', epoch: 1, winner: { id: 'a', incarnation: 1, location: '', tag: new Uint8Array() } }
    const events = [told('joined', 'me'), told('joined', 'a'), told('joined', 'b'), told('left', 'b'), told('died', 'a')]
    const read = account(...events, told('joined', 'a', 2), { type: 'elected', reign }).read()
    expect([...read.present]).toEqual([
      ['me', 1],
      ['a', 2],
    ])
    expect(read.endsOf('a')).toEqual(['died'])
    expect(read.endsOf('b')).toEqual(['left'])
    expect(read.reigns.get('master')).toBe(reign)
    expect(read.story('a')).toBe('…me was told of …a: joined #1, died #1, joined #2')
  })

  it('continues where it stopped reading', () => {
    const events = [told('joined', 'me')]
    const read = account(...events)
    expect(read.read().present.size).toBe(1)
    const growing = new Account({ id: 'me', events } as unknown as SwarmNode)
    growing.read()
    events.push(told('joined', 'a'))
    expect(growing.read().present.size).toBe(2)
  })

  const broken: readonly (readonly [string, readonly SwarmEvent[]])[] = [
    ['before its own join', [told('joined', 'a')]],
    ['while incarnation 1 was present', [told('joined', 'me'), told('joined', 'a'), told('joined', 'a')]],
    ['while incarnation 1 was present', [told('joined', 'me'), told('joined', 'a'), told('joined', 'a', 2)]],
    ['after incarnation 1 had ended', [told('joined', 'me'), told('joined', 'a'), told('died', 'a'), told('joined', 'a')]],
    ['after incarnation 2 had ended', [told('joined', 'me'), told('joined', 'a', 2), told('left', 'a', 2), told('joined', 'a')]],
    ['which was not present', [told('joined', 'me'), told('died', 'a')]],
    ['which was not present', [told('joined', 'me'), told('joined', 'a'), told('left', 'a'), told('died', 'a')]],
    ['which was not present', [told('joined', 'me'), told('joined', 'a', 2), told('died', 'a')]],
  ]
  it.each(broken)('reports a broken promise: … %s', (words, events) => {
    expect(() => account(...events).read()).toThrow(AcceptanceError)
    expect(() => account(...events).read()).toThrow(words)
  })
})
