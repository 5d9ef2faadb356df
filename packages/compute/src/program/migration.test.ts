import { describe, expect, it } from 'vitest'
import { Contract, gainOf, shouldMove, type Move } from './migration.ts'

// The paper gives the costs, 900 s in the worst case and about 420 s as measured, and says at which
// sizes the decisions were right. Its bars are lost. So the times are assumed: QR takes 700 s at
// size 8000, and grows with the third power. Ten programs come after 300 s. A machine of two
// processors then takes 5.5 times as long, and the other machines take twice as long.
const timesOf = (size: number): Pick<Move, 'stays' | 'moves'> => {
  const left = 700 * (size / 8000) ** 3 - 300
  return { stays: 5.5 * left, moves: 2 * left }
}

describe('a decision of GrADS', () => {
  it.each([
    [7000, false, false],
    [8000, false, true],
    [9000, true, true],
    [10_000, true, true],
    [11_000, true, true],
    [12_000, true, true],
  ])('at size %i is %s with the worst cost, and %s with the measured cost', (size, worst, measured) => {
    expect(shouldMove({ ...timesOf(size), cost: 900 })).toBe(worst)
    expect(shouldMove({ ...timesOf(size), cost: 420 })).toBe(measured)
    // The decision with the measured cost is right: the total becomes shorter.
    const { stays, moves } = timesOf(size)
    if (measured) expect(moves + 420).toBeLessThan(stays)
  })

  it('is for a move at a gain of more than 30 %, of the time that is left', () => {
    expect(gainOf({ stays: 1000, moves: 500, cost: 200 })).toBeCloseTo(0.3, 12)
    expect(shouldMove({ stays: 1000, moves: 500, cost: 200 })).toBe(false)
    expect(shouldMove({ stays: 1000, moves: 500, cost: 199 })).toBe(true)
    expect(gainOf({ stays: 100, moves: 50, cost: 900 })).toBeCloseTo(-8.5, 12)
    expect(shouldMove({ stays: 0, moves: 0, cost: 0 })).toBe(false)
  })
})

/** Phases of a second each, some of them slower. Returns the phases at which the contract asks. */
function asked(contract: Contract, slowness: readonly number[]): number[] {
  return slowness.flatMap((times, phase) => (contract.ended(1000 * times, 1000) ? [phase] : []))
}
const phases = (count: number, slowness: number): number[] => Array.from({ length: count }, () => slowness)

describe('a contract', () => {
  it('asks for a move once the mean is too high, and the loss of speed lasts', () => {
    // Ten phases as predicted. Then each takes three seconds: the mean exceeds 1.5 at the fourth.
    expect(asked(new Contract(), [...phases(10, 1), ...phases(5, 3)])).toEqual([13, 14])
  })

  it('asks for none after a disturbance of less than ten seconds, however strong', () => {
    expect(asked(new Contract(), [1, 9.9, 1, 1, 1])).toEqual([])
    expect(asked(new Contract(), [...phases(3, 3), ...phases(20, 1), ...phases(3, 3)])).toEqual([])
    expect(asked(new Contract(), phases(4, 3))).toEqual([3])
  })

  it('asks for none while the mean is within the tolerance, because much of the work is done', () => {
    expect(asked(new Contract(), [...phases(100, 1), ...phases(20, 3)])).toEqual([])
  })

  it('raises its tolerance after a refusal, and asks again only if it gets slower still', () => {
    const contract = new Contract()
    expect(asked(contract, phases(4, 3))).toEqual([3])
    contract.refused()
    expect(asked(contract, phases(100, 3))).toEqual([])
    expect(asked(contract, phases(200, 6)).length).toBeGreaterThan(0)
  })

  it('lowers its tolerance where the machines are faster than predicted', () => {
    const contract = new Contract()
    expect(asked(contract, phases(50, 0.4))).toEqual([])
    // Slower than before, though as predicted.
    expect(asked(contract, phases(100, 1)).length).toBeGreaterThan(0)
  })
})
