/**
 * Does the simulator tell the truth? The same trial in the simulator, on real hosts in virtual time, and on real hosts over TCP in real time.
 *
 *     pnpm fidelity --nodes 50,100
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { measuredCosts } from '@jel/simulator'
import { withFigures } from './document.ts'
import { Meter } from './meter.ts'
import { dying, loopbackDelay, wholeDelay } from './networks.ts'
import { takeChildrenAlong } from '../driver/child.ts'
import { RealSwarm } from './real/swarm.ts'
import { SimulatedSwarm, type SimulatedOptions } from './simulated-swarm.ts'
import { table } from './table.ts'
import { runTrial, type Trial, type TrialPlan } from './trial.ts'
import { runVirtually } from './virtual/run.ts'

const USAGE = `pnpm fidelity [options]

  --nodes 50,100       sizes of the pools
  --seeds 3            trials in the simulator and in virtual time
  --only virtual,real  which real hosts to compare with
  --rounds 8           single joins and leaves in each trial
  --kills 5            crashes in each trial
  --settle 12          seconds until a pool has built its links; as long it is watched at rest
  --pause 4            seconds after each single event
  --json FILE          write all values
  --doc FILE           replace the tables between <!-- fidelity --> and <!-- /fidelity --> in this file
`

/** Event loops that the hosts of the real-time trial share: one for each core of a small machine. */
const eventLoops = 2

/** One-way delays on the virtual network, whole ms, equally likely: its clock has no smaller steps. */
const delays: readonly [number, number] = [5, 15]

const options = {
  nodes: { type: 'string', default: '50,100' },
  seeds: { type: 'string', default: '3' },
  only: { type: 'string', default: 'virtual,real' },
  rounds: { type: 'string', default: '8' },
  kills: { type: 'string', default: '5' },
  settle: { type: 'string', default: '12' },
  pause: { type: 'string', default: '4' },
  json: { type: 'string' },
  doc: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const

function whole(name: string, text: string, least: number): number {
  const number = Number(text)
  if (!Number.isInteger(number) || number < least)
    throw new TypeError(`--${name}: a whole number from ${least} on, not ${JSON.stringify(text)}`)
  return number
}

function seconds(name: string, text: string): number {
  return whole(name, text, 1) * 1_000
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

async function main(): Promise<void> {
  const { values } = parseArgs({ options })
  if (values.help) {
    console.log(USAGE)
    return
  }
  const kinds = new Set(values.only.split(','))
  for (const kind of kinds)
    if (kind !== 'virtual' && kind !== 'real') throw new TypeError(`--only: virtual or real, not ${JSON.stringify(kind)}`)
  const seeds = Array.from({ length: whole('seeds', values.seeds, 1) }, (_, i) => i + 1)
  takeChildrenAlong()
  const meter = new Meter()
  const sections: string[] = []
  const trials: Record<string, readonly Trial[]> = {}
  for (const text of values.nodes.split(',')) {
    const nodes = whole('nodes', text, 3)
    const plan: TrialPlan = {
      nodes,
      rounds: whole('rounds', values.rounds, 1),
      kills: whole('kills', values.kills, 1),
      stagger: 100,
      settle: seconds('settle', values.settle),
      pause: seconds('pause', values.pause),
      idle: seconds('settle', values.settle),
    }
    const compare = async (
      title: string,
      real: () => Promise<readonly Trial[]>,
      simulated: Omit<SimulatedOptions, 'seed'>,
    ): Promise<void> => {
      console.error(`${nodes} nodes: ${title}`)
      const hosts = await real()
      const inSimulator: Trial[] = []
      for (const seed of seeds) inSimulator.push(await simulate({ ...simulated, seed }, plan, meter))
      trials[`${nodes} ${title}`] = hosts
      trials[`${nodes} simulator for ${title}`] = inSimulator
      const section = `${nodes} nodes\n\n${table([
        { title: 'simulator', trials: inSimulator },
        { title, trials: hosts },
      ])}`
      sections.push(section)
      console.log(`${section}\n`)
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
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(trials)}\n`)
  if (values.doc !== undefined) writeFileSync(values.doc, withFigures(readFileSync(values.doc, 'utf8'), sections))
}

try {
  await main()
} catch (error) {
  if (!(error instanceof TypeError)) throw error
  console.error(error.message)
  process.exitCode = 2
}
