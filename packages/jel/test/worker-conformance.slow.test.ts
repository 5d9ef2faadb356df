import { acceptance, halfOf } from '@jel/conformance'
import { describe, it } from 'vitest'
import { lacks, RealSwarm } from './real-swarm.ts'

// Real threads take minutes, since each node loads everything again. `THREADS=1` runs them.
const thread = process.env['THREADS'] === undefined ? 'port' : 'worker'

/** Usually half of the cases run. `CASES=all` runs all. */
const some = process.env['CASES'] === 'all' || thread === 'worker' ? it : halfOf(it)

acceptance(
  { name: `real hosts behind a ${thread}`, create: () => RealSwarm.create(thread), size: 5, scale: 6, watchShare: 0.2, lacks },
  { describe, it: some },
)
