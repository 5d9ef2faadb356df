import { describe, expect, it } from 'vitest'
import { sharesIn, type PolicyFlags } from './policy.ts'

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
