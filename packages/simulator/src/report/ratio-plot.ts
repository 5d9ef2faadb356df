import type { Mark } from 'vega'
import { axis, axisScale, colours, draw, frame, type PlotAxis } from './plot.ts'

/** A comparison of two things in many respects. */
export interface RatioPlot {
  readonly title: string
  readonly subtitle?: string
  /** The title of the axis of ratios. */
  readonly x: string
  /**
   * The bars, from top to bottom. Each bar begins at 1. `least` and `most` are an interval around
   * the ratio.
   */
  readonly rows: readonly { readonly name: string; readonly ratio: number; readonly least?: number; readonly most?: number }[]
  readonly width?: number
}

/** The pixels of a bar with the room around it. */
const barHeight = 22

/**
 * Draws ratios as bars from 1 on a logarithmic axis. Bars of ratios below 1 go to the left. The
 * plot omits ratios that are not positive.
 */
export async function ratioPlot(plot: RatioPlot): Promise<string> {
  const rows = plot.rows.filter(({ ratio }) => ratio > 0 && Number.isFinite(ratio))
  const ends = rows.flatMap(({ ratio, least = ratio, most = ratio }) => [least, most]).filter((end) => end > 0 && Number.isFinite(end))
  // Both sides are equally wide, so that 1 is in the middle.
  const farthest = Math.max(2, ...ends.flatMap((end) => [end, 1 / end])) * 1.2
  const clamp = (end: number): number => Math.min(farthest, Math.max(1 / farthest, end))
  const values = rows.map(({ name, ratio, least = ratio, most = ratio }) => ({ name, ratio, least: clamp(least), most: clamp(most) }))
  const middle = { scale: 'y', field: 'name', band: 0.5 }
  const bar: Mark = {
    type: 'rect',
    from: { data: 'rows' },
    encode: {
      enter: {
        x: { scale: 'x', value: 1 },
        x2: { scale: 'x', field: 'ratio' },
        y: { scale: 'y', field: 'name' },
        height: { scale: 'y', band: 1 },
        fill: [{ test: 'datum.ratio <= 1', value: colours[0] as string }, { value: colours[1] as string }],
      },
    },
  }
  const interval: Mark = {
    type: 'rule',
    from: { data: 'rows' },
    encode: {
      enter: { x: { scale: 'x', field: 'least' }, x2: { scale: 'x', field: 'most' }, y: middle, stroke: { value: 'black' } },
    },
  }
  const number: Mark = {
    type: 'text',
    from: { data: 'rows' },
    encode: {
      enter: {
        x: { signal: "datum.ratio <= 1 ? scale('x', datum.least) - 4 : scale('x', datum.most) + 4" },
        y: middle,
        align: [{ test: 'datum.ratio <= 1', value: 'right' }, { value: 'left' }],
        baseline: { value: 'middle' },
        fontSize: { value: 10 },
        text: { signal: "format(datum.ratio, '.2~r')" },
      },
    },
  }
  const x: PlotAxis = { title: plot.x, log: true, domain: [1 / farthest, farthest] }
  return await draw({
    ...frame({ ...plot, height: rows.length * barHeight }),
    data: [{ name: 'rows', values }],
    scales: [axisScale('x', x, 'x'), { name: 'y', type: 'band', domain: rows.map(({ name }) => name), range: 'height', padding: 0.25 }],
    axes: [axis('bottom', x, 'x'), { orient: 'left', scale: 'y', labelLimit: 600, ticks: false }],
    marks: [bar, interval, number],
  })
}
