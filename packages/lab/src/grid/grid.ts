/**
 * Runs jobs on a virtual grid. Measures how busy its processors are and the work done twice after a
 * crash, and tests that chaos never keeps a job from its result.
 */
import { irregularTree, measure, rootInput, runChaos, VirtualGrid, type Measures } from '@jel/simulator/internals'
import { markdownTable } from '../base/markdown.ts'
import { optional, pattern, readPositive, whole } from '../base/settings.ts'
import { bench } from '../bench/bench.ts'
import { SETTINGS, type Setting, type Site } from './settings.ts'

const HEADER = ['setting', 'at work', 'worst seed', 'target', 'done twice', 'most', 'messages a second and member']

export const experiment = bench({
  about: 'jobs on a virtual grid: processors at work, work done twice, chaos',
  settings: {
    seeds: whole(5, 'of each setting'),
    seconds: optional('N', 'that a job takes, without losses; default: by setting', readPositive),
    chaos: whole(100, 'seeds of chaos: members killed, leaving, joining, cut apart and united', 0),
    voted: whole(0, 'seeds of chaos in which each task takes two votes, and one of eight members lies', 0),
    only: pattern('settings'),
  },
  notes: 'Exit status 1 if a target is missed, or a job of chaos does not end with its one result.',
  measure({ seeds, seconds, chaos, voted, only }) {
    let missed = 0
    const rows: string[][] = []
    for (const setting of SETTINGS.filter(({ name }) => only.test(name))) {
      const runs = Array.from({ length: seeds }, (_, index) => runJob(setting, index + 1, seconds ?? setting.seconds))
      const { efficiency, twice = 1, sites } = setting.target
      const worst = Math.min(...runs.map((run) => run.efficiency))
      const most = Math.max(...runs.map((run) => run.twice))
      const farthest = sites === undefined ? 1 : Math.min(...runs.flatMap((run) => named(run, sites[0])))
      if (worst < efficiency || most > twice || farthest < (sites?.[1] ?? 0)) missed++
      const members = setting.sites.reduce((sum, { nodes }) => sum + nodes, 0)
      rows.push([
        setting.name,
        percent(mean(runs.map((run) => run.efficiency))),
        percent(worst),
        percent(efficiency),
        percent(mean(runs.map((run) => run.twice))),
        percent(most),
        mean(runs.map(({ messages, time }) => messages / members / (time / 1000))).toFixed(1),
      ])
      for (const site of setting.target.sites === undefined ? [] : (runs[0]?.sites.keys() ?? [])) {
        const shares = runs.map((run) => run.sites.get(site) as number)
        rows.push([
          `– ${site}`,
          percent(mean(shares)),
          percent(Math.min(...shares)),
          site.startsWith(sites?.[0] as string) ? percent(sites?.[1] as number) : '',
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

/** The number of seeds that do not end with their one result. */
function chaosOf(name: string, seeds: number, votes: number): { readonly failed: number; readonly text: readonly string[] } {
  const failed = Array.from({ length: seeds }, (_, index) => index + 1).filter((seed) => !endsWell(seed, votes))
  const which = failed.length > 0 ? `; not ${failed.join(', ')}` : ''
  const text = `${name}: ${seeds - failed.length} of ${seeds} seeds end with their one result${which}`
  return { failed: failed.length, text: seeds > 0 ? [text] : [] }
}

function runJob({ sites, latency, leaf, disturb }: Setting, seed: number, seconds: number): Measures {
  const cores = sites.reduce((sum, { nodes, cores: each }) => sum + nodes * each, 0)
  const leaves = Math.round((cores * seconds * 1000) / leaf)
  const program = irregularTree({ leaves, leafTime: leaf, branching: 4, seed })
  const grid = new VirtualGrid({ seed, program, latency, sites })
  const join = ({ name, nodes, cores: workers }: Site): void => {
    for (let node = 0; node < nodes; node++) grid.join({ site: name, workers })
  }
  for (const site of sites) if (site.late === undefined) join(site)
  grid.settle()
  for (const site of sites) if (site.late !== undefined) grid.after(site.late * 1000, () => join(site))
  grid.submit({ id: 'job', input: rootInput(leaves) })
  const begin = grid.now
  disturb?.(grid, seconds)
  grid.until(() => grid.doneAt.has('job'), seconds * 10_000)
  return measure(grid, 'job', begin)
}

/** The shares of the sites whose name begins with `name`. */
function named({ sites }: Measures, name: string): number[] {
  return [...sites].filter(([site]) => site.startsWith(name)).map(([, share]) => share)
}

function endsWell(seed: number, votes: number): boolean {
  try {
    const { results, expected } = runChaos(seed, votes)
    return results.length === 1 && results[0] === expected
  } catch {
    return false
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, each) => sum + each, 0) / values.length
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)} %`
}
