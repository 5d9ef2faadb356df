/** Runs the trial on real hosts in virtual time and prints what was measured as JSON: `node main.ts '{"plan": …, "seed": 1}'`. */
import './install.ts'
import type { TrialPlan } from '../trial.ts'
import { VirtualTime } from './clock.ts'

const { plan, seed, delays } = JSON.parse(process.argv[2] ?? '{}') as { plan: TrialPlan; seed: number; delays: readonly [number, number] }
const time = new VirtualTime(seed)
// Only now: what these import gets virtual timers and the virtual network.
const { useDelay } = await import('./net.ts')
const { Meter } = await import('../meter.ts')
const { VirtualSwarm } = await import('./swarm.ts')
const { runTrial } = await import('../trial.ts')

const [least, most] = delays
useDelay(() => least + Math.floor(time.random() * (most - least + 1)))
const swarm = new VirtualSwarm(time, new Meter())
const trial = await runTrial(swarm, plan)
await swarm.stop()
process.stdout.write(`${JSON.stringify(trial)}\n`, () => process.exit(0))
