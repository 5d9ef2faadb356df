/** BullMQ: a queue in redis, one process for each worker, and a producer. */
import { spawnSync } from 'node:child_process'
import { end } from '../base/child.ts'
import { startRemote } from '../base/remote.ts'
import { freePort, startServer } from '../base/server.ts'
import { isProvided, provide } from '../network/tools.ts'
import type { Contender, Cluster, Place } from './contender.ts'
import { missing, versionOf } from './programs/packages.ts'
import type { WorkerTimes } from './programs/bullmq.ts'
import type { BullmqClient } from './programs/bullmq-client.ts'
import type { BullmqWorker } from './programs/bullmq-worker.ts'

const CLIENT = new URL('programs/bullmq-client.ts', import.meta.url)
const WORKER = new URL('programs/bullmq-worker.ts', import.meta.url)
/** Longest time that a process may take to end, ms. */
const END = 1000
/** The shortest lock time that a worker renews in time on busy cores. A guess. */
const TUNED: WorkerTimes = { lockDuration: 1000, stalledInterval: 1000 }

async function start({ workers: count, folder, watched = false }: Place, times: WorkerTimes): Promise<Cluster> {
  const port = await freePort()
  const redis = await startServer('redis-server', ['--bind', '127.0.0.1', '--port', String(port), '--dir', folder], folder, port)
  const workers = Array.from({ length: count }, () => startRemote<BullmqWorker>(WORKER))
  const producers = Array.from({ length: watched ? 2 : 1 }, () => startRemote<BullmqClient>(CLIENT))
  await Promise.all([...workers.map(({ remote }) => remote.enter({ port, times })), ...producers.map(({ remote }) => remote.enter(port))])
  const [producer, watcher] = producers
  const [firstWorker] = workers
  if (producer === undefined || firstWorker === undefined) throw new Error('no process was started')
  return {
    client: producer.remote,
    nodes: count + 2,
    kill: (part) => {
      const { child } = part === 'worker' ? firstWorker : part === 'submitter' ? producer : { child: redis }
      child.kill('SIGKILL')
      return part === 'worker' ? count - 1 : count
    },
    outlived: async (_, tasks) => await watcher?.remote.outlived(tasks),
    stop: async () => {
      await Promise.all([...workers, ...producers].map(({ child }) => end(child, END)))
      await end(redis, END)
    },
  }
}

export function bullmq(): Contender {
  const redisVersion = (): string =>
    / v=(\S+)/u.exec(spawnSync('redis-server', ['--version'], { encoding: 'utf8' }).stdout ?? '')?.[1] ?? '?'
  return {
    name: 'BullMQ',
    form: () =>
      `BullMQ ${versionOf('bullmq')} on redis-server ${redisVersion()}: that one, a process for each worker, and a producer, with all their defaults`,
    parts: ['worker', 'holder', 'submitter'],
    missing: (install) => {
      if (install) provide('redis')
      else if (!isProvided('redis')) return 'redis-server is not installed here (Debian: apt-get install redis-server)'
      return missing('bullmq', install)
    },
    start: (place) => start(place, {}),
    tuned: { how: 'BullMQ with `lockDuration` and `stalledInterval` of 1 s instead of 30 s', start: (place) => start(place, TUNED) },
  }
}
