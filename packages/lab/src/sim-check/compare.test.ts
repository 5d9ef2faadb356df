import { describe, expect, it } from 'vitest'
import { compare, table } from './compare.ts'

const before = { join: { 'known after, ms': 1_000, 'received a node, bytes': 20_000, 'dials in the worst second': 40 } }
const now = (changes: Record<string, number>): Record<string, Record<string, number>> => ({ join: { ...before.join, ...changes } })

describe('the guard', () => {
  it('accepts changes of at most a tenth, and very small changes', () => {
    expect(compare(before, before)).toEqual([])
    expect(compare(before, now({ 'known after, ms': 1_100, 'received a node, bytes': 18_100, 'dials in the worst second': 45 }))).toEqual(
      [],
    )
    expect(compare({ join: { 'known after, ms': 20 } }, { join: { 'known after, ms': 70 } })).toEqual([])
  })

  it('reports larger changes as worse or better', () => {
    const differences = compare(
      before,
      now({ 'known after, ms': 1_101, 'received a node, bytes': 22_001, 'dials in the worst second': 30 }),
    )
    expect(differences.map(({ verdict }) => verdict)).toEqual(['worse', 'worse', 'better'])
    expect(table(differences)).toBe(
      [
        '| scenario | figure                    | before | now   | change |        |',
        '| -------- | ------------------------- | ------ | ----- | ------ | ------ |',
        '| join     | known after, ms           | 1000   | 1101  | +10%   | worse  |',
        '| join     | received a node, bytes    | 20000  | 22001 | +10%   | worse  |',
        '| join     | dials in the worst second | 40     | 30    | -25%   | better |',
      ].join('\n'),
    )
  })

  it('calls an event that never happens worse, and marks figures that are new or gone', () => {
    expect(compare(before, now({ 'known after, ms': Infinity }))[0]?.verdict).toBe('worse')
    expect(compare({}, before).map(({ verdict }) => verdict)).toEqual(['new', 'new', 'new'])
    expect(compare(before, { join: {} }).map(({ verdict }) => verdict)).toEqual(['gone', 'gone', 'gone'])
  })
})
