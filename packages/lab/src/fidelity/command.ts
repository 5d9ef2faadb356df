/**
 * Tests the simulator's fidelity. Runs the same trial in the simulator, on real hosts in virtual
 * time, and on real hosts over TCP in real time.
 *
 *     pnpm lab fidelity --nodes 50,100
 */
import { measuredCosts } from '@jel/simulator'
import { Meter } from '../swarm/meter.ts'
import { dying, loopbackDelay, wholeDelay } from './networks.ts'
import { takeChildrenAlong } from '../base/child.ts'
import { keepFigures, originOf } from '../base/figures.ts'
import { chosen, command, UsageError, type Values, whole, wholes } from '../base/program.ts'
import { RealSwarm } from './real-swarm.ts'
import { SimulatedSwarm, type SimulatedOptions } from './simulated-swarm.ts'
import { shown, table, type Column } from './table.ts'
import { runTrial, type Trial, type TrialPlan } from './trial.ts'
import { runVirtually } from './virtual/run.ts'

const USAGE = `pnpm lab fidelity [options]

  --nodes 50,100       sizes of the pools
  --seeds 3            trials in the simulator and in virtual time
  --only virtual,real  which real hosts to compare with
  --rounds 8           single joins and leaves in each trial
  --kills 5            crashes in each trial
  --settle 12          seconds until a pool has built its links; as long it is watched at rest
  --pause 4            seconds after each single event
  --keep               write all values to docs/figures/fidelity.json, and docs/fidelity.md from there
`

/**
 * Event loops that the hosts of the real-time trial share: one for each core of a small machine.
 */
const eventLoops = 2

/**
 * One-way delays on the virtual network, whole ms, equally likely: its clock has no smaller steps.
 */
const delays: readonly [number, number] = [5, 15]

const options = {
  nodes: { type: 'string', default: '50,100' },
  seeds: { type: 'string', default: '3' },
  only: { type: 'string', default: 'virtual,real' },
  rounds: { type: 'string', default: '8' },
  kills: { type: 'string', default: '5' },
  settle: { type: 'string', default: '12' },
  pause: { type: 'string', default: '4' },
  keep: { type: 'boolean', default: false },
} as const

function seconds(name: string, text: string): number {
  return whole(name, text) * 1_000
}

async function simulate(simulated: SimulatedOptions, plan: TrialPlan, meter: Meter): Promise<Trial> {
  return await runTrial(new SimulatedSwarm(simulated, meter), plan)
}

async function realTime(plan: TrialPlan): Promise<Trial> {
  const swarm = new RealSwarm(eventLoops)
  try {
    return await runTrial(swarm, plan)
  } finally {
    await swarm.stop()
  }
}

async function main(values: Values<typeof options>): Promise<number> {
  const kinds = new Set(chosen('only', values.only, ['virtual', 'real']))
  const seeds = Array.from({ length: whole('seeds', values.seeds) }, (_, i) => i + 1)
  const sizes = wholes('nodes', values.nodes, 3)
  const [rounds, kills] = [whole('rounds', values.rounds), whole('kills', values.kills)]
  const [settle, pause] = [seconds('settle', values.settle), seconds('pause', values.pause)]
  // The introducer stays, and one other node as an observer.
  const small = sizes.find((nodes) => kills > nodes - 2)
  if (small !== undefined) throw new UsageError(`--kills: of ${small} nodes at most ${small - 2} can be killed, not ${kills}`)
  takeChildrenAlong()
  const meter = new Meter()
  const origin = originOf()
  const sections: { readonly nodes: number; readonly columns: readonly [Column, Column] }[] = []
  for (const nodes of sizes) {
    const plan: TrialPlan = { nodes, rounds, kills, stagger: 100, settle, pause, idle: settle }
    const compare = async (
      title: string,
      real: () => Promise<readonly Trial[]>,
      simulated: Omit<SimulatedOptions, 'seed'>,
    ): Promise<void> => {
      console.error(`${nodes} nodes: ${title}`)
      const hosts = await real()
      const inSimulator: Trial[] = []
      for (const seed of seeds) inSimulator.push(await simulate({ ...simulated, seed }, plan, meter))
      const columns: [Column, Column] = [
        { title: 'simulator', trials: inSimulator },
        { title, trials: hosts },
      ]
      sections.push({ nodes, columns })
      console.log(`${nodes} nodes\n\n${table(columns)}\n`)
    }
    if (kinds.has('virtual')) {
      const inTurn = async (): Promise<Trial[]> => {
        const all: Trial[] = []
        for (const seed of seeds) all.push(await runVirtually({ plan, seed, delays }))
        return all
      }
      await compare('hosts in virtual time', inTurn, { network: { delay: wholeDelay(...delays) } })
    }
    if (kinds.has('real')) {
      const network = { delay: loopbackDelay, costs: measuredCosts }
      await compare('hosts over TCP', async () => [await realTime(plan)], { network, eventLoops, dying })
    }
  }
  if (values.keep) await keepFigures(shown, origin, sections)
  return 0
}

export const experiment = command(USAGE, options, main)
