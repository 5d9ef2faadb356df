import type { Outcome } from './outcome.ts'
import { barPlot, linePlot, type PlotSeries } from './plot.ts'
import type { Samples } from './result.ts'
import { bySettings } from './settings.ts'

/**
 * Nobody can distinguish more lines than this. With more runs the plot shows the median of each
 * setting. Without several settings it shows the median, the least and the most of all runs.
 */
const maxLines = 6

type Column = Exclude<keyof Samples, 'time' | 'winners'>

/** Returns the plots of a report, as SVG documents. */
export async function reportPlots(outcomes: readonly Outcome[]): Promise<string[]> {
  const line = async (
    title: string,
    unit: string,
    read: (samples: Samples) => readonly number[],
    extra: PlotSeries[] = [],
  ): Promise<string> =>
    linePlot({
      title,
      x: { title: 'time', unit: 's' },
      y: { title: unit },
      series: [...extra, ...seriesOf(outcomes, read)],
      steps: true,
    })
  const elections = [...new Set(outcomes.flatMap(({ result }) => Object.keys(result.samples.winners)))]
  const [first] = outcomes
  const nodes: PlotSeries[] =
    first === undefined ? [] : [{ name: 'nodes', points: pointsOf(first.result.samples, first.result.samples.nodes) }]
  const column = (name: Column) => (samples: Samples) => samples[name]
  return [
    await line('Perceived pool size', 'nodes', column('perceived'), nodes),
    await line('Views that are right', 'nodes', column('right')),
    ...(await Promise.all(
      elections.map(async (election) => line(`Winners of ${election}`, 'winners', (samples) => samples.winners[election] ?? [])),
    )),
    await line('Received', 'bytes a node', column('bytes')),
    await line('Links', 'links a node', column('links')),
    await line('Dials', 'dials in the pool', column('dials')),
    await trafficPlot(outcomes),
  ]
}

async function trafficPlot(outcomes: readonly Outcome[]): Promise<string> {
  const groups = [...new Set(outcomes.flatMap(({ result }) => Object.keys(result.received.byPurpose)))]
  const settings = bySettings(outcomes)
  return barPlot({
    title: 'What was received',
    y: { title: 'bytes a node' },
    groups,
    series: settings.map(({ set, outcomes: runs }) => ({
      name: set.length === 0 ? 'mean of all runs' : set.join(' '),
      values: groups.map((group) => runs.reduce((sum, { result }) => sum + (result.received.byPurpose[group] ?? 0), 0) / runs.length),
    })),
  })
}

function seriesOf(outcomes: readonly Outcome[], read: (samples: Samples) => readonly number[]): PlotSeries[] {
  if (outcomes.length <= maxLines) {
    return outcomes.map(({ seed, set, result: { samples } }) => ({
      name: [...set, `seed ${seed}`].join(' '),
      points: pointsOf(samples, read(samples)),
    }))
  }
  const settings = bySettings(outcomes)
  if (settings.length > 1) return settings.map(({ set, outcomes: runs }) => quantile(set.join(' '), 0.5, runs, read))
  return [quantile('median of the runs', 0.5, outcomes, read), quantile('least', 0, outcomes, read), quantile('most', 1, outcomes, read)]
}

function quantile(name: string, share: number, outcomes: readonly Outcome[], read: (samples: Samples) => readonly number[]): PlotSeries {
  const rows = Math.max(...outcomes.map(({ result }) => result.samples.time.length))
  const longest = outcomes.find(({ result }) => result.samples.time.length === rows)?.result.samples.time ?? []
  return {
    name,
    points: longest.map((time, row) => {
      const values = outcomes.flatMap(({ result }) => read(result.samples)[row] ?? []).sort((a, b) => a - b)
      return [time / 1_000, values[Math.round(share * (values.length - 1))] ?? 0] as const
    }),
  }
}

function pointsOf(samples: Samples, values: readonly number[]): [number, number][] {
  return values.map((value, row) => [(samples.time[row] ?? 0) / 1_000, value])
}
