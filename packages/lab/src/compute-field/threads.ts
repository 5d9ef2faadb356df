/** Contenders that are one process, in which each worker is a thread, or a child of it. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { end } from '../base/child.ts'
import { startRemote } from '../base/remote.ts'
import type { Client } from './client.ts'
import { diesFile, type Contender } from './contender.ts'
import { missing, versionOf } from './packages.ts'

/** Longest that the process may take to end, ms. */
const END = 1000

export interface ThreadsClient extends Client {
  enter(place: { readonly workers: number; readonly cache: string }): void
}

/** `program`: the client's, which also runs the workers. */
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
        // No thread can be killed from outside, so a task that finds this file ends its own thread.
        // In either contender another thread takes its place.
        kill: () => {
          writeFileSync(diesFile(folder), '')
          return workers
        },
        outlived: () => Promise.reject(new Error('there is nobody else')),
        stop: () => end(child, END),
      }
    },
  }
}

/** The grid's programs without a pool. */
export function computeLocal(): Contender {
  const form = (): string => 'computeLocal of the same jel: a process, and one for each worker'
  return threads('programs/local-client.ts', { name: 'computeLocal', form, missing: () => undefined })
}

export function piscina(): Contender {
  const form = (): string => `piscina ${versionOf('piscina')}: one process, in which each worker is a thread`
  return threads('programs/piscina-client.ts', { name: 'piscina', form, missing: (install) => missing('piscina', install) })
}
