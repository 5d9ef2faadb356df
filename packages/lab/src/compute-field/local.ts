/** The same programs in one process (`computeLocal`), whose threads are the workers. */
import { join } from 'node:path'
import { startRemote } from '../base/remote.ts'
import type { Contender } from './contender.ts'
import type { LocalClient } from './programs/local-client.ts'
import { crewOfThreads } from './threads.ts'

const CLIENT = new URL('programs/local-client.ts', import.meta.url)

export function local(): Contender {
  return {
    name: 'computeLocal',
    form: () => 'computeLocal of the same jel: a process, and one for each worker',
    parts: ['worker'],
    missing: () => undefined,
    start: async (place) => {
      const { child, remote } = startRemote<LocalClient>(CLIENT)
      await remote.enter({ workers: place.workers, cache: join(place.folder, 'cache') })
      return crewOfThreads(child, remote, place)
    },
  }
}
