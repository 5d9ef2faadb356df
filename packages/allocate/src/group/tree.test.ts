import fc from 'fast-check'
import { expect, it } from 'vitest'
import { treeOf } from './tree.ts'

const sitesOf = (sizes: readonly number[]): string[] => sizes.flatMap((size, at) => Array.from({ length: size }, () => `site${at}`))
const sizes = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 40 })

it('the tree of a group reaches each rank once', () => {
  fc.assert(
    fc.property(sizes, (each) => {
      const sites = sitesOf(each)
      const reached: number[] = []
      const visit = (rank: number, parent: number | undefined): void => {
        reached.push(rank)
        expect(treeOf(sites, rank).parent).toBe(parent)
        for (const child of treeOf(sites, rank).children) visit(child, rank)
      }
      visit(0, undefined)
      expect(reached.toSorted((a, b) => a - b)).toEqual(sites.map((_, at) => at))
    }),
  )
})

it('the tree of a group crosses from site to site once for each site but the first', () => {
  fc.assert(
    fc.property(sizes, (each) => {
      const sites = sitesOf(each)
      const crossings = sites.filter((site, rank) => {
        const { parent } = treeOf(sites, rank)
        return parent !== undefined && sites[parent] !== site
      })
      expect(crossings).toHaveLength(each.length - 1)
    }),
  )
})

it('up to sixteen sites, one crossing lies between any rank and the first one', () => {
  const sites = sitesOf(Array.from({ length: 16 }, () => 5))
  for (const rank of sites.keys()) {
    let crossings = 0
    for (let at = rank; at !== 0;) {
      const parent = treeOf(sites, at).parent as number
      if (sites[parent] !== sites[at]) crossings++
      at = parent
    }
    expect(crossings).toBeLessThanOrEqual(1)
  }
})

it('the parts of a reduction come in the order of the ranks', () => {
  fc.assert(
    fc.property(sizes, (each) => {
      const sites = sitesOf(each)
      const up = (rank: number): number[] => [rank, ...treeOf(sites, rank).children.flatMap(up)]
      if (each.length <= 16) expect(up(0)).toEqual(sites.map((_, at) => at))
    }),
  )
})
