import { describe, expect, it } from 'vitest'
import { bundle, widthOf, type Edge } from './bundles.ts'

/** Returns the members of sites of these sizes. The first letter of a member is its site. */
const membersOf = (...sizes: readonly number[]): string[] =>
  sizes.flatMap((size, site) => Array.from({ length: size }, (_, i) => `${'ABCDE'[site]}${i}`))
const siteOf = (member: string): string => member.slice(0, 1)
const edge = (from: string, to: string): Edge => ({ from, to, roundTrip: undefined })
const meshOf = (members: readonly string[]): Edge[] =>
  members.flatMap((from, i) => members.slice(0, i).map((to) => (i % 2 === 0 ? edge(from, to) : edge(to, from))))

describe('links in the picture', () => {
  it('of a full mesh are one line for each pair of sites, and single ones inside sites', () => {
    const members = membersOf(5, 4, 3)
    const { singles, bundles } = bundle(meshOf(members), members, siteOf)
    expect(bundles.map(({ sites, links }) => [...sites, links])).toEqual([
      ['A', 'B', 20],
      ['A', 'C', 15],
      ['B', 'C', 12],
    ])
    expect(singles).toHaveLength(10 + 6 + 3)
    expect(singles.every(({ from, to }) => siteOf(from) === siteOf(to))).toBe(true)
  })

  it('are single ones in a sparse pool, however large it is', () => {
    const members = membersOf(100, 100, 100)
    const edges = members.flatMap((from, i) => [1, 7, 31, 113].map((step) => edge(from, members[(i + step) % 300]!)))
    expect(bundle(edges, members, siteOf)).toEqual({ singles: expect.any(Array), bundles: [] })
    expect(bundle(edges, members, siteOf).singles).toHaveLength(1200)
  })

  it('are single ones between few members, and to a site of one', () => {
    for (const sizes of [
      [2, 2, 2, 2],
      [9, 1],
      [1, 1, 1, 1, 1],
    ]) {
      const members = membersOf(...sizes)
      const edges = meshOf(members)
      expect(bundle(edges, members, siteOf).singles).toHaveLength(edges.length)
    }
  })

  it('are bundled only between those sites that are dense', () => {
    const members = membersOf(4, 4, 4)
    const dense = meshOf(membersOf(4, 4))
    const { singles, bundles } = bundle([...dense, edge('C0', 'A0'), edge('B1', 'C0')], members, siteOf)
    expect(bundles).toEqual([{ sites: ['A', 'B'], links: 16 }])
    expect(singles).toHaveLength(6 + 6 + 2)
  })

  it('are wider for more links, up to a limit', () => {
    const widths = [9, 16, 100, 10_000, 1_000_000].map((links) => widthOf({ sites: ['A', 'B'], links }))
    expect(widths).toEqual([3, 4, 10, 14, 14])
  })
})
