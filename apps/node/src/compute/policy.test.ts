import { describe, expect, it } from 'vitest'
import { publishShares } from '@jel/compute'
import type { Pool, PoolRecord } from '@jel/jel'
import { linesOf, sharesIn, type PolicyFlags } from './policy.ts'

const flagsOf = (flags: Partial<PolicyFlags>): PolicyFlags => ({ bootstrap: [], listen: [], keyFile: [], ...flags })

describe('jel policy', () => {
  it('shows the shares without flags', () => {
    expect(sharesIn(flagsOf({}))).toBeUndefined()
  })

  it('sets shares in the name of an administrator', () => {
    const flags = flagsOf({
      adminKey: 'admin.key',
      share: ['ann11111=3', 'bob22222=0.5'],
      other: '1',
      halfLife: '7 d',
      override: ['ann11111=700'],
      compensation: '5',
    })
    expect(sharesIn(flags)).toEqual({
      shares: { ann11111: 3, bob22222: 0.5 },
      other: 1,
      halfLife: 7 * 86_400_000,
      override: { ann11111: 700 },
      compensation: 5,
    })
  })

  it('shows shares as events whose text is safe for a terminal', async () => {
    const published: PoolRecord[] = []
    const pool = {
      name: 'farm',
      publish: async (name: string, value: Uint8Array) => {
        const record = { name, value, owner: 'admin\u009B2J', version: 1, expires: 7 } as PoolRecord
        published.push(record)
        return await Promise.resolve(record)
      },
      records: () => published.values(),
    } as unknown as Pool
    await publishShares(pool, { shares: { ann11111: 3 } }, undefined as never)
    const [line = ''] = linesOf(pool)
    expect(line).toContain(String.raw`admin\u009b2J`)
    expect(JSON.parse(line)).toEqual({
      event: 'policy',
      time: expect.any(Number),
      pool: 'farm',
      shares: { ann11111: 3 },
      admin: 'admin\u009B2J',
      expires: 7,
    })
  })

  it.each<readonly [string, Partial<PolicyFlags>, RegExp]>([
    ['shares without a key', { share: ['ann11111=3'] }, /--admin-key names the key/u],
    ['a key without shares', { adminKey: 'k' }, /--admin-key goes with/u],
    ['a share that is no number', { adminKey: 'k', share: ['ann11111=much'] }, /OWNER=NUMBER/u],
    ['a half-life without a unit', { adminKey: 'k', share: ['ann11111=1'], halfLife: '7' }, /30 min, 12 h or 7 d/u],
    ['a negative factor', { adminKey: 'k', share: ['ann11111=1'], compensation: '-1' }, /--compensation must be a number/u],
    ['only an override', { adminKey: 'k', override: ['ann11111=1'] }, /give --share/u],
    ['shares and their end', { adminKey: 'k', share: ['ann11111=1'], withdraw: true }, /--withdraw goes with no shares/u],
  ])('refuses %s', (_, flags, message) => {
    expect(() => sharesIn(flagsOf(flags))).toThrow(message)
  })
})
