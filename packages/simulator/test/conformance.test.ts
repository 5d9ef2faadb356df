import { acceptance } from '@jel/conformance'
import { describe, it } from 'vitest'
import { SimulatedSwarm } from './simulated-swarm.ts'

const lacks = { watch: 'subscriptions are the facade’s' }

/** `SEEDS=7` or `SEEDS=1-50` repeats single seeds or looks at many. */
function seeds(): number[] {
  const [first = 1, last = first] = (process.env['SEEDS'] ?? '1-3').split('-').map(Number)
  return Array.from({ length: last - first + 1 }, (_, i) => first + i)
}

for (const seed of seeds()) {
  acceptance(
    { name: `simulated, seed ${seed}`, create: () => Promise.resolve(new SimulatedSwarm({ seed })), size: 20, lacks },
    { describe, it },
  )
}
