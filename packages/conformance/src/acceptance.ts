import type { Theme } from './case.ts'
import { computing } from './computing.ts'
import { dying } from './dying.ts'
import { electing } from './electing.ts'
import { healing } from './healing.ts'
import { joining } from './joining.ts'
import { mustFail } from './impossible.ts'
import { leaving } from './leaving.ts'
import type { Swarm, SwarmFeature } from './swarm.ts'
import { publishing } from './publishing.ts'
import { telling } from './telling.ts'
import { World } from './world.ts'

const themes: readonly Theme[] = [joining, leaving, dying, electing, healing, telling, publishing, computing]

/** Options of {@link acceptance}. */
export interface AcceptanceOptions {
  /** The name of the implementation under test, for people. */
  readonly name: string
  /** Makes a swarm without nodes, for one case. */
  readonly create: () => Promise<Swarm>
  /** Nodes in a pool of ordinary size: 6 or more. */
  readonly size: number
  /**
   * Factor for all time bounds. The default of 1 suits nodes that have the machine to themselves.
   */
  readonly scale?: number
  /**
   * Share of the usual time for which a case watches that nothing else happens, 0 to 1. Give less
   * if time is real. Default: 1.
   */
  readonly watchShare?: number
  /**
   * The features that the swarm lacks, each with the reason. A case that needs such a feature runs,
   * and must fail. If the case passes, the feature is possible, and does not belong here. The suite
   * skips the cases for which the swarm has no time (`slow`).
   */
  readonly lacks?: Partial<Record<SwarmFeature, string>>
}

/** The part of a test runner that the suite uses. The runners of vitest, jest and mocha have it. */
export interface TestRunner {
  readonly describe: (name: string, body: () => void) => unknown
  readonly it: ((name: string, body: () => Promise<void>) => unknown) & {
    readonly skip: (name: string, body: () => Promise<void>) => unknown
  }
}

/**
 * Tests an implementation against the promises of the pool. Registers one test per case. Each case
 * gets a swarm of its own. At the end of each case the suite checks the events of every node
 * against the promises once more.
 */
export function acceptance(options: AcceptanceOptions, { describe, it }: TestRunner): void {
  const { create, size, scale = 1, watchShare = 1, lacks = {} } = options
  describe(options.name, () => {
    for (const theme of themes) {
      describe(theme.name, () => {
        for (const { name, needs = [], run } of theme.cases) {
          const body = async (): Promise<void> => {
            const swarm = await create()
            const world = new World(swarm, size, scale, watchShare)
            try {
              await run(world)
              world.finish()
            } finally {
              await swarm.close()
            }
          }
          const missing = needs.filter((feature) => lacks[feature] !== undefined)
          const why = missing.map((feature) => lacks[feature]).join('; ')
          if (missing.length === 0) it(name, body)
          // A slow case would pass on this swarm, but takes too long.
          else if (missing.includes('slow')) it.skip(`${name} (skipped: ${why})`, body)
          else it(`${name} (impossible: ${why})`, async () => await mustFail(body, missing))
        }
      })
    }
  })
}
