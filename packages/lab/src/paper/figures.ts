/** Draws the curves, the bars and the overlay as SVG. */
import { barPlot, linePlot, loadScenario, overlayPlot, runScenario, shippedScenarios } from '@jel/simulator'
import { contenders, titles } from './contender.ts'
import { experiments, type ExperimentName } from './experiment.ts'
import { Outcome, spreadOf } from './outcome.ts'
import { tableTwo } from './paper.ts'
import type { TrialResult } from './trial.ts'

const drawn: readonly ExperimentName[] = ['figure-5', 'figure-6', 'figure-7', 'figure-8']

/** Returns the content of each file by its name. */
export async function draw(results: readonly TrialResult[]): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  for (const name of drawn) {
    const curves = await curvesOf(name, results)
    if (curves !== undefined) files.set(`${name}.svg`, curves)
  }
  files.set('table-2.svg', await bars(new Outcome(results, 1)))
  files.set('figure-9.svg', overlay())
  return files
}

/** Draws the curves of one seed, for the largest pool among the results. */
async function curvesOf(name: ExperimentName, results: readonly TrialResult[]): Promise<string | undefined> {
  const found = results.filter(({ experiment, curve }) => experiment === name && curve !== undefined)
  const scale = Math.max(...found.map((result) => result.scale))
  const shown = found.filter((result) => result.scale === scale)
  const [first] = shown
  if (first === undefined) return undefined
  const curve = ({ curve: points = [] }: TrialResult, of: 1 | 2): (readonly [number, number])[] =>
    points.map((point) => [point[0], point[of]])
  return await linePlot({
    title: experiments[name].title,
    subtitle: `average perceived pool size (§6.1), re-run in the simulator with ${first.nodes} nodes, one seed`,
    x: { title: 'time', unit: 's' },
    y: { title: 'average perceived pool size', unit: 'nodes', domain: [0, first.nodes * 1.05] },
    series: [
      ...shown.map((result) => ({ name: titles[result.contender], points: curve(result, 1) })),
      { name: 'true pool size', points: curve(first, 2) },
    ],
  })
}

async function bars(outcome: Outcome): Promise<string> {
  const mean = (contender: (typeof contenders)[number]): number | undefined =>
    spreadOf(outcome.of('table-2', contender).map(({ payload }) => payload.mean))?.median
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

/** Draws the links of this project's pool on the sites of Table IV. */
function overlay(): string {
  const file = shippedScenarios().get('wide-area-world')
  if (file === undefined) throw new RangeError('there is no scenario wide-area-world')
  const scenario = loadScenario(file, ['expect=[]', 'actions=[]'])
  const { overlay: pool } = runScenario({ scenario, seed: 1 })
  const subtitle = `${pool.nodes.length} nodes, ${pool.links.length} links, after ${scenario.duration / 1_000} s: jel simulate wide-area-world`
  return overlayPlot(pool, { title: 'Figure 9: the links of this project’s pool on the sites of Table IV', subtitle })
}
