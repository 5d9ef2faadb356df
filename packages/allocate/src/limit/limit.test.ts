import { describe, expect, it } from 'vitest'
import type { LeaseInput } from '../core/lease-input.ts'
import { Leases } from '../core/leases.ts'
import { GRACE } from '../core/shares.ts'
import { corrected, leastEnough } from './adapt.ts'
import { Bucket, DEPTH, usableOf } from './bucket.ts'

describe('a bucket', () => {
  it('lets through its rate, and at most its depth at once', () => {
    const bucket = new Bucket()
    expect(bucket.take(50, 1000, 0)).toBe(0)
    expect(bucket.take(10, 1000, 0)).toBe(10)
    expect(bucket.take(10, 1000, 9)).toBe(1)
    expect(bucket.take(10, 1000, 10)).toBe(0)
    // A long rest fills it, and no more.
    expect(bucket.take(50, 1000, 10_000)).toBe(0)
    expect(bucket.take(1, 1000, 10_000)).toBe(1)
  })

  it('takes a chunk that it can never hold, and makes up for it', () => {
    const bucket = new Bucket()
    expect(bucket.take(500, 1000, 0)).toBe(0)
    expect(bucket.take(50, 1000, 100)).toBe(400)
    expect(bucket.take(50, 1000, 500)).toBe(0)
  })

  it('waits while the rate is 0, and follows a change of it', () => {
    const bucket = new Bucket()
    expect(bucket.take(1, 0, 0)).toBe(Infinity)
    expect(bucket.take(100, 2000, 10)).toBe(80 / 2)
    expect(bucket.take(100, 2000, 50)).toBe(0)
  })
})

describe('a reservation is corrected', () => {
  it.each([
    [4000, 0.375],
    [8000, 0.6875],
  ])('in one round for a sender of %i KB/s beside 2500 reserved, as in the paper', (sent, share) => {
    const counts = { conforming: 2500, exceeding: sent - 2500 }
    expect(counts.exceeding / sent).toBe(share)
    expect(corrected(2500, counts)).toBe(sent)
  })

  it('by half of what came only by a reserve, and doubles where nothing came through', () => {
    expect(corrected(1000, { conforming: 500, exceeding: 500, borderline: 1000 })).toBe(1500)
    expect(corrected(1000, { conforming: 0, exceeding: 500 })).toBe(2000)
  })

  it.each([2600, 4000, 4999, 8000, 19_999])('within 5 %% and eight rounds for a sender that slows down from %i KB/s', async (wanted) => {
    const tried: number[] = []
    const found = await leastEnough(2500, async (rate) => tried.push(rate) > 0 && rate >= wanted)
    expect(found / wanted).toBeGreaterThanOrEqual(1)
    expect(found / wanted).toBeLessThanOrEqual(1.05)
    expect(tried.length).toBeLessThanOrEqual(8)
  })
})

/** Leases of an uplink, and senders that send as fast as these let them, on a virtual clock. */
class Uplink {
  now = 0
  readonly leases = new Leases()
  readonly #buckets = new Map<number, Bucket>()
  #wake = Infinity

  feed(input: LeaseInput | { readonly type: 'timer' }): void {
    for (const effect of this.leases.handle(input, this.now)) if (effect.type === 'timer') this.#wake = effect.at
  }

  ask(holder: string, uplink: number, more: { readonly from?: number; readonly for: number; readonly background?: boolean }): void {
    this.feed({ type: 'ask', request: 0, holder, asked: { amounts: { uplink }, from: 0, background: false, key: holder, ...more } })
  }

  /** Passes a millisecond. Returns the bytes of each holder in it. */
  step(): Map<string, number> {
    this.now++
    while (this.#wake <= this.now) {
      this.#wake = Infinity
      this.feed({ type: 'timer' })
    }
    const sent = new Map<string, number>()
    for (const lease of this.leases.list()) {
      const bucket = this.#buckets.get(lease.number) ?? new Bucket()
      this.#buckets.set(lease.number, bucket)
      const rate = usableOf(lease, 'uplink', this.now)
      while (bucket.take(8192, rate, this.now) === 0) sent.set(lease.holder, (sent.get(lease.holder) ?? 0) + 8192)
    }
    return sent
  }
}

it('a background sender follows the edges of foreground leases within a second, and the sum is never above the capacity', () => {
  const uplink = new Uplink()
  uplink.feed({ type: 'offer', name: 'uplink', total: 25e6 })
  uplink.ask('low', 25e6, { for: 200_000, background: true })
  uplink.ask('first', 20e6, { from: 40_000, for: 100_000 })
  uplink.ask('second', 5e6, { from: 100_000, for: 20_000 })
  /** The bytes of each second, of the background sender and of all. */
  const [low, all] = [Array.from({ length: 160 }, () => 0), Array.from({ length: 160 }, () => 0)]
  for (let at = 0; at < 160_000; at++) {
    const second = Math.floor(at / 1000)
    for (const [holder, bytes] of uplink.step()) {
      all[second] = (all[second] as number) + bytes
      if (holder === 'low') low[second] = (low[second] as number) + bytes
    }
  }
  const rateAt = (second: number): number => Math.round((low[second] as number) / 1e6)
  expect([10, 38, 41, 98, 101, 118, 121, 138, 141, 159].map((second) => rateAt(second))).toEqual([25, 25, 5, 5, 0, 0, 5, 5, 25, 25])
  // The bucket of each of three senders may be full at the beginning of a second.
  for (const [second, bytes] of all.entries()) expect([second, bytes <= 25e6 * (1 + DEPTH / 1000) + 3 * 8192]).toEqual([second, true])
})

it('a background holder has its former share for the time of grace, and then no more', () => {
  const uplink = new Uplink()
  uplink.feed({ type: 'offer', name: 'uplink', total: 100 })
  uplink.ask('low', 100, { for: 100_000, background: true })
  uplink.ask('high', 60, { for: 10_000 })
  const usable = (): number[] => uplink.leases.list().map((lease) => usableOf(lease, 'uplink', uplink.now))
  expect(usable()).toEqual([100, 0])
  for (let at = 0; at < GRACE - 1; at++) uplink.step()
  expect(usable()).toEqual([100, 0])
  uplink.step()
  expect(usable()).toEqual([40, 60])
})

it('a lease that grows at the cost of others has its former amount until they made room', () => {
  const uplink = new Uplink()
  uplink.feed({ type: 'offer', name: 'uplink', total: 100 })
  uplink.ask('high', 60, { for: 10_000 })
  uplink.ask('low', 100, { for: 100_000, background: true })
  uplink.feed({ type: 'change', request: 1, holder: 'high', number: 1, amounts: { uplink: 90 } })
  const usable = (): number[] => uplink.leases.list().map((lease) => usableOf(lease, 'uplink', uplink.now))
  expect(usable()).toEqual([60, 40])
  for (let at = 0; at < GRACE; at++) uplink.step()
  expect(usable()).toEqual([90, 10])
  for (let at = 0; at < 10_000; at++) uplink.step()
  expect(usable()).toEqual([100])
})
