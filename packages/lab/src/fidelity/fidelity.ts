/**
 * Tests the simulator's fidelity: runs the same trial in the simulator and on real hosts over TCP.
 */
import { loopback, measuredCosts } from '@jel/simulator'
import { seconds, UsageError, whole, wholes } from '../base/settings.ts'
import { bench } from '../bench/bench.ts'
import { HostSwarm } from '../swarm/host-swarm.ts'
import { Meter } from '../swarm/meter.ts'
import { MeasuredSimulation } from './measured-simulation.ts'
import { shown, table, type Section } from './table.ts'
import { runTrial, type Trial, type TrialPlan } from './trial.ts'

/** Number of event loops that the real hosts share: one for each core of a small machine. */
const eventLoops = 2
/**
 * Time from SIGKILL until the kernel has freed a process of 110 MB and closes its sockets, ms.
 * Measured: 8 to 15.
 */
const dying = 12

/** Runs one trial in the simulator for each seed, and one trial on real hosts. */
export async function compare(plan: TrialPlan, seeds: number): Promise<Section> {
  const swarm = new HostSwarm(eventLoops, [], { counts: true })
  let hosts: Trial
  try {
    hosts = await runTrial(swarm, plan)
  } finally {
    await swarm.stop()
  }
  const simulated: Trial[] = []
  const meter = new Meter()
  const network = { delay: loopback, costs: measuredCosts }
  for (let seed = 1; seed <= seeds; seed++)
    simulated.push(await runTrial(new MeasuredSimulation({ seed, network, dying }, eventLoops, meter), plan))
  const columns = [
    { title: 'simulator', trials: simulated },
    { title: 'hosts over TCP', trials: [hosts] },
  ] as const
  return { nodes: plan.nodes, columns }
}

export const experiment = bench({
  about: 'the simulator beside real hosts',
  settings: {
    nodes: wholes('50,100', 'sizes of the pools', 3),
    seeds: whole(3, 'trials in the simulator'),
    rounds: whole(8, 'single joins and leaves in each trial'),
    kills: whole(5, 'crashes in each trial'),
    settle: seconds(12, 'seconds until a pool has built its links; the idle pool is watched for the same time'),
    pause: seconds(4, 'seconds of rest after each event'),
  },
  figures: shown,
  async measure({ nodes: sizes, seeds, rounds, kills, settle, pause }) {
    // The introducer and one other node, as an observer, must stay.
    const small = sizes.find((nodes) => kills > nodes - 2)
    if (small !== undefined) throw new UsageError(`--kills: of ${small} nodes at most ${small - 2} can be killed, not ${kills}`)
    const sections: Section[] = []
    for (const nodes of sizes) {
      const section = await compare({ nodes, rounds, kills, settle, pause, idle: settle }, seeds)
      sections.push(section)
      console.log(`${nodes} nodes\n\n${table(section.columns)}\n`)
    }
    return sections
  },
})
