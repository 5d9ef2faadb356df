/** Formats the results of the runs as text. */
import type { Result } from './run.ts'
import type { Verdict } from '@jel/simulator'

export function table(results: readonly Result[]): string {
  return results.map(paragraph).join('\n')
}

function paragraph({ scenario, seed, verdicts, unseen, endedLives, told, cost, work = [], lost, complaints }: Result): string {
  const sums = Object.entries(told).map(([event, times]) => `${times} ${event}`)
  return [
    `${scenario}, seed ${seed}`,
    verdictLines(verdicts),
    ...unseen.map((type) => `  -    ${type}: can't be seen from outside a node`),
    `  lives of running members that ended: ${endedLives.total}, ${endedLives.false} of them falsely`,
    `  told: ${sums.join(', ')}; a node: ${cost.bytes} B/s, ${cost.processor} % of a core, ${cost.memory} MB`,
    ...work.map((line) => `  jobs: ${line}`),
    ...(lost > 0 ? [`  NO  ${lost} processes ended by themselves`] : []),
    ...complaints.slice(0, 3).map((text) => `  said: ${text.slice(0, 160)}`),
  ].join('\n')
}

export function verdictLines(verdicts: readonly Verdict[]): string {
  return verdicts.map(({ what, held, seen }) => `  ${held ? 'yes' : 'NO '}  ${what}: ${seen}`).join('\n')
}
