import { createRandom } from '@jel/protocol'
import { describe, expect, it } from 'vitest'
import { readStatement } from '../../test/virtual-node.ts'
import { encode, toBase64 } from './bodies.ts'
import type { LedgerEvent } from './events.ts'
import { Fold } from './fold.ts'

const text = new TextEncoder()
const join = (id: string, incarnation = 1) => encode('join', { statement: toBase64(text.encode(`${id} ${incarnation}`)) })
const gone = (id: string, incarnation = 1) => encode('gone', { id, incarnation, how: 'left' })
const stand = (id: string, sequence = 1, election = 'e') => encode('stand', { election, id, incarnation: 1, sequence })
const withdraw = (id: string, sequence = 1) => encode('withdraw', { election: 'e', id, incarnation: 1, sequence })
const order = (id: string, number: number) => encode('order', { id, incarnation: 1, number, name: 'row', payload: 'AAAA' })
const closed = (size: number) => ({ kind: 'begin', body: text.encode(JSON.stringify({ size })) })

type Entry = ReturnType<typeof join>

/** Takes entries from index 1 on. */
function eventsOf(fold: Fold, entries: readonly Entry[], first = 1): LedgerEvent[] {
  return entries.flatMap((entry, at) => fold.take(first + at, entry))
}

const told = (...entries: readonly Entry[]): string[] => eventsOf(new Fold(readStatement), entries).map((event) => short(event))

function short(event: LedgerEvent): string {
  const { index } = event
  if (event.type === 'joined') return `${index} joined ${event.member.id} as ${event.member.rank}`
  if (event.type === 'elected') return `${index} elected ${event.winner.id} in ${event.epoch}`
  if (event.type === 'ended') return `${index} ${event.how} ${event.life.id}`
  if (event.type === 'refused') return `${index} refused ${event.life.id}`
  return `${index} ${event.type}`
}

describe('members', () => {
  it('have ranks in the order of joining, and each join counts once', () => {
    expect(told(join('b'), join('a'), join('b'), join('c'))).toEqual(['1 joined b as 0', '2 joined a as 1', '4 joined c as 2'])
  })

  it('die when a later life of the id joins, which keeps the rank', () => {
    expect(told(join('a'), join('b'), join('a', 3), join('a', 2))).toEqual([
      '1 joined a as 0',
      '2 joined b as 1',
      '3 died a',
      '3 joined a as 0',
    ])
  })

  it('never come back as a life that has ended', () => {
    expect(told(join('a'), gone('a'), join('a'), gone('a'), join('a', 2))).toEqual(['1 joined a as 0', '2 left a', '5 joined a as 0'])
  })

  it('are at most as many ids as a closed pool has', () => {
    expect(told(closed(2), join('a'), join('b'), join('c'), gone('a'), join('c', 2), join('a', 2))).toEqual([
      '2 joined a as 0',
      '3 joined b as 1',
      '3 poolClosed',
      '4 refused c',
      '5 left a',
      '6 refused c',
      '7 joined a as 0',
    ])
  })

  it('close a pool by its first entry alone', () => {
    expect(told(join('a'), closed(1), join('b'))).toEqual(['1 joined a as 0', '3 joined b as 1'])
  })
})

describe('elections', () => {
  it('have the first candidate as winner, and the next one in the step that ends the reign', () => {
    expect(told(join('a'), join('b'), stand('b'), stand('a'), withdraw('b'), gone('a'))).toEqual([
      '1 joined a as 0',
      '2 joined b as 1',
      '3 elected b in 3',
      '5 elected a in 5',
      '6 left a',
      '6 vacant',
    ])
  })

  it('take no candidate that is not a member', () => {
    expect(told(stand('a'), join('a'), encode('stand', { election: 'e', id: 'a', incarnation: 2, sequence: 1 }))).toEqual([
      '2 joined a as 0',
    ])
  })

  it('take each candidacy once, in any order of the entries', () => {
    // The first withdrawal is late: it ends the candidacy 1, and not the candidacy 2.
    expect(told(join('a'), stand('a', 2), withdraw('a', 1), stand('a', 1))).toEqual(['1 joined a as 0', '2 elected a in 2'])
    expect(told(join('a'), withdraw('a', 1), stand('a', 1), stand('a', 2))).toEqual(['1 joined a as 0', '4 elected a in 4'])
  })

  it('keep the place of a candidate that stands again', () => {
    expect(told(join('a'), join('b'), join('c'), stand('a'), stand('b'), stand('c'), stand('b', 2), gone('a')).at(-1)).toBe(
      '8 elected b in 8',
    )
  })

  it('end all reigns of a life', () => {
    expect(told(join('a'), stand('a', 1, 'one'), stand('a', 1, 'two'), gone('a')).slice(-3)).toEqual(['4 left a', '4 vacant', '4 vacant'])
  })
})

describe('ordered messages', () => {
  it('count once, in the order of their numbers', () => {
    expect(told(join('a'), order('a', 2), order('a', 1), order('a', 1), order('a', 2))).toEqual([
      '1 joined a as 0',
      '3 ordered',
      '5 ordered',
    ])
  })

  it('of a life that has ended are skipped', () => {
    expect(told(join('a'), gone('a'), order('a', 1))).toEqual(['1 joined a as 0', '2 left a'])
  })
})

describe('the fold', () => {
  it('takes any bytes, and skips what is invalid', () => {
    const random = createRandom(1)
    const byte = (): number => Math.floor(random() * 256)
    const kinds = ['begin', 'join', 'gone', 'stand', 'withdraw', 'order', 'toString', '__proto__', 'voters']
    const valid = [join('a'), gone('a'), stand('a'), withdraw('a'), order('a', 1), closed(2)]
    const fold = new Fold(readStatement)
    for (let index = 1; index <= 3000; index++) {
      const { body } = valid[index % valid.length] as Entry
      const damaged =
        index % 2 === 0 ? Uint8Array.from(body, (each) => (random() < 0.05 ? byte() : each)) : Uint8Array.from({ length: 20 }, byte)
      fold.take(index, { kind: kinds[index % kinds.length] ?? '', body: damaged })
    }
    const odd = [
      'null',
      '[]',
      '{"id":"a"}',
      '{"id":"a","incarnation":1e99,"how":"left"}',
      '{"statement":"="}',
      '{"statement":"AA==","x":1}',
    ]
    expect(odd.flatMap((each) => kinds.flatMap((kind) => fold.take(1, { kind, body: text.encode(each) })))).toEqual([])
  })

  it('goes on from a snapshot as from all entries', () => {
    let count = 0
    for (let seed = 1; seed <= 30; seed++) {
      const random = createRandom(seed)
      const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
      const any = (): Entry => {
        const [id, number] = [pick(['a', 'b', 'c']), 1 + Math.floor(random() * 5)]
        return pick([
          join(id),
          join(id, number),
          gone(id),
          stand(id, number),
          stand(id, number, 'f'),
          withdraw(id, number),
          order(id, number),
        ])
      }
      const entries = [...(seed % 2 === 0 ? [closed(2)] : []), ...Array.from({ length: 60 }, any)]
      const whole = new Fold(readStatement)
      const all = eventsOf(whole, entries)
      const first = new Fold(readStatement)
      const before = eventsOf(first, entries.slice(0, 30))
      const second = new Fold(readStatement, first.save())
      expect([...before, ...eventsOf(second, entries.slice(30), 31)]).toEqual(all)
      expect(second.save()).toEqual(whole.save())
      expect(second.members).toEqual(whole.members)
      count += all.length
    }
    expect(count).toBeGreaterThan(300)
  })
})
