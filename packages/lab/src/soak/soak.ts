/**
 * Runs sixty real nodes on loopback that come, go and are killed, and tests that their resources
 * stay flat. No scenario can express it: only a process itself sees its heap after a collection,
 * its timers and its streams.
 */
import { positive } from '../base/settings.ts'
import { bench } from '../bench/bench.ts'
import { isWithinNoise, shown, table } from './report.ts'
import { reportOf } from './samples.ts'
import { SoakSwarm } from './swarm.ts'

export const experiment = bench({
  about: 'sixty nodes for an hour: does what they hold stay flat?',
  settings: {
    minutes: positive(60, 'how long'),
    warmUp: positive(
      15,
      `minutes at the start that slopes leave out, half of the time at most: what ended is remembered for five,
                   and compilers, pools and buffers grow to their size`,
    ),
  },
  notes: `Exit status 1 if something grew beyond noise, or if a process ended by itself. A run with less than twenty minutes after the warm-up is
shown, and not judged.`,
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
    // The slope of a process that died is lost.
    if (lost.length > 0) console.error(`ended by themselves: ${lost.join(', ')}`)
    return { report: reportOf(samples, warmUp), samples, ...(lost.length > 0 && { lost }) }
  },
  table: ({ report }) => table(report),
  passed: ({ report, lost = [] }) => lost.length === 0 && isWithinNoise(report),
})
