/** The curves as SVG and CSV. */
import { barPlot, linePlot } from '@jel/simulator'
import { contenders, label, titles } from './contender.ts'
import { experiments, type Experiment } from './experiment.ts'
import type { Outcome } from './outcome.ts'
import { tableTwo } from './paper.ts'
import type { TrialResult } from './trial.ts'

/** Files by name. */
export async function draw(outcome: Outcome): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  for (const experiment of experiments) {
    const results = experiment.contenders.map((contender) => outcome.of(experiment.name, contender)).filter((each) => each !== undefined)
    if (results.length === 0) continue
    files.set(`${experiment.name}.svg`, await curves(experiment, results))
    files.set(`${experiment.name}.csv`, columns(results))
  }
  files.set('table-2.svg', await bars(outcome))
  return files
}

async function curves({ title, shown, bursts }: Experiment, results: readonly TrialResult[]): Promise<string> {
  // Smaller runs are drawn to the scale of the experiment.
  const [first] = results
  const truth = {
    name: 'true pool size',
    points: (first?.samples ?? []).map(([time, , present]) => [time, present / (first?.scale ?? 1)] as const),
  }
  const series = results.map((result) => ({
    name: label(result),
    points: result.samples.map(([time, perceived]) => [time, perceived / result.scale] as const),
  }))
  const nodes = bursts.reduce((sum, burst) => sum + burst.nodes, 0)
  return await linePlot({
    title,
    subtitle: 'average perceived pool size (§6.1), re-run in the simulator',
    x: { title: 'time', unit: 's', domain: [0, shown] },
    y: { title: 'average perceived pool size', unit: 'nodes', domain: [0, nodes * 1.05] },
    series: [...series, truth],
  })
}

function columns(results: readonly TrialResult[]): string {
  const [first] = results
  const head = ['seconds', 'true pool size', ...results.map(({ contender }) => contender)]
  const rows = (first?.samples ?? []).map(([time, , present], i) =>
    [time, present, ...results.map(({ samples }) => samples[i]?.[1] ?? '')].join(),
  )
  return `${[head.join(), ...rows].join('\n')}\n`
}

async function bars(outcome: Outcome): Promise<string> {
  const mean = (contender: (typeof contenders)[number]): number | undefined => outcome.of('figure-6', contender)?.payload.mean
  return await barPlot({
    title: 'Table II: transferred by a node, sent and received, join test with 2,000 nodes',
    subtitle: 'payload, as the paper counts',
    y: { title: 'average a node', unit: 'MB', log: true, domain: [0.1, 100] },
    groups: contenders.map((contender) => titles[contender]),
    series: [
      { name: 'paper', values: contenders.map((contender) => tableTwo[contender]?.mean) },
      { name: 're-run', values: contenders.map(mean) },
    ],
    width: 800,
  })
}
