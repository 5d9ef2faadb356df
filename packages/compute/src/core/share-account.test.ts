import { beforeEach, describe, expect, it } from 'vitest'
import { ShareAccount } from './share-account.ts'

const HOUR = 3_600_000
const [ann, bob, eve] = ['12D3KooWxxann11111', '12D3KooWxxbob22222', '12D3KooWxxeve33333']

let account: ShareAccount
beforeEach(() => {
  const shares = new Map([
    ['ann11111', 10],
    ['bob22222', 10],
    ['others', 80],
  ])
  account = new ShareAccount({ shares, other: 0, halfLife: HOUR, override: new Map([['eve33333', 50]]) })
})

const tickets = (owner: string, now: number, active: readonly string[] = [ann, bob]): number =>
  Math.round(account.ticketsOf(owner, () => active, now))

describe('the account of a member', () => {
  it('knows owners by the ends of their ids', () => {
    expect([tickets(ann, 0), tickets(bob, 0)]).toEqual([500, 500])
    expect(tickets(eve, 2000, [ann, eve])).toBe(50)
  })

  it('adds further tickets from an override: 1033 of 1700 are 61 %', () => {
    const shares = new Map([
      ['bob22222', 10],
      ['dan44444', 20],
    ])
    account = new ShareAccount({ shares, other: 0, override: new Map([['bob22222', 700]]) })
    const given = [bob, '12D3KooWxxdan44444'].map((owner) => tickets(owner, 0, [bob, '12D3KooWxxdan44444']))
    expect(given).toEqual([1033, 667])
    expect(Math.round((100 * (given[0] as number)) / 1700)).toBe(61)
  })

  it('compensates an owner that was away', () => {
    account.charge(ann, 60_000, 0)
    expect([tickets(ann, 1000), tickets(bob, 1000)]).toEqual([100, 900])
  })

  it('forgets earlier use: the use of an hour ago counts half', () => {
    // Bob has a tenth of all use, so it counts as away until it has more than that.
    account.charge(ann, 9 * HOUR, 0)
    account.charge(bob, 0.9 * HOUR, 0)
    expect(tickets(bob, 1000)).toBe(900)
    account.charge(bob, 0.2 * HOUR, HOUR)
    // 4.5 and 0.65 hours count: Bob has more than a tenth.
    expect(tickets(bob, HOUR + 1000)).toBe(500)
    // A further charge lets the earlier use count less, too: 2.35 and 0.325 hours.
    account.charge(ann, 0.1 * HOUR, 2 * HOUR)
    expect(tickets(bob, 2 * HOUR + 1000)).toBe(500)
    account.charge(ann, HOUR, 2 * HOUR + 2000)
    expect(tickets(bob, 2 * HOUR + 3000)).toBe(900)
  })

  it('takes back what was estimated too high, and never counts below nothing', () => {
    account.charge(ann, 1000, 0)
    account.charge(ann, -5000, 0)
    account.charge(bob, 100, 0)
    expect(tickets(ann, 1000)).toBe(900)
  })

  it('computes tickets anew once a second, or if the owners change', () => {
    expect(tickets(ann, 0)).toBe(500)
    account.charge(ann, 1000, 10)
    expect(tickets(ann, 999)).toBe(500)
    expect(tickets(ann, 1000)).toBe(100)
    account.charge(bob, 1000, 1001)
    account.changed()
    expect(tickets(ann, 1002)).toBe(500)
  })

  it('has one account for all owners that the policy does not name: a new name gets nothing for the share of absent ones', () => {
    const shares = new Map([
      ['ann11111', 10],
      ['bob22222', 80],
    ])
    account = new ShareAccount({ shares, other: 10 })
    account.charge('old', 60_000, 0)
    expect([tickets(ann, 1000, [ann, 'new']), tickets('new', 1000, [ann, 'new'])]).toEqual([900, 100])
    account.changed()
    expect(['new', 'newer'].map((owner) => tickets(owner, 1000, [ann, 'new', 'newer']))).toEqual([50, 50])
  })

  it('gives further tickets by the whole id beside a share by the end of the id', () => {
    account = new ShareAccount({ shares: new Map([['bob22222', 10]]), other: 0, override: new Map([[bob, 700]]) })
    expect(tickets(bob, 0, [bob])).toBe(1700)
  })

  it('gives an owner without a share some tickets, so that one task does not cost it all later ones', () => {
    expect(account.ticketsOf('nobody', () => [ann, 'nobody'], 0)).toBeGreaterThan(0)
    expect(account.ticketsOf('nobody', () => ['nobody'], 5000)).toBe(1000)
  })
})
