/**
 * Runs the trial on real hosts in virtual time and prints its measurements as JSON. Its argument is
 * a {@link VirtualRun} as JSON.
 */
import './install.ts'
import { VirtualTime } from './clock.ts'
import type { VirtualRun } from './run.ts'

const { plan, seed, delays } = JSON.parse(process.argv[2] ?? '{}') as VirtualRun
const time = new VirtualTime(seed)
// Each host adds a listener or two; Node would warn of a leak.
process.setMaxListeners(0)
// Imported here, so that their imports get virtual timers and the virtual network.
const { useDelay } = await import('./net.ts')
const { Meter } = await import('../../swarm/meter.ts')
const { VirtualSwarm } = await import('./swarm.ts')
const { runTrial } = await import('../trial.ts')

const [least, most] = delays
useDelay(() => least + Math.floor(time.random() * (most - least + 1)))
const swarm = new VirtualSwarm(time, new Meter())
const trial = await runTrial(swarm, plan)
await swarm.stop()
process.stdout.write(`${JSON.stringify(trial)}\n`, () => process.exit(0))
