import { summaryOf, type Outcome, type Scenario, type SummaryLine } from '@jel/simulator'
import pc from 'picocolors'

/** The flags of `jel simulate`. */
export interface SimulateFlags {
  readonly seeds?: string
  readonly set: readonly string[]
  readonly sweep: readonly string[]
  readonly out?: string
  readonly trace?: boolean
  readonly workers?: number
  readonly replay?: string
  readonly shrink?: string
  readonly list?: boolean
}

/** Prints the results of the runs of a scenario. */
export function show(file: string, flags: SimulateFlags, scenario: Scenario, set: readonly string[], outcomes: readonly Outcome[]): void {
  const { lines, failures } = summaryOf(outcomes)
  const what = [`${scenario.nodes} nodes`, `${outcomes.length} ${outcomes.length === 1 ? 'seed' : 'seeds'}`, ...set]
  print(`\n${pc.bold(scenario.name)}: ${what.join(', ')}`)
  const width = Math.max(...lines.map((line) => line.what.length))
  for (const line of lines) print(`  ${markOf(line)} ${line.what.padEnd(width)}  ${line.runs.padStart(7)}  ${line.seen}`)
  for (const { title, text, outcome } of failures) {
    print(`\n${pc.red(title)}\n${text.replaceAll(/^/gmu, '  ')}`)
    const command = [
      'jel simulate',
      quoted(file),
      ...[...flags.set, ...set].map((each) => `--set ${quoted(each)}`),
      `--replay ${outcome.seed}:${outcome.result.traceHash}`,
    ]
    print(`  replay: ${command.join(' ')}`)
    print(`  make it smaller: ${command.join(' ')} --shrink smaller.yaml`)
  }
}

function markOf({ held }: SummaryLine): string {
  if (held === undefined) return pc.dim('·   ')
  return held ? pc.green('ok  ') : pc.red('FAIL')
}

/** Returns the command that makes the same runs. */
export function commandOf(file: string, flags: SimulateFlags): string {
  return [
    'jel simulate',
    quoted(file),
    ...(flags.seeds === undefined ? [] : [`--seeds ${flags.seeds}`]),
    ...flags.set.map((each) => `--set ${quoted(each)}`),
    ...flags.sweep.map((each) => `--sweep ${quoted(each)}`),
    ...(flags.replay === undefined ? [] : [`--replay ${flags.replay}`]),
  ].join(' ')
}

/** Quotes a word for a shell. */
function quoted(word: string): string {
  return /^[\w./=,:%+-]+$/u.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
