/**
 * Runs sixty real nodes on loopback. Nodes come, leave and crash. Tests that their resources stay
 * flat. A scenario can't express this, because only a process itself sees its timers, its streams,
 * and its heap after a collection.
 */
import { positive } from '../base/settings.ts'
import { bench } from '../bench/bench.ts'
import { isWithinNoise, shown, table } from './report.ts'
import { reportOf } from './samples.ts'
import { SoakSwarm } from './swarm.ts'

export const experiment = bench({
  about: 'sixty nodes for an hour: do their resources stay flat?',
  settings: {
    minutes: positive(60, 'minutes of the soak'),
    warmUp: positive(
      15,
      `minutes at the start that are left out, at most half of the soak: ended members are remembered for five minutes,
                   and compilers, pools and buffers grow at first`,
    ),
  },
  notes: `Exit status 1 if a measure grew beyond noise, or if a process ended by itself. A run with less than twenty minutes after the warm-up is
shown but not judged.`,
  figures: shown,
  async measure({ minutes, warmUp }) {
    const swarm = new SoakSwarm()
    try {
      const started = Date.now()
      await swarm.start()
      console.error(`60 nodes after ${Math.round((Date.now() - started) / 1000)} s`)
      await swarm.churn(AbortSignal.timeout(minutes * 60_000))
      console.error(`${swarm.killed} processes were killed`)
    } finally {
      await swarm.close()
    }
    const { samples, lost } = swarm
    // A process that ended has no complete slope.
    if (lost.length > 0) console.error(`ended by themselves: ${lost.join(', ')}`)
    return { report: reportOf(samples, warmUp), samples, ...(lost.length > 0 && { lost }) }
  },
  table: ({ report }) => table(report),
  passed: ({ report, lost = [] }) => lost.length === 0 && isWithinNoise(report),
})
