import type { Scenario } from '../scenario/scenario.ts'
import type { Outcome } from './outcome.ts'
import { overlayDot } from './overlay.ts'
import { overlayPlot } from './overlay-plot.ts'
import { runsCsv, samplesCsv } from './csv.ts'
import type { OutputFolder } from './folder.ts'
import { htmlReport } from './html.ts'
import { reportPlots } from './plots.ts'

/** Writes all output of a scenario's runs. `command` is the command line that repeats the runs. */
export async function writeOutput(folder: OutputFolder, scenario: Scenario, outcomes: readonly Outcome[], command: string): Promise<void> {
  const plots = await reportPlots(outcomes)
  folder.write('report.html', htmlReport(scenario, outcomes, plots, command))
  folder.write('runs.json', `${JSON.stringify({ command, scenario, runs: outcomes.map(({ set, result }) => ({ set, ...result })) })}\n`)
  folder.write('runs.csv', runsCsv(outcomes))
  folder.write('samples.csv', samplesCsv(outcomes))
  for (const outcome of outcomes) {
    const { nodes, links } = outcome.overlay
    const subtitle = `${nodes.length} nodes and ${links.length} links at the end, seed ${outcome.seed}`
    folder.write(`${runName(outcome)}.dot`, overlayDot(outcome.overlay))
    folder.write(`${runName(outcome)}.svg`, overlayPlot(outcome.overlay, { title: scenario.name, subtitle }))
  }
}

/** Returns the name of one run's files, without extension. */
export function runName({ set, seed }: Pick<Outcome, 'set' | 'seed'>): string {
  return [...set.map((assignment) => assignment.replaceAll(/[^\w.=-]+/gu, '_')), `seed-${seed}`].join('_')
}
