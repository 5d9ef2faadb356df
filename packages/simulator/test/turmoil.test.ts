import { describe, expect, it } from 'vitest'
import { seeds } from './seeds.ts'
import { Turmoil } from './turmoil.ts'

const minutes = 60_000
/** Before a merge two seeds run. */
const usual = process.env['CASES'] === 'all' ? '1-3' : '1-2'

describe.each(seeds(usual))('turmoil, seed %i', (seed) => {
  it('breaks no promise, and all members agree when it ends', () => {
    new Turmoil({ seed, nodes: 16, turmoil: 3 * minutes, settle: 60_000 }).run()
  })

  it('breaks no promise on a lossy network', () => {
    new Turmoil({ seed, nodes: 12, turmoil: 2 * minutes, settle: 60_000, network: { loss: 0.05 } }).run()
  })

  it('breaks no promise without partitions', () => {
    new Turmoil({ seed, nodes: 16, turmoil: 2 * minutes, settle: 30_000, partitions: false }).run()
  })

  it('has the same history each time', () => {
    const hashes = [0, 1].map(() => {
      const turmoil = new Turmoil({ seed, nodes: 8, turmoil: 20_000, settle: 60_000 })
      turmoil.run()
      return turmoil.simulation.traceHash
    })
    expect(hashes[0]).toBe(hashes[1])
  })
})
