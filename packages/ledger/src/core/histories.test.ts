import { describe, expect, it } from 'vitest'
import { runHistory } from '../../test/history.ts'
import type { Plan } from '../../test/virtual-seats.ts'

// `CASES=all` runs 2,000 histories. That takes a minute or two.
const isAll = process.env['CASES'] === 'all'
// The shorter range has a seed for each planted fault that random histories find.
const [FIRST, LAST] = isAll ? [1, 2000] : [141, 240]
const GROUP = 20

/** Ways of founding, and sizes of pages and snapshots, in turns. */
function planOf(seed: number): Plan {
  const founding = (['one', 'ids', 'number'] as const)[seed % 3] ?? 'one'
  const founders = (founding === 'one' ? [1, 3] : [3, 2, 5, 4])[seed % (founding === 'one' ? 2 : 4)] ?? 3
  return {
    seed,
    founding,
    founders,
    page: [1, 2, 64][Math.floor(seed / 3) % 3] ?? 64,
    every: seed % 2 === 0 ? 6 : 25,
    isStormy: Math.floor(seed / 2) % 2 === 0,
  }
}

describe('random histories with crashes, cuts, stalls, lost stores and changes of voters', () => {
  for (let first = FIRST; first <= LAST; first += GROUP)
    it(`keep all rules, and come back to life: seeds from ${first} on`, { timeout: 120_000 }, () => {
      const total = { delivered: 0, crashes: 0, changes: 0, snapshots: 0, lost: 0, committed: 0 }
      for (let seed = first; seed < first + GROUP; seed++) {
        const world = atSeed(seed)
        total.delivered += world.delivered
        total.crashes += world.crashes
        total.changes += world.changes
        total.snapshots += world.snapshots
        total.lost += world.gone.size
        total.committed += world.truth.committed
      }
      // Otherwise the histories are too tame to find anything.
      expect(total.crashes).toBeGreaterThan(50)
      expect(total.changes).toBeGreaterThan(50)
      expect(total.snapshots).toBeGreaterThan(50)
      expect(total.lost).toBeGreaterThan(2)
      expect(total.committed).toBeGreaterThan(800)
    })
})

function atSeed(seed: number) {
  try {
    return runHistory(planOf(seed))
  } catch (error) {
    throw new Error(`seed ${seed}`, { cause: error })
  }
}
