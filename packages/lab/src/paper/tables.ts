/** The figures as tables in Markdown. */
import { markdownTable } from '../base/markdown.ts'
import { claims, seenOf, verdictOf } from './claims.ts'
import { contenders, titles, type Contender } from './contender.ts'
import { experiments, type ExperimentName } from './experiment.ts'
import { joined, Outcome, spreadOf, survived, type Spread } from './outcome.ts'
import { tableTwo } from './paper.ts'
import { small } from './plans.ts'
import type { TrialResult } from './trial.ts'
import { variations } from './variation.ts'

type Figure = (result: TrialResult) => number | undefined

/** Returns the tables, each by the name of its place in the document. */
export function tables(results: readonly TrialResult[]): Map<string, string> {
  const whole = new Outcome(results, 1)
  const both = [whole, new Outcome(results, small)]
  const made = new Map<string, string>([['claims', claimTable(results)]])
  for (const name of ['figure-5', 'figure-6', 'table-3'] as const) {
    made.set(
      name,
      sideBySide(name, both, [
        ['average at 50 %', ({ half }) => half],
        ['average at 99 %', ({ nearly }) => nearly],
        ['all know all', (result) => joined(result)],
      ]),
    )
  }
  const waves: readonly (readonly [string, Figure])[] = [
    ['first wave', (result) => joined(result)],
    ['second wave', (result) => joined(result, 1)],
  ]
  made.set('figure-7', sideBySide('figure-7', both, [...waves, ['leaves', survived]]))
  made.set(
    'figure-8',
    sideBySide('figure-8', both, [...waves, ['half of the news of crashes', ({ crash }) => crash?.half], ['all survivors know', survived]]),
  )
  made.set('table-2', traffic(whole))
  made.set('open', sensitivity(results))
  return made
}

function claimTable(results: readonly TrialResult[]): string {
  const [whole, fifth] = [new Outcome(results, 1), new Outcome(results, small)]
  const rows = claims.map((claim) => {
    const standard = verdictOf(claim, fifth)
    const others = variations
      .filter(({ experiments: tried }) => claim.of.some((name) => tried.includes(name)))
      .flatMap(({ name, title }) => {
        const verdict = verdictOf(claim, new Outcome(results, small, name))
        return verdict === standard || verdict === 'not run' ? [] : [`${title}: ${verdict}`]
      })
    return [claim.where, claim.what, seenOf(claim, whole), bold(verdictOf(claim, whole)), bold(standard), others.join('; ')]
  })
  return markdownTable(['', 'claim', 'seen (medians, full size)', 'full size', 'a fifth', 'otherwise with'], rows)
}

function bold(verdict: string): string {
  return verdict === 'does not hold' ? `**${verdict}**` : verdict
}

function sideBySide(name: ExperimentName, outcomes: readonly Outcome[], columns: readonly (readonly [string, Figure])[]): string {
  const shown = outcomes.filter((outcome) => outcome.seeds([name]).length > 0)
  const head = ['', ...shown.flatMap((outcome) => columns.map(([title]) => `${sizeOf(name, outcome)}: ${title}`))]
  const rows = experiments[name].contenders.map((contender) => [
    titles[contender],
    ...shown.flatMap((outcome) => columns.map(([, figure]) => seconds(spreadOf(outcome.of(name, contender).map(figure))))),
  ])
  return markdownTable(head, rows)
}

function sizeOf(name: ExperimentName, outcome: Outcome): string {
  const [result] = contenders.flatMap((contender) => outcome.of(name, contender))
  return `${result?.nodes ?? 0} nodes`
}

function traffic(outcome: Outcome): string {
  const head = ['MB', 'server, paper', 'server, re-run', 'node, paper', 'node, re-run', 'node, on the wire', 'of that received']
  const rows = contenders.map((contender) => {
    const trials = outcome.of('table-2', contender)
    const paper = tableTwo[contender]
    const of = (figure: Figure): string => mega(spreadOf(trials.map(figure)))
    return [
      titles[contender],
      paper?.service === undefined ? '–' : String(paper.service),
      trials[0]?.payload.service === undefined ? '–' : of(({ payload }) => payload.service),
      paper === undefined ? '–' : String(paper.mean),
      of(({ payload }) => payload.mean),
      of(({ wire }) => wire.mean),
      of(({ received }) => received.mean),
    ]
  })
  return markdownTable(head, rows)
}

/** The effects of the settings that the paper leaves open. */
function sensitivity(results: readonly TrialResult[]): string {
  const figures: Readonly<Partial<Record<ExperimentName, readonly [string, Figure, (spread: Spread | undefined) => string]>>> = {
    'figure-5': ['Figure 5, 99 %', ({ nearly }) => nearly, seconds],
    'figure-6': ['Figure 6, 99 %', ({ nearly }) => nearly, seconds],
    'table-2': ['Table II, MB a node', ({ payload }) => payload.mean, mega],
    'figure-8': ['Figure 8, half of the news', ({ crash }) => crash?.half, seconds],
  }
  const rows = (Object.keys(figures) as ExperimentName[]).flatMap((name) => {
    const [title, figure, written] = figures[name] as NonNullable<(typeof figures)[ExperimentName]>
    const row = (label: string, which: readonly Contender[], variation?: string): string[] => {
      const outcome = new Outcome(results, small, variation)
      return [
        title,
        label,
        ...contenders.map((contender) => (which.includes(contender) ? written(spreadOf(outcome.of(name, contender).map(figure))) : '')),
      ]
    }
    const tried = variations.filter(({ experiments: names }) => names.includes(name))
    return [
      row('as the scenario is', experiments[name].contenders),
      ...tried.map((each) => row(each.title, each.contenders ?? experiments[name].contenders, each.name)),
    ]
  })
  return markdownTable(['', 'with', ...contenders.map((contender) => titles[contender])], rows)
}

function seconds(spread: Spread | undefined): string {
  return written(spread, (value) => value.toFixed(value < 1 ? 2 : 1), ' s')
}

function mega(spread: Spread | undefined): string {
  return written(spread, (value) => value.toFixed(value < 100 ? 2 : 0), '')
}

/** The median. The least and the largest value follow if they differ. */
function written(spread: Spread | undefined, digits: (value: number) => string, unit: string): string {
  if (spread === undefined) return '–'
  const show = (value: number): string => (value === Infinity ? 'never' : digits(value))
  const [median, least, most] = [spread.median, spread.least, spread.most].map(show)
  const shown = median === 'never' ? 'never' : `${median}${unit}`
  return least === most ? shown : `${shown} (${least} to ${most})`
}
