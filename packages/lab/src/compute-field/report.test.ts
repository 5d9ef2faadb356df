import { expect, it } from 'vitest'
import { shown, type ComputeData, type Measured } from './report.ts'
import type { Figures } from './rows.ts'

function contender(name: string, figures: Figures, never: Measured['never'] = {}): Measured {
  return { name, form: 'as it is', figures, never }
}

function textOf(...contenders: readonly Measured[]): string {
  const data: ComputeData = { runs: 3, seconds: 20, contenders, skipped: ['Dask is not here'], tuned: [], papers: [] }
  return shown.text(data)
}

/** The cells of a row, trimmed. */
function row(text: string, what: string): string[] {
  const line = text.split('\n').find((each) => each.startsWith(`| ${what} `))
  return line?.split('|').map((each) => each.trim()) ?? []
}

it('shows the median and the worst value, which is the least value if more is better', () => {
  const text = textOf(contender('jel', { rate: [4000, 3500, 2000], worker: [0.2, 0.9, 0.4] }))
  expect(row(text, 'tasks that do nothing')).toContain('3500 (2000)')
  expect(row(text, 'SIGKILL of a worker: beyond ideal')).toContain('0.40 (0.90)')
})

it('judges the medians of our grid by targets, one of which is the median of BullMQ', () => {
  const ours = { busy100: [97, 98, 99], busy10: [89, 89, 95], holder: [0.5, 0.5, 3] }
  const text = textOf(contender('jel', ours), contender('BullMQ', { busy100: [97.5], busy10: [99] }))
  expect(row(text, 'tasks of 100 ms: at work').slice(-3)).toEqual(['≥ BullMQ', 'yes', ''])
  expect(row(text, 'tasks of 10 ms: at work').slice(-3)).toEqual(['≥ 90', 'no', ''])
  expect(row(text, 'SIGKILL of what holds the job: beyond ideal').slice(-3)).toEqual(['≤ 1', 'yes', ''])
})

it('lists the rows that never ended, with the reason, and the absent contenders', () => {
  const text = textOf(contender('BullMQ', { holder: [Infinity] }, { holder: 'nothing for 9 s' }))
  expect(row(text, 'SIGKILL of what holds the job: beyond ideal')).toContain('never')
  expect(text).toContain('- BullMQ, SIGKILL of what holds the job: beyond ideal: never; nothing for 9 s.')
  expect(text).toContain('- Skipped: Dask is not here.')
})

it('marks a trial, and warns of chance after a single run', () => {
  const data: ComputeData = { runs: 1, seconds: 2, contenders: [], skipped: [], tuned: [], papers: [] }
  expect(shown.text(data)).toContain('**A trial**')
  expect(shown.text({ ...data, seconds: 20 })).toContain('1 run of jobs of 20 s: a difference of some percent may be chance')
  expect(shown.text({ ...data, seconds: 20, runs: 3 })).not.toContain('chance')
})
