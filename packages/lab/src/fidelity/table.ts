/** The measurements of the trials, side by side. */
import type { Shown } from '../base/figures.ts'
import { figure, markdownTable } from '../base/markdown.ts'
import { mean, summarize, type Summary } from '../base/quantiles.ts'
import type { Tally } from '../swarm/tally.ts'
import type { Trial } from './trial.ts'

/** The trials of one kind of swarm: one for each seed, or a single trial on real hosts. */
export interface Column {
  readonly title: string
  readonly trials: readonly Trial[]
}

/** Largest difference, as a share, that counts as agreement. */
const tolerance = 0.15

const timings = [
  ['join: entered until told to a member', 'join'],
  ['join: call until told to the last', 'joinFromCall'],
  ['leave: call until told to a member', 'leave'],
  ['crash: kill until told to a member', 'crash'],
] as const

const phases = [
  ['forming the pool', 'forming'],
  ['one join and leave', 'comeAndGo'],
  ['a second of rest', 'idleSecond'],
  ['one crash', 'oneCrash'],
] as const

const counts: readonly (readonly [string, keyof Tally, number])[] = [
  ['messages', 'frames', 1],
  ['their bytes, KB', 'frameBytes', 1_000],
  ['published', 'published', 1],
  ['TCP payload, KB', 'streamBytes', 1_000],
  ['links', 'links', 1],
  ['processor, ms', 'processor', 1],
]

/** A table of two columns that should agree, with their differences. */
export function table([simulated, real]: readonly [Column, Column]): string {
  const header = ['', simulated.title, real.title, 'difference', `within ${tolerance * 100} %`]
  const rows: string[][] = []
  const add = (name: string, a: number, b: number, judged: boolean): void => {
    const difference = a === b ? 0 : a / b - 1
    const verdict = judged ? (Math.abs(difference) <= tolerance ? 'yes' : 'no') : ''
    rows.push([name, figure(a), figure(b), `${difference >= 0 ? '+' : '−'}${Math.abs(difference * 100).toFixed(0)} %`, verdict])
  }
  for (const [name, key] of timings) {
    const [a, b] = [simulated, real].map(({ trials }) => summarize(trials.flatMap((trial) => trial[key]))) as [Summary, Summary]
    add(`${name}, median ms`, a.median, b.median, true)
    add(`${name}, worst ms`, a.worst, b.worst, false)
  }
  add('news that somebody was not told', untold(simulated), untold(real), false)
  for (const [phase, key] of phases) {
    for (const [name, count, unit] of counts) {
      const [a, b] = [simulated, real].map(({ trials }) => mean(trials.map((trial) => trial[key][count])) / unit)
      if (a !== undefined && b !== undefined && (a > 0 || b > 0)) add(`${phase}: ${name}`, a, b, true)
    }
  }
  return markdownTable(header, rows)
}

function untold({ trials }: Column): number {
  return mean(trials.map((trial) => trial.untold))
}

/** The two columns for one size of the pool. */
export interface Section {
  readonly nodes: number
  readonly columns: readonly [Column, Column]
}

export const shown: Shown<readonly Section[]> = {
  name: 'fidelity',
  document: 'docs/fidelity.md',
  section: 'fidelity',
  text: (sections) => sections.map(({ nodes, columns }) => `#### ${nodes} nodes\n\n${table(columns)}`).join('\n\n'),
}
