/** The table of a run. */
import { markdownTable } from '../base/markdown.ts'
import { kinds } from './schedule.ts'
import type { Result } from './run.ts'

/** Maximum number of printed problems. The first ones tell most. */
const PRINTED = 20

export function report({ title, faults, skipped, history, problems, unsettled, gaps, entries, longest, stalled }: Result): string {
  const { acknowledged, refused, unknown } = history.counts
  const rows = kinds.flatMap((kind) => {
    const all = faults.filter((fault) => fault.kind === kind)
    const reasons = skipped.filter(([each]) => each === kind)
    if (all.length + reasons.length === 0) return []
    const most = (values: readonly number[]): string => (values.length === 0 ? '' : seconds(Math.max(...values)))
    return [
      [
        kind,
        String(all.length),
        reasons.length === 0 ? '' : `${reasons.length}: ${reasons.at(-1)?.[1]}`,
        most(all.map(({ pause }) => pause)),
        most(all.map(({ first }) => first)),
        most(all.map((fault) => fault.all)),
      ],
    ]
  })
  const printed = problems.slice(0, PRINTED).map((problem) => `- ${problem}`)
  return [
    title,
    '',
    markdownTable(['fault', 'times', 'skipped', 'longest pause', 'heal to first answer, worst', 'to answers of all, worst'], rows),
    '',
    `operations: ${acknowledged} acknowledged, ${unknown} unknown, ${refused} refused; longest pause ${seconds(longest)}`,
    `the ledger has ${entries} entries at the end`,
    `this process got no processor for up to ${seconds(stalled)}`,
    ...(unsettled === 0 ? [] : [`${unsettled} times the voters were not whole in time before a fault`]),
    ...(gaps === 0 ? [] : [`${gaps} times a member fell behind, and said that it lost events`]),
    ...printed,
    ...(problems.length > PRINTED ? [`- and ${problems.length - PRINTED} more`] : []),
    problems.length === 0 ? 'passed' : `failed: ${problems.length} problems`,
  ].join('\n')
}

function seconds(ms: number): string {
  return ms === Infinity ? 'never' : `${(ms / 1_000).toFixed(2)} s`
}
