/** The figures of all contenders side by side, and those of the papers' programs. */
import { barPlot } from '@jel/simulator'
import type { Shown } from '../base/figures.ts'
import { figure, markdownTable } from '../base/markdown.ts'
import { median, quantile } from '../base/quantiles.ts'
import type { PaperRun } from './papers.ts'
import { kindOf, LENGTHS, ROWS, type Figures, type Row } from './rows.ts'

export interface Measured {
  readonly name: string
  /** The processes and versions. */
  readonly form: string
  readonly figures: Figures
  /** Rows in which the job never ended, each with the reason. */
  readonly never: Partial<Record<Row, string>>
}

export interface ComputeData {
  readonly runs: number
  /** Planned duration of each job whose efficiency was measured, s. */
  readonly seconds: number
  readonly contenders: readonly Measured[]
  /** Skipped measurements, each with the reason. */
  readonly skipped: readonly string[]
  /** The settings of the tuned rows. */
  readonly tuned: readonly string[]
  readonly papers: readonly PaperRun[]
}

/** The contender to which the targets apply. */
const OURS = 'jel'

/** More is better in rows whose target is a lower bound. */
export function isMoreBetter(row: Row): boolean {
  const { target } = kindOf(row)
  return target !== undefined && !('most' in target)
}

function worst(row: Row, values: readonly number[]): number {
  return quantile(values, isMoreBetter(row) ? 0 : 1)
}

function cell(row: Row, values: readonly number[] = []): string {
  if (values.length === 0) return '–'
  return values.length === 1 ? figure(median(values)) : `${figure(median(values))} (${figure(worst(row, values))})`
}

/** The target of `jel`'s grid in a row, and whether the median meets it. */
function judge(row: Row, contenders: readonly Measured[]): [target: string, met: string] {
  const { target } = kindOf(row)
  const medianOf = (name: string): number => median(contenders.find((each) => each.name === name)?.figures[row] ?? [])
  const value = medianOf(OURS)
  if (target === undefined || Number.isNaN(value)) return ['', '']
  if ('most' in target) return [`≤ ${target.most}`, value <= target.most ? 'yes' : 'no']
  const least = 'least' in target ? target.least : medianOf(target.leastOf)
  const said = 'least' in target ? `≥ ${target.least}` : `≥ ${target.leastOf}`
  return [said, Number.isNaN(least) ? '' : value >= least ? 'yes' : 'no']
}

function contendersTable(contenders: readonly Measured[]): string {
  const rows = (Object.keys(ROWS) as Row[]).filter((row) => contenders.some(({ figures }) => figures[row] !== undefined))
  return markdownTable(
    ['row', 'unit', ...contenders.map(({ name }) => name), 'target for jel', 'met'],
    rows.map((row) => {
      const { what, unit } = kindOf(row)
      return [what, unit, ...contenders.map(({ figures }) => cell(row, figures[row])), ...judge(row, contenders)]
    }),
  )
}

function papersTable(papers: readonly PaperRun[]): string {
  return markdownTable(
    ['program', 'the paper', 'one worker', 'two', 'speed-up', 'of ideal', 'η', 'right'],
    papers.map(({ name, paper, ms: [one, two], eta, isRight }) => [
      name,
      paper,
      `${figure(one / 1000)} s`,
      `${figure(two / 1000)} s`,
      figure(one / two),
      `${figure((one * 100) / two / 2)} %`,
      figure(eta),
      isRight ? 'yes' : 'no',
    ]),
  )
}

/** Shorter jobs are only a trial. With fewer runs, a difference of some percent may be chance. */
const ENOUGH = { runs: 3, seconds: 20 }

function text({ runs, seconds, contenders, skipped, tuned, papers }: ComputeData): string {
  const trial = `**A trial**, which shows that all rows can be measured, and nothing else: jobs of ${seconds} s, and ${runs} ${runs === 1 ? 'run' : 'runs'}.`
  const few = `${runs} ${runs === 1 ? 'run' : 'runs'} of jobs of ${seconds} s: a difference of some percent may be chance.`
  const caution = seconds < ENOUGH.seconds ? trial : runs < ENOUGH.runs ? few : ''
  const forms = contenders.map(({ name, form }) => `- **${name}**: ${form}.`)
  const nevers = contenders.flatMap(({ name, never }) =>
    (Object.entries(never) as [Row, string][]).map(([row, why]) => `- ${name}, ${kindOf(row).what}: never; ${why}.`),
  )
  return [
    caution,
    forms.join('\n'),
    contendersTable(contenders),
    [...tuned.map((how) => `- Tuned: ${how}.`), ...nevers, ...skipped.map((why) => `- Skipped: ${why}.`)].join('\n'),
    papers.length === 0 ? '' : papersTable(papers),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

async function draw({ contenders }: ComputeData): Promise<string> {
  const lengths = LENGTHS.toReversed()
  return await barPlot({
    title: 'Two workers on two cores: how much of the cores is at tasks',
    subtitle: 'jel, BullMQ and Dask are processes that talk to each other; computeLocal and piscina are one process. Medians',
    y: { title: 'of two cores', unit: '%', domain: [0, 110] },
    groups: lengths.map((ms) => `tasks of ${ms} ms`),
    series: contenders.map(({ name, figures }) => ({
      name,
      values: lengths.map((ms) => {
        const values = figures[`busy${ms}`]
        return values === undefined ? undefined : median(values)
      }),
    })),
  })
}

export const shown: Shown<ComputeData> = {
  name: 'compute',
  document: 'docs/compute-benchmarks.md',
  section: 'compute',
  of: ['protocol', 'overlay', 'compute'],
  text,
  picture: { file: 'docs/compute.svg', draw },
}
