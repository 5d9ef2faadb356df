import { acceptance } from '@jel/conformance'
import { describe, it } from 'vitest'
import { lacks, RealSwarm } from './real-swarm.ts'

// Real threads take minutes, since each node loads everything again. `THREADS=1` runs them.
const thread = process.env['THREADS'] === undefined ? 'port' : 'worker'

/** Usually each second case runs. `CASES=all` runs all. */
const apart = process.env['CASES'] === 'all' || thread === 'worker' ? 1 : 2
let cases = 0
const some = Object.assign((name: string, body: () => Promise<void>) => (cases++ % apart > 0 ? it.skip : it)(name, body), {
  skip: it.skip,
})

acceptance(
  { name: `real hosts behind a ${thread}`, create: () => RealSwarm.create(thread), size: 5, scale: 6, watchShare: 0.2, lacks },
  { describe, it: some },
)
