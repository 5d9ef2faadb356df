import type { Outcome } from './outcome.ts'
import { knewAllAfterLastChange } from './csv.ts'
import type { Verdict } from './result.ts'

/**
 * One line: an expectation or a measurement, the number of runs in which it held, and the
 * observation.
 */
export interface SummaryLine {
  /** Undefined for a figure without an expectation. */
  readonly held?: boolean
  readonly what: string
  readonly runs: string
  readonly seen: string
}

/** A run that broke a promise or missed an expectation. */
export interface Failure {
  readonly title: string
  readonly text: string
  readonly outcome: Outcome
}

/** Summarizes all runs in a few lines. */
export function summaryOf(outcomes: readonly Outcome[]): { lines: SummaryLine[]; failures: Failure[] } {
  const failures = outcomes.flatMap((outcome) => failureOf(outcome) ?? [])
  const kept = outcomes.filter(({ result }) => result.violation === undefined)
  const whole = outcomes.filter(({ result }) => result.violation === undefined || result.verdicts.length > 0)
  const lines: SummaryLine[] = [
    {
      held: kept.length === outcomes.length,
      what: 'no promise is broken',
      runs: `${kept.length}/${outcomes.length}`,
      seen: outcomes.find(({ result }) => result.violation !== undefined)?.result.violation?.what ?? '',
    },
  ]
  for (const [index, { what }] of (whole[0]?.result.verdicts ?? []).entries()) {
    const verdicts = whole.map(({ result }) => result.verdicts[index])
    const held = verdicts.filter((verdict) => verdict?.held === true).length
    lines.push({ held: held === whole.length, what, runs: `${held}/${whole.length}`, seen: worstOf(verdicts) })
  }
  return { lines: [...lines, ...endedLives(outcomes), ...figures(whole)], failures }
}

/** Returns the observation of the worst run. */
function worstOf(verdicts: readonly (Verdict | undefined)[]): string {
  const badness = ({ held, value }: Verdict): readonly [number, number] => [held ? 0 : 1, value ?? (held ? -Infinity : Infinity)]
  const [worst] = verdicts
    .filter((verdict) => verdict !== undefined)
    .toSorted((a, b) => {
      const [[heldA, valueA], [heldB, valueB]] = [badness(a), badness(b)]
      return heldB - heldA || (valueA === valueB ? 0 : valueB - valueA)
    })
  if (worst === undefined) return ''
  return verdicts.length > 1 && worst.value !== undefined ? `${worst.seen} at worst` : worst.seen
}

/** Counts all runs, including runs that a broken promise stopped. */
function endedLives(outcomes: readonly Outcome[]): SummaryLine[] {
  const sum = (which: 'total' | 'false' | 'explained'): number => outcomes.reduce((all, { result }) => all + result.endedLives[which], 0)
  return [
    {
      what: 'lives of running members that ended',
      runs: `${outcomes.length}/${outcomes.length}`,
      seen: `${sum('total')} in all: ${sum('false')} falsely, ${sum('explained')} explained`,
    },
  ]
}

function figures(outcomes: readonly Outcome[]): SummaryLine[] {
  const lines: SummaryLine[] = []
  const add = (what: string, write: (value: number) => string, read: (outcome: Outcome) => number | undefined): void => {
    const values = outcomes
      .map(read)
      .filter((value) => value !== undefined)
      .sort((a, b) => a - b)
    const [least] = values
    const most = values.at(-1)
    if (least === undefined || most === undefined) return
    const median = values[Math.floor((values.length - 1) / 2)] as number
    lines.push({
      what,
      runs: `${values.length}/${outcomes.length}`,
      seen: values.length === 1 ? write(least) : `${write(median)} (${write(least)} to ${write(most)})`,
    })
  }
  add('all know all after the last change', seconds, ({ result }) => knewAllAfterLastChange(result))
  add('a crash is known, p50', seconds, ({ result }) => result.detection.p50)
  add('a crash is known, p99', seconds, ({ result }) => result.detection.p99)
  add('a silent host is known, p50', seconds, ({ result }) => result.silenceDetection.p50)
  add('a silent host is known, p99', seconds, ({ result }) => result.silenceDetection.p99)
  add('received a node', kilobytes, ({ result }) => result.received.mean)
  add('received by the worst node', kilobytes, ({ result }) => result.received.worst)
  add(
    'links a node',
    (links) => links.toFixed(1),
    ({ result }) => result.links.mean,
  )
  add('dials in the worst second', String, ({ result }) => result.dials.worstSecond)
  add('processors at work', percent, ({ result }) => result.computed?.efficiency)
  add('work done twice', percent, ({ result }) => result.computed?.doneTwice)
  return lines
}

function failureOf(outcome: Outcome): Failure | undefined {
  const { result, set } = outcome
  const title = `seed ${result.seed}${set.length === 0 ? '' : ` with ${set.join(', ')}`}`
  if (result.violation !== undefined) {
    const { time, node, what, before } = result.violation
    const where = `at ${(time / 1_000).toFixed(3)}s${node === undefined ? '' : `, node ${node}`}`
    return {
      title: `${title}: a promise was broken`,
      text: [`${where}: ${what}`, 'before that:', ...before.map((line) => `  ${line}`)].join('\n'),
      outcome,
    }
  }
  const broken = result.verdicts.filter(({ held }) => !held)
  if (broken.length === 0) return undefined
  return { title: `${title}: not as expected`, text: broken.map(({ what, seen }) => `${what}: ${seen}`).join('\n'), outcome }
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)} %`
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(3)}s`
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1_000).toFixed(1)}KB`
}
