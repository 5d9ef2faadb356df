import { acceptance } from '@jel/conformance'
import { describe, it } from 'vitest'
import { lacks, ProcessSwarm } from './process-swarm.ts'

// The bounds are for a machine on which the processes don't have a core each.
acceptance({ name: 'node processes', create: () => ProcessSwarm.create(), size: 6, scale: 2, watchShare: 0.2, lacks }, { describe, it })
