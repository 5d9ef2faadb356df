/** piscina: one process, in which each worker is a thread. */
import { startRemote } from '../base/remote.ts'
import type { Contender } from './contender.ts'
import { missing, versionOf } from './packages.ts'
import type { PiscinaClient } from './programs/piscina-client.ts'
import { crewOfThreads } from './threads.ts'

const CLIENT = new URL('programs/piscina-client.ts', import.meta.url)

export function piscina(): Contender {
  return {
    name: 'piscina',
    form: () => `piscina ${versionOf('piscina')}: one process, in which each worker is a thread`,
    parts: ['worker'],
    missing: (install) => missing('piscina', install),
    start: async (place) => {
      const { child, remote } = startRemote<PiscinaClient>(CLIENT)
      await remote.enter({ workers: place.workers })
      return crewOfThreads(child, remote, place)
    },
  }
}
