import { expect, it } from 'vitest'
import type { Member, Reign } from '@jel/protocol'
import { Reigns } from './reigns.ts'

it('elections that the protocol has forgotten are forgotten here from time to time', () => {
  const known = new Set(['master'])
  const winner: Member = {
    id: 'A',
    incarnation: 1,
    addresses: [],
    location: '',
    tag: new Uint8Array(),
    constants: new Map(),
    reach: 'direct',
    joinedAt: 0,
  }
  const reignOf = (election: string): Reign => ({ election, epoch: 1, winner })
  const reigns = new Reigns(10, (election) => (known.has(election) ? reignOf(election) : undefined))
  reigns.add('master')
  for (let i = 0; i < 1_000; i++) {
    reigns.add(`made up ${i}`)
    expect(reigns.size).toBeLessThanOrEqual(20)
  }
  expect(reigns.all()).toMatchObject([{ election: 'master', epoch: 1, winner: { id: 'A' } }])
})
