/** A client of piscina. The workers are threads of this process. */
import { fileURLToPath } from 'node:url'
import { sum } from '../../base/quantiles.ts'
import { serve } from '../../base/remote.ts'
import { clientOf, type ThreadsClient } from './client.ts'
import { load } from './packages.ts'
import type { Work } from './work.ts'

/** The part of piscina's interface that this experiment uses. */
interface Threads {
  run(work: Work): Promise<number>
}
interface Piscina {
  readonly Piscina: new (options: { filename: string; minThreads: number; maxThreads: number }) => Threads
}

let threads: Threads

const client: ThreadsClient = {
  enter({ workers }) {
    const { Piscina } = load('piscina') as Piscina
    const filename = fileURLToPath(new URL('piscina-tasks.ts', import.meta.url))
    threads = new Piscina({ filename, minThreads: workers, maxThreads: workers })
  },
  ...clientOf(
    ({ tasks, ...each }) => ({
      log: each.log,
      result: Promise.all(Array.from({ length: tasks }, (_, number) => threads.run({ ...each, number }))).then(sum),
    }),
    (number) => threads.run({ number, ms: 0, busy: false }),
  ),
}
serve(client)
