import { acceptance } from '@jel/conformance'
import { describe, it } from 'vitest'
import { lacks, ProcessSwarm } from './process-swarm.ts'

// The bounds are for a machine with fewer cores than processes.
acceptance({ name: 'node processes', create: () => ProcessSwarm.create(), size: 6, scale: 2, watchShare: 0.2, lacks }, { describe, it })
