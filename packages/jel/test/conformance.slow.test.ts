import { acceptance } from '@jel/conformance'
import { describe, it } from 'vitest'
import { lacks, RealSwarm } from './real-swarm.ts'

// All hosts share one event loop. So the bounds are those of a machine that does eight things at
// once.
acceptance({ name: 'real hosts over TCP', create: () => RealSwarm.create(), size: 8, scale: 6, watchShare: 0.2, lacks }, { describe, it })
