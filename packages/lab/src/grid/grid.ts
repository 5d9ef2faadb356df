/**
 * Runs jobs on a virtual grid. Measures the load of its processors, and the repeated work after a
 * crash. Tests that every job under chaos ends with its result.
 */
import { runChaos } from '@jel/simulator/internals'
import { markdownTable } from '../base/markdown.ts'
import { mean } from '../base/quantiles.ts'
import { pattern, whole } from '../base/settings.ts'
import { bench } from '../bench/bench.ts'
import { runJob } from './scenario-grid.ts'
import { SETTINGS } from './settings.ts'

const HEADER = ['setting', 'at work', 'worst seed', 'target', 'done twice', 'most', 'messages a second and member']

export const experiment = bench({
  about: 'jobs on a virtual grid: processors at work, work done twice, chaos',
  settings: {
    seeds: whole(5, 'seeds of each setting'),
    chaos: whole(100, 'seeds of chaos: members are killed, leave, join, are cut apart and united', 0),
    voted: whole(0, 'seeds of chaos in which each task needs two votes, and one of eight members lies', 0),
    only: pattern('only settings whose names match'),
  },
  notes: 'Exit status 1 if a target is missed, or if a job under chaos does not end with exactly its result.',
  measure({ seeds, chaos, voted, only }) {
    let missed = 0
    const rows: string[][] = []
    for (const setting of SETTINGS.filter(({ name }) => only.test(name))) {
      const runs = Array.from({ length: seeds }, (_, index) => runJob(setting, index + 1))
      const { efficiency, twice = 1, sites } = setting.target
      const worst = Math.min(...runs.map((run) => run.efficiency))
      const most = Math.max(...runs.map((run) => run.twice))
      const farthest = sites === undefined ? 1 : Math.min(...runs.flatMap((run) => sites.names.map((site) => run.sites.get(site) ?? 0)))
      if (worst < efficiency || most > twice || farthest < (sites?.efficiency ?? 0)) missed++
      rows.push([
        setting.name,
        percent(mean(runs.map((run) => run.efficiency))),
        percent(worst),
        percent(efficiency),
        percent(mean(runs.map((run) => run.twice))),
        percent(most),
        mean(runs.map(({ messages, time, members }) => messages / members / (time / 1000))).toFixed(1),
      ])
      for (const site of sites === undefined ? [] : (runs[0]?.sites.keys() ?? [])) {
        const shares = runs.map((run) => run.sites.get(site) as number)
        rows.push([
          `– ${site}`,
          percent(mean(shares)),
          percent(Math.min(...shares)),
          sites?.names.includes(site) === true ? percent(sites.efficiency) : '',
          '',
          '',
          '',
        ])
      }
    }
    const all = [chaosOf('chaos', chaos, 1), chaosOf('chaos with votes', voted, 2)]
    return { rows, chaos: all.flatMap(({ text }) => text), failed: missed + all.reduce((sum, each) => sum + each.failed, 0) }
  },
  table: ({ rows, chaos }) => [markdownTable(HEADER, rows), ...chaos].join('\n\n'),
  passed: ({ failed }) => failed === 0,
})

/**
 * The number of seeds whose job does not end with exactly its result, and a sentence about all
 * seeds.
 */
function chaosOf(name: string, seeds: number, votes: number): { readonly failed: number; readonly text: readonly string[] } {
  const failed = Array.from({ length: seeds }, (_, index) => index + 1).filter((seed) => !endsWell(seed, votes))
  const which = failed.length > 0 ? `; not ${failed.join(', ')}` : ''
  const text = `${name}: ${seeds - failed.length} of ${seeds} seeds end with their one result${which}`
  return { failed: failed.length, text: seeds > 0 ? [text] : [] }
}

function endsWell(seed: number, votes: number): boolean {
  try {
    const { results, expected } = runChaos(seed, votes)
    return results.length === 1 && results[0] === expected
  } catch {
    return false
  }
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)} %`
}
