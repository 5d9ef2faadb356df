import { describe, expect, it } from 'vitest'
import { barPlot, linePlot, type LinePlot } from './plot.ts'
import { ratioPlot } from './ratio-plot.ts'

const pools: LinePlot = {
  title: 'Pool size',
  x: { title: 'time', unit: 's' },
  y: { title: 'members', unit: 'nodes' },
  series: [
    {
      name: 'serial send',
      points: [
        [0, 0],
        [10, 50],
        [20, 100],
      ],
    },
    {
      name: 'R&D <tree>',
      points: [
        [0, 0],
        [10, 100],
      ],
    },
  ],
}

/** Returns the drawn lines, as path data. */
function lines(svg: string): string[] {
  return [...svg.matchAll(/aria-roledescription="line mark container"><path d="([^"]+)"/g)].map(([, path]) => path as string)
}

describe('linePlot', () => {
  it('draws one line for each series, with title, units and a legend', async () => {
    const svg = await linePlot(pools)
    expect(svg).toMatch(/^<svg [^>]*xmlns="http:\/\/www.w3.org\/2000\/svg"/)
    expect(lines(svg)).toHaveLength(2)
    for (const text of ['Pool size', 'time (s)', 'members (nodes)', 'serial send']) expect(svg).toContain(`>${text}</text>`)
  })

  it('needs no external files, and escapes its texts', async () => {
    const svg = await linePlot(pools)
    expect(svg).toContain('>R&amp;D &lt;tree&gt;</text>')
    expect(svg.replaceAll(/xmlns(:xlink)?="[^"]*"/g, '')).not.toMatch(/https?:|<script|@import|href=/)
  })

  it('omits values that a logarithmic axis can not show', async () => {
    const [linear] = lines(await linePlot(pools))
    const [logarithmic] = lines(await linePlot({ ...pools, y: { ...pools.y, log: true } }))
    expect(linear?.match(/[ML]/g)).toHaveLength(3)
    expect(logarithmic?.match(/[ML]/g)).toHaveLength(2)
  })

  it('holds a value until the next one if requested', async () => {
    const [smooth] = lines(await linePlot(pools))
    const [steps] = lines(await linePlot({ ...pools, steps: true }))
    expect(smooth?.match(/[LHV]/g)).toHaveLength(2)
    expect(steps?.match(/[LHV]/g)).toHaveLength(4)
  })

  it('draws the same picture twice', async () => {
    const [first, second] = [await linePlot(pools), await linePlot(pools)]
    expect(first.replaceAll(/clip\d+/g, 'clip')).toBe(second.replaceAll(/clip\d+/g, 'clip'))
  })
})

describe('barPlot', () => {
  it('draws a bar and its figure for each existing value', async () => {
    const svg = await barPlot({
      title: 'Traffic',
      y: { title: 'average a node', unit: 'MB', log: true, domain: [0.1, 100] },
      groups: ['serial send', 'gossip'],
      series: [
        { name: 'paper', values: [0.76, 25.37] },
        { name: 're-run', values: [undefined, 30.5] },
      ],
    })
    const marks = [...svg.matchAll(/aria-roledescription="rect mark container">(.*?)<\/g>/g)].map(([, paths]) => paths).join('')
    expect(marks.match(/<path/g)).toHaveLength(3)
    for (const figure of ['0.76', '25.4', '30.5']) expect(svg).toContain(`>${figure}</text>`)
  })
})

describe('ratioPlot', () => {
  it('draws bars from one on, with the given labels, and intervals if there are any', async () => {
    const rows = [
      { name: 'a join', ratio: 0.25 },
      { name: 'a leave', ratio: 4, least: 2, most: 8 },
      { name: 'never measured', ratio: Number.NaN },
    ]
    const svg = await ratioPlot({ title: 'Ours', x: 'ours ÷ theirs', rows })
    for (const text of ['a join', 'a leave', '0.25', '4']) expect(svg).toContain(`>${text}</text>`)
    expect(svg).not.toContain('never measured')
    const bars = [...svg.matchAll(/aria-roledescription="rect mark container">(.*?)<\/g>/g)].map(([, paths = '']) => paths).join('')
    const [left, right] = [...bars.matchAll(/d="M(-?[\d.]+),[^"]*?h(-?[\d.]+)/g)].map(([, x, width]) => ({
      x: Number(x),
      width: Number(width),
    }))
    // The bars meet at 1 and have the same width, because 1/4 and 4 are equally far from 1.
    expect((left?.x ?? 0) + (left?.width ?? 0)).toBeCloseTo(right?.x ?? Number.NaN, 0)
    expect(left?.width).toBeCloseTo(right?.width ?? Number.NaN, 0)
  })
})
