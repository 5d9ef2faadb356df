/** One process with some of the nodes. It is a child of the soak. */
import type { Pool } from '@jel/jel'
import { serve } from '../base/remote.ts'
import { repeat } from '../base/wait.ts'
import { act, enter } from './application.ts'
import { takeSample } from './resources.ts'
import { ACT_EVERY, type Group, type Sample } from './plan.ts'

// The command line and the worker thread of a node set the same size.
Buffer.poolSize = 8192

const pools: Pool[] = []
let troubles: string[] = []

/** Repeats the action until the process ends. Errors go to `troubles`. */
function every(seconds: number, action: () => Promise<void>): void {
  void repeat(seconds * 1000, new AbortController().signal, async () => {
    await action().catch((error: unknown) => {
      troubles.push(error instanceof Error ? `${error.name}: ${error.message}` : String(error))
    })
  })
}

process.on('unhandledRejection', (error) => {
  troubles.push(`unhandled: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
})

const worker = {
  /** Starts the nodes. Resolves with one address of each node when all have entered. */
  async start(group: Group, pool: string, bootstrap: readonly string[]): Promise<string[]> {
    for (let i = 0; i < group.nodes; i++) {
      const known = pools[0]?.self.addresses[0]
      pools.push(await enter(pool, bootstrap.length > 0 ? bootstrap : known === undefined ? [] : [known]))
    }
    every(ACT_EVERY, async () => {
      const one = pools[Math.floor(Math.random() * pools.length)]
      if (one !== undefined) await act(one)
    })
    if (group.replaces !== undefined) {
      every(group.replaces, async () => {
        const leaving = pools.shift()
        const introducer = pools[0]?.self.addresses[0]
        await leaving?.leave()
        pools.push(await enter(pool, introducer === undefined ? bootstrap : [introducer]))
      })
    }
    return pools.flatMap((one) => one.self.addresses.slice(0, 1))
  },

  /** Returns a sample of the process, and the errors since the last call. */
  look(): { readonly sample: Sample; readonly troubles: readonly string[] } {
    const told = troubles
    troubles = []
    return { sample: takeSample(pools), troubles: told }
  },
}

export type SoakWorker = typeof worker

serve(worker)
