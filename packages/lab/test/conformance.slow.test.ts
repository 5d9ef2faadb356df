import { acceptance, halfOf } from '@jel/conformance'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'vitest'
import { jelBin } from '../src/base/paths.ts'
import { ProcessSwarm } from '../src/swarm/process-swarm.ts'

/** The features that node processes on one machine lack. */
const lacks = {
  silence: 'loopback is never silent',
  partition: 'loopback is never split',
  introduce: 'mDNS is off on loopback',
  slow: 'takes minutes',
} as const

const create = (): Promise<ProcessSwarm> => Promise.resolve(new ProcessSwarm({ bin: jelBin, name: `conformance-${randomUUID()}` }))

/** Usually half of the cases run: all take two minutes. `CASES=all` runs all. */
const some = process.env['CASES'] === 'all' ? it : halfOf(it)

// The bounds are for a machine with fewer cores than processes.
acceptance({ name: 'node processes', create, size: 6, scale: 4, watchShare: 0.2, lacks }, { describe, it: some })
