import type { Topology } from '../site.ts'
import { das2, das3 } from './das3.ts'
import { wideArea } from './wide-area.ts'
import { world } from './world.ts'

/** The topologies that come with the simulator, by their names in scenarios. */
export const topologies = { das2, das3, world, 'wide-area': wideArea() } as const satisfies Record<string, Topology>

export type TopologyName = keyof typeof topologies
