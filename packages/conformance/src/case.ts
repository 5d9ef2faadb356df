import type { SwarmFeature } from './swarm.ts'
import type { World } from './world.ts'

/** One requirement of a pool. */
interface Case {
  readonly name: string
  /** The features of the swarm that the case needs. */
  readonly needs?: readonly SwarmFeature[]
  readonly run: (world: World) => Promise<void>
}

/** Cases about one part of the promises. */
export interface Theme {
  readonly name: string
  readonly cases: readonly Case[]
}
