import { describe, expect, it } from 'vitest'
import { Budgets, settledAfter, type Payer } from './budgets.ts'
import { burst, rates, type Cost } from './token-buckets.ts'

const members = new Set(['alice', 'bob'])
const { own, strangers } = rates.newcomers

function budgets(): Budgets {
  return new Budgets((id) => members.has(id))
}

function payer(of: Budgets, peer: string): Payer {
  return { peer, account: of.account(peer, 0) }
}

/** Returns the amount that can be spent at this time. */
function available(of: Budgets, from: Payer, now: number, cost: Cost = 'newcomers'): number {
  let count = 0
  while (of.spend(from, cost, now)) count += 1
  return count
}

describe('a budget', () => {
  it('allows a burst of ten seconds, then the average', () => {
    const all = budgets()
    const alice = payer(all, 'alice')
    expect(available(all, alice, 0)).toBe(own * burst)
    expect(available(all, alice, 0)).toBe(0)
    expect(available(all, alice, 500)).toBe(own / 2)
    expect(available(all, alice, 1_000_000)).toBe(own * burst)
    expect(available(all, alice, 1_000_000, 'pingReqs')).toBe(rates.pingReqs.own * burst)
  })

  it('can be overdrawn, and returns the time until the debt is paid; a debt above the maximum stops all', () => {
    const all = budgets()
    const alice = payer(all, 'alice')
    expect(all.charge(alice, 'newcomers', 0, own * burst)).toBe(0)
    expect(all.charge(alice, 'newcomers', 0, own)).toBe(1_000)
    expect(all.charge(alice, 'newcomers', 500, 0)).toBe(500)
    expect(all.charge(alice, 'newcomers', 500, own * burst)).toBe(10_500)
    expect(all.charge(alice, 'newcomers', 500, 1)).toBe(Infinity)
    expect(all.charge(alice, 'newcomers', 1_001, 0)).toBeCloseTo(9_999)
  })

  it('belongs to the peer, not to its link', () => {
    const all = budgets()
    available(all, payer(all, 'alice'), 0)
    expect(available(all, payer(all, 'alice'), 0)).toBe(0)
    expect(available(all, payer(all, 'bob'), 0)).toBe(own * burst)
  })

  it('is shared by all strangers, and a member has its own after a while', () => {
    const all = budgets()
    all.met('bob', 0)
    for (let i = 0; i < 100; i++) available(all, payer(all, `stranger ${i}`), 0)
    expect(available(all, payer(all, 'another'), 0)).toBe(0)
    expect(available(all, payer(all, 'bob'), 0)).toBe(0)
    expect(available(all, payer(all, 'alice'), 0)).toBe(own * burst)
    expect(available(all, payer(all, 'bob'), settledAfter)).toBe(own * burst)
    const sum = Array.from({ length: 100 }, (_, i) => available(all, payer(all, `stranger ${i}`), settledAfter)).reduce((a, b) => a + b)
    expect(sum).toBe(strangers * burst)
  })

  it('of a peer is remembered among thousands of others: peers without a debt are forgotten first', () => {
    const all = budgets()
    available(all, payer(all, 'alice'), 0)
    for (let i = 0; i < 10_000; i++) payer(all, `stranger ${i}`)
    expect(available(all, payer(all, 'alice'), 0)).toBe(0)
  })
})

describe('the topic', () => {
  it('account of a peer is forgotten once its debt is paid: peers that come and go leave nothing behind', () => {
    const all = new Budgets(() => true)
    for (let now = 0; now < 2_000_000; now += 1_000) {
      const peer = `peer ${now}`
      expect(all.mayPublish(`author ${now}`, now)).toBe(true)
      expect(all.spend({ peer, account: all.account(peer, now) }, 'checks', now)).toBe(true)
    }
    expect(all.size).toBeLessThan(20)
  })

  it('account of a peer with a debt is kept, whoever comes', () => {
    const all = budgets()
    const alice = payer(all, 'alice')
    expect(available(all, alice, 0)).toBe(own * burst)
    for (let i = 0; i < 100; i++) all.account(`${i}`, i)
    expect(available(all, payer(all, 'alice'), 100)).toBe(own / 10)
  })

  it('lets a member publish news of itself, however much others publish', () => {
    const all = budgets()
    let heard = 0
    for (let i = 0; i < 20_000; i++) if (all.mayPublish(`stranger ${i}`, 0)) heard += 1
    expect(heard).toBe(rates.published.strangers * burst)
    expect(all.mayPublish('another', 0)).toBe(false)
    expect(all.mayPublish('alice', 0)).toBe(true)
    let alone = 1
    while (all.mayPublish('alice', 0)) alone += 1
    expect(alone).toBe(rates.published.own * burst)
    expect(all.mayPublish('bob', 0)).toBe(true)
  })

  it('lets a member publish news of itself, however many deaths of it others certify', () => {
    const all = budgets()
    let certified = 0
    while (all.mayPublish('alice', 0, 'deaths')) certified += 1
    expect(certified).toBe(rates.deaths.own * burst + rates.published.strangers * burst)
    expect(all.mayPublish('alice', 0)).toBe(true)
  })
})
