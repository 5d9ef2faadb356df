import { acceptance } from '@jel/conformance'
import { describe, it } from 'vitest'
import { lacks, RealSwarm } from './real-swarm.ts'

// Each host in a thread of its own, all driven from this one.
acceptance(
  { name: "real hosts with thread: 'worker'", create: () => RealSwarm.create('worker'), size: 4, scale: 3, patience: 0.2, lacks },
  { describe, it },
)
