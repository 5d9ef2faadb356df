/** piscina: threads of this process. */
import { fileURLToPath } from 'node:url'
import { serve } from '../../base/remote.ts'
import { check, timed } from '../client.ts'
import type { ThreadsClient } from '../threads.ts'
import { load } from '../packages.ts'
import type { Work } from './work.ts'

/** The part of piscina's interface that this experiment uses. */
interface Threads {
  run(work: Work): Promise<number>
}
interface Piscina {
  readonly Piscina: new (options: { filename: string; minThreads: number; maxThreads: number }) => Threads
}

let threads: Threads
let running: Promise<number>

const client: ThreadsClient = {
  enter({ workers }) {
    const { Piscina } = load('piscina') as Piscina
    const filename = fileURLToPath(new URL('piscina-tasks.ts', import.meta.url))
    threads = new Piscina({ filename, minThreads: workers, maxThreads: workers })
  },
  begin({ tasks, ...each }) {
    running = timed(async () => {
      const values = await Promise.all(Array.from({ length: tasks }, (_, number) => threads.run({ ...each, number })))
      const sum = values.reduce((total, value) => total + value, 0)
      check(sum, tasks)
    })
    running.catch(() => {})
    return { log: each.log }
  },
  ended: () => running,
  inTurn,
  jobByJob: inTurn,
}
serve(client)

function inTurn(tasks: number): Promise<number> {
  return timed(async () => {
    let sum = 0
    for (let number = 0; number < tasks; number++) sum += await threads.run({ number, ms: 0, busy: false })
    check(sum, tasks)
  })
}
