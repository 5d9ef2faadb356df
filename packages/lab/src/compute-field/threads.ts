/** Contenders without a network: each worker is a thread or a child process of one process. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { end } from '../base/child.ts'
import { startRemote } from '../base/remote.ts'
import type { ThreadsClient } from './programs/client.ts'
import { diesFile, type Contender } from './contender.ts'
import { missing, versionOf } from './programs/packages.ts'

/** Longest time that the process may take to end, ms. */
const END = 1000

/** `program`: the module of the client, whose process also runs the workers. */
function threads(program: string, { name, form, missing: lacks }: Pick<Contender, 'name' | 'form' | 'missing'>): Contender {
  return {
    name,
    form,
    missing: lacks,
    parts: ['worker'],
    start: async ({ workers, folder }) => {
      const { child, remote } = startRemote<ThreadsClient>(new URL(program, import.meta.url))
      await remote.enter({ workers, cache: join(folder, 'cache') })
      return {
        client: remote,
        nodes: 1,
        // The experiment can't kill workers from outside. So a task that finds this file ends its
        // own worker. Both contenders then start another worker.
        kill: () => {
          writeFileSync(diesFile(folder), '')
          return workers
        },
        outlived: () => Promise.reject(new Error('no other process has the results')),
        stop: () => end(child, END),
      }
    },
  }
}

/** `computeLocal`: the programs of the grid without a pool. */
export function computeLocal(): Contender {
  const form = (): string => 'computeLocal of the same jel: a process, and one for each worker'
  return threads('programs/local-client.ts', { name: 'computeLocal', form, missing: () => undefined })
}

export function piscina(): Contender {
  const form = (): string => `piscina ${versionOf('piscina')}: one process, in which each worker is a thread`
  return threads('programs/piscina-client.ts', { name: 'piscina', form, missing: (install) => missing('piscina', install) })
}
