/**
 * Measures the cost of a grid without jobs: processes `jel work` beside as many processes
 * `jel join`, in two pools at the same time.
 *
 *     pnpm lab grid-idle --processes 10 --seconds 60 --runs 2
 */
import { loadavg, tmpdir } from 'node:os'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { takeChildrenAlong } from '../base/child.ts'
import { figure, markdownTable } from '../base/markdown.ts'
import { jelBin } from '../base/paths.ts'
import { command, positive, type Values, whole } from '../base/program.ts'
import { loopbackBytes, ownNetwork, rerunInOwnNetwork } from '../network/loopback.ts'
import { UnableError } from '../network/tools.ts'
import { ProcessSwarm } from '../swarm/process-swarm.ts'

const USAGE = `pnpm lab grid-idle [options]

  --processes 10   of each pool
  --settle 30      seconds after all know all, before anything is counted
  --seconds 60     over which is counted, twice in each run
  --runs 2         pools of each kind; the kinds take turns in who comes first

Exit status 1 if a process that waits for jobs costs 10 B/s or 0.02 % of a core more than one that does not, by the means.
`

const options = {
  processes: { type: 'string', default: '10' },
  settle: { type: 'string', default: '30' },
  seconds: { type: 'string', default: '60' },
  runs: { type: 'string', default: '2' },
} as const

const KINDS = ['join', 'work'] as const
type Kind = (typeof KINDS)[number]
/** Longest until all processes see all others, ms. A guess. */
const ENTER = 60_000

/** The cost of one process. */
interface Cost {
  /** B/s, headers included. */
  readonly traffic: number
  /** % of a core. */
  readonly processor: number
}

type Costs = Readonly<Record<Kind, Cost>>

/** The largest cost that waiting for jobs may add. */
const MOST: Cost = { traffic: 10, processor: 0.02 }

interface Plan {
  readonly processes: number
  readonly settle: number
  readonly length: number
}

async function main(values: Values<typeof options>): Promise<number> {
  const [processes, runs] = [whole('processes', values.processes, 2), whole('runs', values.runs)]
  const plan: Plan = { processes, settle: positive('settle', values.settle) * 1000, length: positive('seconds', values.seconds) * 1000 }
  const status = await rerunInOwnNetwork()
  if (status !== undefined) return status
  if (!ownNetwork()) throw new UnableError('there is no network of its own here, in which nothing else is counted')
  takeChildrenAlong()
  console.log(`load at the start ${(loadavg()[0] as number).toFixed(1)}; ${processes} processes of each kind\n`)
  const costs: Costs[] = []
  for (let run = 0; run < runs; run++) costs.push(await measure(run % 2 === 0 ? ['join', 'work'] : ['work', 'join'], plan))
  return report(costs)
}

/**
 * Counts the traffic of the first pool alone, then the traffic that the second pool adds. Processor
 * time is that of the same minute.
 */
async function measure([first, second]: readonly [Kind, Kind], plan: Plan): Promise<Costs> {
  const { processes, settle, length } = plan
  const folder = mkdtempSync(join(tmpdir(), 'jel-lab-'))
  const pools: ProcessSwarm[] = []
  const enter = async (kind: Kind): Promise<void> => {
    const swarm = new ProcessSwarm({ bin: jelBin, command: kind, name: `idle-${kind}-${process.pid}-${Date.now()}` })
    pools.push(swarm)
    const args = kind === 'work' ? ['--workers', '1', '--owner', join(folder, 'owner')] : []
    // The first one makes the owner's key, which the others must find.
    await swarm.start(1, { args })
    await swarm.start(processes - 1, { args })
    if ((await swarm.until(() => swarm.agree(), ENTER)) === undefined) throw new Error(`not all of ${processes} processes see all`)
    await sleep(settle)
  }
  /** For one process: B/s of all pools, and the share of a core of each pool. */
  const count = async (): Promise<{ readonly traffic: number; readonly processor: readonly number[] }> => {
    const take = (): readonly number[] => [loopbackBytes(), ...pools.map((swarm) => swarm.usage().processor)]
    const [since, before] = [performance.now(), take()]
    await sleep(length)
    const time = performance.now() - since
    const [bytes = Number.NaN, ...processor] = take().map((value, index) => value - (before[index] as number))
    return { traffic: (bytes * 1000) / time / processes, processor: processor.map((ms) => (ms * 100) / time / processes) }
  }
  try {
    await enter(first)
    const alone = await count()
    await enter(second)
    const both = await count()
    const [one = Number.NaN, other = Number.NaN] = both.processor
    const costs = {
      [first]: { traffic: alone.traffic, processor: one },
      [second]: { traffic: both.traffic - alone.traffic, processor: other },
    } as unknown as Costs
    for (const kind of KINDS)
      console.error(`jel ${kind}: ${figure(costs[kind].traffic)} B/s, ${costs[kind].processor.toFixed(3)} % of a core`)
    return costs
  } finally {
    await Promise.all(pools.map((swarm) => swarm.stop()))
    rmSync(folder, { recursive: true, force: true })
  }
}

function report(costs: readonly Costs[]): number {
  const rows = (['traffic', 'processor'] as const).map((what) => {
    const mean = (kind: Kind): number => costs.reduce((sum, each) => sum + each[kind][what], 0) / costs.length
    const [without, waiting] = [mean('join'), mean('work')]
    return { what, without, waiting, isMet: waiting - without <= MOST[what] }
  })
  const cells = rows.map(({ what, without, waiting, isMet }) => {
    const shown = (value: number): string => (what === 'traffic' ? value.toFixed(1) : value.toFixed(3))
    const unit = what === 'traffic' ? 'B/s' : '% of a core'
    return [`${what} a process, ${unit}`, shown(without), shown(waiting), shown(waiting - without), `≤ ${MOST[what]}`, isMet ? 'yes' : 'no']
  })
  console.log(markdownTable(['idle', 'jel join', 'jel work', 'difference', 'allowed', 'met'], cells))
  return rows.every(({ isMet }) => isMet) ? 0 : 1
}

export const experiment = command(USAGE, options, main)
