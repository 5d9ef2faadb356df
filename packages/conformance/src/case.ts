import type { SwarmFeature } from './swarm.ts'
import type { World } from './world.ts'

/** One thing that a pool must do. */
interface Case {
  readonly name: string
  /** What the swarm must be able to do for it. */
  readonly needs?: readonly SwarmFeature[]
  readonly run: (world: World) => Promise<void>
}

/** Cases about one part of the promises. */
export interface Theme {
  readonly name: string
  readonly cases: readonly Case[]
}
