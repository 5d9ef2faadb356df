/**
 * Measures the cost of a grid without jobs. One pool has `jel work` processes, and another one has
 * the same number of `jel join` processes. A scenario can't express this, because a scenario has
 * only one pool.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { figure, markdownTable } from '../base/markdown.ts'
import { jelBin } from '../base/paths.ts'
import { mean } from '../base/quantiles.ts'
import { rates } from '../base/rates.ts'
import { seconds, whole } from '../base/settings.ts'
import { bench } from '../bench/bench.ts'
import { loopbackBytes, ownNetwork } from '../network/loopback.ts'
import { UnableError } from '../network/tools.ts'
import { ProcessSwarm } from '../swarm/process-swarm.ts'

type Kind = 'join' | 'work'
/** Longest time until all processes see all others, ms. A guess. */
const ENTER = 60_000
/** Cost of one process: traffic in B/s, headers included, and processor time in % of a core. */
type Costs = Readonly<Record<Kind, { readonly traffic: number; readonly processor: number }>>

/** The rows, each with the largest cost that waiting for jobs may add. */
const ROWS = [
  { what: 'traffic', unit: 'B/s', most: 10, digits: 1 },
  { what: 'processor', unit: '% of a core', most: 0.02, digits: 3 },
] as const

export const experiment = bench({
  about: 'the cost of a grid without jobs, beside a pool that does not compute',
  settings: {
    processes: whole(10, 'processes of each pool', 2),
    settle: seconds(30, 'seconds between the time when all know all and the measurement'),
    seconds: seconds(60, 'seconds of each of the two measurements of a run'),
    runs: whole(2, 'pools of each kind; the first pool of a run is of each kind in turn'),
  },
  notes: 'Exit status 1 if a jel work process costs, on average, more than 10 B/s or 0.02 % of a core above a jel join process.',
  where: 'network',
  async measure({ processes, settle, seconds: length, runs }, { folder }) {
    if (!ownNetwork()) throw new UnableError('this system has no separate network, in which no foreign traffic is counted')
    const costs: Costs[] = []
    for (let run = 0; run < runs; run++) {
      const kinds = run % 2 === 0 ? (['join', 'work'] as const) : (['work', 'join'] as const)
      costs.push(await compare(kinds, { processes, settle, length, owner: join(folder, `owner-${run}`) }))
    }
    return ROWS.map((row) => {
      const of = (kind: Kind): number => mean(costs.map((each) => each[kind][row.what]))
      return { ...row, without: of('join'), waiting: of('work') }
    })
  },
  table: (rows) =>
    markdownTable(
      ['idle', 'jel join', 'jel work', 'difference', 'allowed', 'met'],
      rows.map(({ what, unit, most, digits, without, waiting }) => [
        `${what} a process, ${unit}`,
        ...[without, waiting, waiting - without].map((value) => value.toFixed(digits)),
        `≤ ${most}`,
        waiting - without <= most ? 'yes' : 'no',
      ]),
    ),
  passed: (rows) => rows.every(({ most, without, waiting }) => waiting - without <= most),
})

interface Pools {
  readonly processes: number
  readonly settle: number
  readonly length: number
  readonly owner: string
}

/**
 * Counts the traffic of the first pool alone, then the traffic that the second pool adds. Measures
 * the processor time of both pools while both run.
 */
async function compare([first, second]: readonly [Kind, Kind], { processes, settle, length, owner }: Pools): Promise<Costs> {
  const pools: ProcessSwarm[] = []
  const enter = async (kind: Kind): Promise<void> => {
    const swarm = new ProcessSwarm({ bin: jelBin, command: kind, name: `idle-${kind}-${process.pid}-${Date.now()}` })
    pools.push(swarm)
    const args = kind === 'work' ? ['--workers', '1', '--owner', owner] : []
    // The first process makes the owner's key. The others must find that key.
    await swarm.start(1, { args })
    await swarm.start(processes - 1, { args })
    if ((await swarm.until(() => swarm.agree(), ENTER)) === undefined)
      throw new Error(`not all of the ${processes} processes see all others`)
    await sleep(settle)
  }
  const take = () => ({ bytes: loopbackBytes(), one: pools[0]?.usage().processor ?? 0, other: pools[1]?.usage().processor ?? 0 })
  /** Returns the rates of all pools together, a second. */
  const count = () => rates(take, () => sleep(length))
  try {
    await enter(first)
    const alone = await count()
    await enter(second)
    const both = await count()
    const costs = {
      [first]: { traffic: alone.bytes / processes, processor: both.one / 10 / processes },
      [second]: { traffic: (both.bytes - alone.bytes) / processes, processor: both.other / 10 / processes },
    } as unknown as Costs
    for (const [kind, { traffic, processor }] of Object.entries(costs))
      console.error(`jel ${kind}: ${figure(traffic)} B/s, ${processor.toFixed(3)} % of a core`)
    return costs
  } finally {
    await Promise.all(pools.map((swarm) => swarm.stop()))
  }
}
