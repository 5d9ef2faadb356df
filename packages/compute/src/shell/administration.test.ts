import type { PoolRecord } from '@jel/jel'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { SharePolicy } from '../core/shares.ts'
import { sharesOf } from '../share-policy.ts'
import { Administration } from './administration.ts'
import { encodeShares, LEAST_ID, readShares, SHARES, type Shares } from './share-record.ts'

const [ann, bob] = ['12D3KooWann11111', '12D3KooWbob22222']
const some: Shares = { shares: { ann11111: 3, bob22222: 1 }, other: 0.5, halfLife: 60_000, override: { ann11111: 700 }, compensation: 5 }

class Records extends EventTarget {
  held: PoolRecord[] = []

  records(): readonly PoolRecord[] {
    return this.held
  }

  put(owner: string, version: number, value: Uint8Array | undefined = encodeShares(some), name = SHARES, ttl = 10_000): void {
    const record = { name, owner, version, expires: Date.now() + ttl, value } as unknown as PoolRecord
    this.held = [...this.held.filter((each) => each.owner !== owner || each.name !== name), record]
    this.dispatchEvent(new CustomEvent('record', { detail: record }))
  }

  withdraw(owner: string): void {
    this.held = this.held.filter((each) => each.owner !== owner)
    this.dispatchEvent(new CustomEvent('record', { detail: { name: SHARES, owner, value: undefined } }))
  }
}

let pool: Records
let policies: (SharePolicy | undefined)[]
let administration: Administration
beforeEach(() => {
  vi.useFakeTimers()
  pool = new Records()
})
afterEach(() => {
  administration.close()
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

function follow(...admins: string[]): void {
  policies = []
  administration = new Administration(pool as never, admins, (policy) => void policies.push(policy))
  administration.start()
}

const sharesNow = (): number | undefined => policies.at(-1)?.shares.get('ann11111')
const oneOf = (share: number): Uint8Array => encodeShares({ shares: { ann11111: share } })

describe('a member that accepts administrators', () => {
  it('takes the policy of one of them, and the one that was there before', () => {
    pool.put(ann, 1, oneOf(4))
    follow(ann)
    expect(sharesNow()).toBe(4)
    pool.put(ann, 2)
    expect(policies.at(-1)).toEqual({
      shares: new Map([
        ['ann11111', 3],
        ['bob22222', 1],
      ]),
      other: 0.5,
      halfLife: 60_000,
      override: new Map([['ann11111', 700]]),
      compensation: 5,
    })
  })

  it('ignores the policies of others, other records, and what is no policy', () => {
    follow(ann)
    pool.put(bob, 1)
    pool.put(ann, 1, oneOf(4), `${SHARES}/more`)
    pool.put(ann, 1, Uint8Array.of(1, 2, 3))
    expect(policies).toEqual([])
  })

  it('takes the latest of two', () => {
    follow(ann, bob)
    pool.put(ann, 5, oneOf(5))
    pool.put(bob, 4, oneOf(4))
    expect(sharesNow()).toBe(5)
    pool.put(bob, 6, oneOf(6))
    expect(sharesNow()).toBe(6)
    expect(policies).toHaveLength(2)
  })

  it('has none once the record is withdrawn, or expires', () => {
    follow(ann)
    pool.put(ann, 1)
    pool.withdraw(ann)
    expect(policies.map((policy) => policy?.shares.size)).toEqual([2, undefined])
    pool.put(ann, 3, encodeShares(some), SHARES, 5000)
    expect(policies).toHaveLength(3)
    vi.advanceTimersByTime(4999)
    expect(policies).toHaveLength(3)
    vi.advanceTimersByTime(10)
    expect(policies.at(-1)).toBeUndefined()
    expect(policies).toHaveLength(4)
  })
})

describe('a member that accepts none', () => {
  it('does not look, and keeps no timer', () => {
    pool.put(ann, 1)
    follow()
    pool.put(ann, 2)
    expect(policies).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('shares in a record', () => {
  beforeEach(() => follow())

  it('come back unchanged, with room for forty owners', () => {
    expect(readShares({ name: SHARES, value: encodeShares(some) })).toEqual(some)
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`owner${at}`.padEnd(LEAST_ID, 'x'), 100 + at]))
    expect(encodeShares({ shares: many }).length).toBeLessThan(1024)
  })

  it('of all administrators are listed, the latest first', () => {
    pool.put(ann, 1, oneOf(1))
    pool.put(bob, 2, oneOf(2))
    pool.put('12D3KooWeve33333', 3, Uint8Array.of(9))
    expect(sharesOf(pool).map(({ admin, shares }) => [admin, shares['ann11111']])).toEqual([
      [bob, 2],
      [ann, 1],
    ])
  })

  it.each<readonly [string, unknown, RegExp]>([
    ['a negative share', { shares: { ann11111: -1 } }, /tickets: must be from 0/u],
    ['too many tickets', { shares: { ann11111: 1e7 } }, /tickets/u],
    ['a short id', { shares: { ann: 1 } }, /owner: must be the id/u],
    ['a half-life of nothing', { shares: {}, halfLife: 0 }, /halfLife/u],
    ['a factor that is no number', { shares: {}, compensation: Number.NaN }, /compensation/u],
    ['an unknown field', { shares: {}, deadline: 1 }, /deadline/u],
  ])('are refused: %s', (_, shares, message) => {
    expect(() => encodeShares(shares as Shares)).toThrow(message)
  })
})
