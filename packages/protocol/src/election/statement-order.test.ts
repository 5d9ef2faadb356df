import fc from 'fast-check'
import { expect, it } from 'vitest'
import { actors, type Actor } from '../../test/actors.ts'
import type { Candidacy, Claim, Statement } from '../facts/statement.ts'
import { compareCandidacies, compareClaims } from './statement-order.ts'

const [lower, higher] = actors(2) as [Actor, Actor]
const small = fc.integer({ min: 1, max: 3 })

const candidacy = fc
  .record({ incarnation: small, sequence: small, withdrawn: fc.boolean() })
  .map((details): Statement<Candidacy> => lower.stands('e', details))
const claim = fc
  .record({ incarnation: small, sequence: small, epoch: small, by: fc.constantFrom(lower, higher) })
  .map(({ by, epoch, ...details }): Statement<Claim> => by.claims('e', epoch, details))

it.each<[string, fc.Arbitrary<Statement>, (a: never, b: never) => number]>([
  ['candidacies', candidacy, compareCandidacies],
  ['claims', claim, compareClaims],
])('%s have a total order: of two different ones one is greater, everywhere', (_, statement, compare) => {
  const order = compare as (a: Statement, b: Statement) => number
  // A signer may sign the same content in other bytes. Then only the signature differs.
  const any = fc
    .tuple(statement, fc.integer({ min: 0, max: 2 }))
    .map(([said, byte]): Statement => ({ ...said, signature: said.signature.with(63, byte) }))
  fc.assert(
    fc.property(any, any, any, (a, b, c) => {
      expect(Math.sign(order(a, b))).toBe(-Math.sign(order(b, a)) + 0)
      expect(order(a, b) === 0).toBe(Buffer.compare(a.signature, b.signature) === 0)
      if (order(a, b) > 0 && order(b, c) > 0) expect(order(a, c)).toBeGreaterThan(0)
    }),
    { numRuns: 2_000 },
  )
})

it('of two candidacies the later is greater, and of one sequence the withdrawn one', () => {
  const rising = [
    lower.stands('e', { sequence: 8 }),
    lower.stands('e', { sequence: 9 }),
    lower.stands('e', { sequence: 9, withdrawn: true }),
    lower.stands('e', { incarnation: 2, sequence: 1 }),
  ]
  expect(rising.toReversed().sort(compareCandidacies)).toEqual(rising)
})

it('a tie of claims goes to the lower id, then to the later life, then to the later candidacy', () => {
  const rising = [
    higher.claims('e', 1, { incarnation: 9 }),
    lower.claims('e', 1, { incarnation: 1, sequence: 5 }),
    lower.claims('e', 1, { incarnation: 2, sequence: 1 }),
    lower.claims('e', 1, { incarnation: 2, sequence: 2 }),
    higher.claims('e', 2),
  ]
  expect(rising.toReversed().sort(compareClaims)).toEqual(rising)
})
