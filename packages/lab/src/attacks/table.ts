/** The outcomes as a Markdown table, with figures before, during and after each attack. */
import type { Shown } from '../base/figures.ts'
import { markdownRow } from '../base/markdown.ts'
import { attacks } from './all.ts'
import type { Outcome, Phase } from './trial.ts'

const header = [
  'attack',
  'honest seen',
  'strangers',
  'false deaths',
  'reign',
  'processor %',
  'memory MB',
  'sent KB/s',
  'longest wait ms',
  'newcomer ms',
  'sent away',
]

function number(value: number): string {
  return Number.isNaN(value) ? 'never' : value.toFixed(value < 10 ? 1 : 0)
}

function three({ before, during, after }: Outcome, figure: (phase: Phase) => string): string {
  return [before, during, after].map(figure).join(' / ')
}

function row(outcome: Outcome): string[] {
  const reigns = [outcome.before, outcome.during, outcome.after].map(({ figures }) => figures.reigns.join(' and '))
  return [
    outcome.attack.name,
    three(outcome, ({ figures }) => `${figures.fewest} of ${figures.honest}`),
    three(outcome, ({ figures }) => String(figures.strangers)),
    three(outcome, ({ figures }) => String(figures.falseDeaths)),
    reigns.every((reign) => reign === reigns[0])
      ? 'the same'
      : reigns.map((reign) => reign.replaceAll(/12D3KooW\w{38}/gu, '…')).join(' / '),
    three(outcome, ({ processor }) => number(processor)),
    `${three(outcome, ({ memory }) => number(memory))} (at most ${number(outcome.peak)})`,
    three(outcome, ({ written }) => number(written)),
    three(outcome, ({ figures }) => number(figures.lag)),
    three(outcome, ({ newcomer }) => number(newcomer)),
    outcome.dropped === undefined ? 'no' : `after ${number(outcome.dropped)} ms`,
  ]
}

export function table(outcomes: readonly Outcome[]): string {
  const lines = [header, header.map(() => '---'), ...outcomes.map(row)].map(markdownRow)
  const notes = outcomes.map(({ attack, remark, breaches }) => {
    // Kept outcomes have the descriptions from the time of their measurement.
    const { name, does, bound } = attacks.find((each) => each.name === attack.name) ?? attack
    return `- **${name}**: ${does}. Bound: ${bound}.${remark === undefined ? '' : ` Seen: ${remark}.`}${breaches.map((breach) => ` **Broken: ${breach}.**`).join('')}`
  })
  return [...lines, '', ...notes].join('\n')
}

interface AttacksData {
  readonly nodes: number
  /** Duration of each attack, s. */
  readonly seconds: number
  readonly outcomes: readonly Outcome[]
}

export const shown: Shown<AttacksData> = {
  name: 'attacks',
  document: 'docs/attacks.md',
  section: 'attacks',
  text: ({ nodes, seconds, outcomes }) => `${nodes} nodes in one process, each attack ${seconds} s.\n\n${table(outcomes)}`,
}
