/**
 * Jobs on a virtual grid: how busy its processors are, what is done twice after a crash, and whether chaos ever keeps a job from its result.
 *
 *     pnpm lab grid --seeds 5 --chaos 1000
 */
import { irregularTree, measure, rootInput, runChaos, VirtualGrid, type Measures } from '@jel/compute/virtual'
import { command, type Values, whole } from '../base/program.ts'
import { markdownTable } from '../base/markdown.ts'

const USAGE = `pnpm lab grid [options]

  --seeds 5        of each setting
  --seconds 100    that a job takes, without losses
  --chaos 100      seeds of chaos: members killed, leaving, joining, cut apart and united
  --only REGEXP    settings

Exit status 1 if a target is missed, or a job of chaos does not end with its one result.
`

const LEAF = 50

interface Setting {
  readonly name: string
  readonly members: number
  readonly sites: number
  /** One way, ms. */
  readonly latency: number
  /** Share of the members that die at once, that with the root first, when 40 % of the job is done. */
  readonly killed: number
  readonly target: { readonly efficiency: number; readonly twice?: number }
}

const SETTINGS: readonly Setting[] = [
  { name: '64 members, four sites, 100 ms', members: 64, sites: 4, latency: 100, killed: 0, target: { efficiency: 0.97 } },
  { name: '256 members, four sites, 250 ms', members: 256, sites: 4, latency: 250, killed: 0, target: { efficiency: 0.94 } },
  {
    name: '64 members, four sites, 100 ms; 30 % and the root killed',
    members: 64,
    sites: 4,
    latency: 100,
    killed: 0.3,
    target: { efficiency: 0.97, twice: 0.005 },
  },
  { name: '1,000 members, ten sites, 50 ms', members: 1000, sites: 10, latency: 50, killed: 0, target: { efficiency: 0.9 } },
]

const options = {
  seeds: { type: 'string', default: '5' },
  seconds: { type: 'string', default: '100' },
  chaos: { type: 'string', default: '100' },
  only: { type: 'string', default: '' },
} as const

function main(values: Values<typeof options>): Promise<number> {
  const [seeds, seconds, chaos] = [whole('seeds', values.seeds), whole('seconds', values.seconds), whole('chaos', values.chaos, 0)]
  let missed = 0
  const rows = SETTINGS.filter(({ name }) => new RegExp(values.only, 'u').test(name)).map((setting) => {
    const runs = Array.from({ length: seeds }, (_, index) => runJob(setting, index + 1, seconds))
    const { efficiency, twice = 1 } = setting.target
    const worst = Math.min(...runs.map((run) => run.efficiency))
    const most = Math.max(...runs.map((run) => run.twice))
    if (worst < efficiency || most > twice) missed++
    const bytes = runs.reduce((sum, { messages, time }) => sum + messages / setting.members / (time / 1000), 0) / runs.length
    return [
      setting.name,
      percent(mean(runs.map((run) => run.efficiency))),
      percent(worst),
      percent(efficiency),
      percent(mean(runs.map((run) => run.twice))),
      percent(most),
      bytes.toFixed(1),
    ]
  })
  process.stdout.write(
    `${markdownTable(['setting', 'at work', 'worst seed', 'target', 'done twice', 'most', 'messages a second and member'], rows)}\n`,
  )
  const failed = Array.from({ length: chaos }, (_, index) => index + 1).filter((seed) => !endsWell(seed))
  process.stdout.write(
    `\nchaos: ${chaos - failed.length} of ${chaos} seeds end with their one result${failed.length > 0 ? `; not ${failed.join(', ')}` : ''}\n`,
  )
  return Promise.resolve(missed + failed.length === 0 ? 0 : 1)
}

function runJob({ members, sites, latency, killed }: Setting, seed: number, seconds: number): Measures {
  const leaves = Math.round((members * seconds * 1000) / LEAF)
  const program = irregularTree({ leaves, leafTime: LEAF, branching: 4, seed })
  const grid = new VirtualGrid({ seed, program, latency: (from, to) => (from === to ? 0.1 : latency) })
  for (let member = 0; member < members; member++) grid.join({ site: `s${member % sites}` })
  grid.settle()
  grid.submit({ id: 'job', input: rootInput(leaves) })
  const begin = grid.now
  if (killed > 0) {
    grid.after(seconds * 400, () => {
      const keeper = grid.living[0]?.scheduler.replicas('job')[0]
      const order = [...grid.living].sort((a, b) => Number(b.id === keeper) - Number(a.id === keeper))
      for (const member of order.slice(0, Math.round(members * killed))) grid.kill(member)
    })
  }
  grid.until(() => grid.doneAt.has('job'), seconds * 10_000)
  return measure(grid, 'job', begin)
}

function endsWell(seed: number): boolean {
  try {
    const { results, expected } = runChaos(seed)
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

export const experiment = command(USAGE, options, main)
