import type { Axis as VegaAxis, Mark, Scale, Spec } from 'vega'

/** One axis. A logarithmic axis shows positive values only. */
export interface PlotAxis {
  readonly title: string
  /** The unit after the title, in parentheses. */
  readonly unit?: string
  readonly log?: boolean
  /**
   * The values at the two ends. Default: the range of the data. It starts at zero unless the axis
   * is logarithmic.
   */
  readonly domain?: readonly [from: number, to: number]
}

export interface PlotSeries {
  readonly name: string
  readonly points: readonly (readonly [x: number, y: number])[]
}

export interface LinePlot {
  readonly title: string
  readonly subtitle?: string
  readonly x: PlotAxis
  readonly y: PlotAxis
  readonly series: readonly PlotSeries[]
  /**
   * True if a value holds until the next value, as counts do. Default: straight lines from point to
   * point.
   */
  readonly steps?: boolean
  /** The size of the plot area in pixels. Default: 640 × 320. */
  readonly width?: number
  readonly height?: number
}

export interface BarPlot {
  readonly title: string
  readonly subtitle?: string
  readonly y: PlotAxis
  /** The names of the groups of bars, from left to right. */
  readonly groups: readonly string[]
  /** One bar in each group: `values` in the order of the groups, undefined for a missing bar. */
  readonly series: readonly { readonly name: string; readonly values: readonly (number | undefined)[] }[]
  readonly width?: number
  readonly height?: number
}

/**
 * Colours that colour-blind people can distinguish (Okabe and Ito). Further lines repeat them with
 * other dashes.
 */
export const colours = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#000000', '#7f7f7f']
const dashes = [
  [1, 0],
  [6, 3],
  [2, 2],
  [8, 3, 2, 3],
]

const defaultWidth = 640
const defaultHeight = 320
export const font = 'system-ui, sans-serif'

/**
 * Draws lines as an SVG document. It needs no browser and no network (vega's headless renderer).
 */
export async function linePlot(plot: LinePlot): Promise<string> {
  const rows = plot.series.flatMap(({ name, points }) =>
    points.filter(([x, y]) => shows(plot.x, x) && shows(plot.y, y)).map(([x, y]) => ({ x, y, series: name })),
  )
  const line: Mark = {
    type: 'group',
    clip: true,
    from: { facet: { name: 'one', data: 'rows', groupby: 'series' } },
    encode: { enter: { width: { signal: 'width' }, height: { signal: 'height' } } },
    marks: [
      {
        type: 'line',
        from: { data: 'one' },
        encode: {
          enter: {
            x: { scale: 'x', field: 'x' },
            y: { scale: 'y', field: 'y' },
            stroke: { scale: 'colour', field: 'series' },
            strokeDash: { scale: 'dash', field: 'series' },
            strokeWidth: { value: 2 },
            strokeJoin: { value: 'round' },
            interpolate: { value: plot.steps === true ? 'step-after' : 'linear' },
          },
        },
      },
    ],
  }
  const names = plot.series.map(({ name }) => name)
  return await draw({
    ...frame(plot),
    data: [{ name: 'rows', values: rows }],
    scales: [axisScale('x', plot.x, 'x'), axisScale('y', plot.y, 'y'), ...seriesScales(names)],
    axes: [axis('bottom', plot.x, 'x'), axis('left', plot.y, 'y')],
    legends: [{ stroke: 'colour', strokeDash: 'dash', symbolType: 'stroke', symbolSize: 400, symbolStrokeWidth: 2, labelLimit: 0 }],
    marks: [line],
  })
}

/** Draws groups of bars as an SVG document. */
export async function barPlot(plot: BarPlot): Promise<string> {
  const rows = plot.series.flatMap(({ name, values }) =>
    plot.groups.flatMap((group, i) => {
      const y = values[i]
      return y !== undefined && shows(plot.y, y) ? [{ group, series: name, y }] : []
    }),
  )
  const bars: Mark = {
    type: 'group',
    from: { facet: { name: 'one', data: 'rows', groupby: 'group' } },
    encode: { enter: { x: { scale: 'x', field: 'group' } } },
    signals: [{ name: 'width', update: "bandwidth('x')" }],
    scales: [{ name: 'place', type: 'band', domain: plot.series.map(({ name }) => name), range: 'width', padding: 0.1 }],
    marks: [
      {
        type: 'rect',
        from: { data: 'one' },
        encode: {
          enter: {
            x: { scale: 'place', field: 'series' },
            width: { scale: 'place', band: 1 },
            y: { scale: 'y', field: 'y' },
            y2: { signal: 'height' },
            fill: { scale: 'colour', field: 'series' },
          },
        },
      },
      {
        type: 'text',
        from: { data: 'one' },
        encode: {
          enter: {
            x: { scale: 'place', field: 'series', band: 0.5 },
            y: { scale: 'y', field: 'y', offset: -4 },
            align: { value: 'center' },
            fontSize: { value: 9 },
            text: { signal: "format(datum.y, datum.y < 100 ? '.3~r' : ',.0f')" },
          },
        },
      },
    ],
  }
  const names = plot.series.map(({ name }) => name)
  return await draw({
    ...frame(plot),
    data: [{ name: 'rows', values: rows }],
    scales: [
      { name: 'x', type: 'band', domain: [...plot.groups], range: 'width', padding: 0.15 },
      axisScale('y', plot.y, 'y'),
      ...seriesScales(names),
    ],
    axes: [{ orient: 'bottom', scale: 'x', ticks: false }, axis('left', plot.y, 'y')],
    legends: names.length > 1 ? [{ fill: 'colour', symbolType: 'square', labelLimit: 0 }] : [],
    marks: [bars],
  })
}

function shows({ log }: PlotAxis, value: number): boolean {
  return Number.isFinite(value) && (log !== true || value > 0)
}

export function frame(plot: Pick<LinePlot, 'title' | 'subtitle' | 'width' | 'height'>): Spec {
  return {
    width: plot.width ?? defaultWidth,
    height: plot.height ?? defaultHeight,
    padding: 12,
    background: 'white',
    title: {
      text: plot.title,
      ...(plot.subtitle !== undefined && { subtitle: plot.subtitle }),
    },
    config: {
      title: { anchor: 'start', font, fontSize: 14, subtitleFont: font, subtitleColor: '#555', offset: 10 },
      axis: { titleFont: font, titleFontSize: 12, titleFontWeight: 'normal', labelFont: font, labelFontSize: 11, gridColor: '#e4e4e4' },
      legend: { labelFont: font, labelFontSize: 12, symbolFillColor: 'transparent' },
      text: { font },
    },
  }
}

export function axisScale(name: string, { log, domain }: PlotAxis, field: 'x' | 'y'): Scale {
  const automatic = domain === undefined
  const scale = {
    name,
    range: field === 'x' ? ('width' as const) : ('height' as const),
    domain: automatic ? { data: 'rows', field } : [...domain],
    nice: automatic,
  }
  return log === true ? { ...scale, type: 'log' } : { ...scale, type: 'linear', zero: automatic }
}

function seriesScales(names: readonly string[]): Scale[] {
  const cycled = names.map((_, i) => Math.floor(i / colours.length) % dashes.length)
  return [
    { name: 'colour', type: 'ordinal', domain: [...names], range: names.map((_, i) => colours[i % colours.length] as string) },
    { name: 'dash', type: 'ordinal', domain: [...names], range: cycled.map((i) => dashes[i] as number[]) },
  ]
}

export function axis(orient: 'bottom' | 'left', { title, unit, log }: PlotAxis, scale: string): VegaAxis {
  return {
    orient,
    scale,
    title: unit === undefined ? title : `${title} (${unit})`,
    grid: true,
    labelOverlap: true,
    ...(log === true ? { tickCount: 8, format: ',~r' } : { tickCount: 8 }),
  }
}

export async function draw(spec: Spec): Promise<string> {
  // The first use loads vega, because loading takes a quarter of a second.
  const { parse, View } = await import('vega')
  const view = new View(parse(spec), { renderer: 'none' })
  try {
    return await view.toSVG()
  } finally {
    view.finalize()
  }
}
