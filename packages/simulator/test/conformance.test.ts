import { acceptance } from '@jel/conformance'
import { describe, it } from 'vitest'
import { seeds } from './seeds.ts'
import { SimulatedSwarm } from './simulated-swarm.ts'

const lacks = { watch: 'only the facade has subscriptions' }

for (const seed of seeds('1')) {
  acceptance(
    { name: `simulated, seed ${seed}`, create: () => Promise.resolve(new SimulatedSwarm({ seed })), size: 20, lacks },
    { describe, it },
  )
}
