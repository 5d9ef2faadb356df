import { expect, it } from 'vitest'
import type { Overlay } from './overlay.ts'
import { overlayPlot } from './overlay-plot.ts'

const node = (number: number, site: string, runs = true): Overlay['nodes'][number] => ({ number, machine: number, rack: 0, site, runs })
const nodes = [node(0, 'VU'), node(1, 'VU'), node(2, 'Delft & Leiden'), node(3, 'Delft & Leiden', false)]
const count = (text: string, what: RegExp): number => text.match(what)?.length ?? 0

it('draws each node and link once, and names each site with its number of nodes', () => {
  // prettier-ignore
  const svg = overlayPlot({ nodes, links: [[0, 1], [1, 2], [2, 3]] }, { title: 'a pool' })
  expect(count(svg, /<title>node /gu)).toBe(4)
  expect(count(svg, /<path /gu)).toBe(3)
  expect(svg).toContain('VU (2)')
  expect(svg).toContain('Delft &amp; Leiden (2)')
})

it('omits links to nodes that are gone, and marks nodes that stand still', () => {
  const svg = overlayPlot({ nodes, links: [[0, 9]] }, { title: 'a pool' })
  expect(count(svg, /<path /gu)).toBe(0)
  expect(count(svg, /fill="#fff" stroke/gu)).toBe(1)
})

it('places no node on another', () => {
  const many = Array.from({ length: 60 }, (_, i) => node(i, ['a', 'b', 'c'][i % 3] as string))
  const svg = overlayPlot({ nodes: many, links: [] }, { title: 'a pool' })
  const places = [...svg.matchAll(/<circle cx="([\d.]+)" cy="([\d.]+)" r="5" fill="#\w+" stroke/gu)].map(([, x, y]) => `${x} ${y}`)
  expect(new Set(places).size).toBe(60)
})
