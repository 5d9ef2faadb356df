/**
 * The grid as users start it: one process `jel work` for each worker, and a member without workers
 * that submits jobs.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { end } from '../base/child.ts'
import { rootOf } from '../base/job-log.ts'
import { jelBin, jelVersion } from '../base/paths.ts'
import { startRemote, type RemoteProcess } from '../base/remote.ts'
import { treeOf } from '../base/usage.ts'
import { ProcessSwarm } from '../swarm/process-swarm.ts'
import type { NodeProcess } from '../swarm/start-node.ts'
import type { Contender, Cluster, Place } from './contender.ts'
import type { GridClient } from './programs/grid-client.ts'

const CLIENT = new URL('programs/grid-client.ts', import.meta.url)
/** Time after the last join until all members know the members that compute, ms. A guess. */
const SETTLE = 1000
/** Longest time that a process may take to leave its pool, ms. */
const LEAVE = 5000

export interface GridCluster extends Cluster {
  readonly client: RemoteProcess<GridClient>['remote']
  /**
   * The name of the pool, the folder of the owner, and an address of a member. Other members enter
   * with them.
   */
  readonly pool: string
  readonly owner: string
  readonly bootstrap: string
  /** The pids of the worker processes. */
  readonly pids: readonly number[]
}

let pools = 0

/** `flags`: flags of Node for the worker processes. */
export async function startGrid({ workers, folder, watched = false }: Place, flags: readonly string[] = []): Promise<GridCluster> {
  const [pool, owner, cache] = [`field-${process.pid}-${pools++}`, join(folder, 'owner'), join(folder, 'cache')]
  const swarm = new ProcessSwarm({ bin: jelBin, command: 'work', name: pool, flags, env: () => ({ XDG_CACHE_HOME: cache }) })
  const args = ['--workers', '1', '--owner', owner]
  // The first process makes the owner's key. The others must find that key.
  await swarm.start(1, { args })
  await swarm.start(workers - 1, { args })
  const nodes = swarm.nodes.map(({ process }) => process)
  const [{ address: bootstrap }] = nodes as [NodeProcess]
  const enter = async (): Promise<RemoteProcess<GridClient>> => {
    const client = startRemote<GridClient>(CLIENT)
    const place = { pool, owner, cache: join(cache, 'jel', 'blobs'), bootstrap, workers: nodes.map(({ id }) => id) }
    await client.remote.enter(place)
    return client
  }
  const submitter = await enter()
  const watcher = watched ? await enter() : undefined
  await sleep(SETTLE)
  return {
    client: submitter.remote,
    pool,
    owner,
    bootstrap,
    pids: nodes.flatMap(({ child }) => child.pid ?? []),
    nodes: workers + 1,
    kill: (part, { log }) => {
      if (part === 'submitter') {
        submitter.child.kill('SIGKILL')
        return workers
      }
      // The log names the process that runs the root. The `holder` is the node that started that
      // process. Any other node is a `worker`.
      const root = rootOf(log)
      const killed = nodes.find(
        ({ child: { pid } }) => (pid !== undefined && root !== undefined && treeOf(pid).includes(root)) === (part === 'holder'),
      )
      if (killed === undefined) throw new Error(`no process is the ${part}`)
      killed.child.kill('SIGKILL')
      return workers - 1
    },
    outlived: async ({ id }, tasks) => await watcher?.remote.outlived(id as string, tasks),
    stop: async () => {
      const children = [submitter.child, ...(watcher === undefined ? [] : [watcher.child])]
      await Promise.all([swarm.stop(), ...children.map((child) => end(child, LEAVE))])
    },
  }
}

/** `flags`: flags of Node for the worker processes. */
export function grid(flags: readonly string[]): Contender {
  return {
    name: 'jel',
    form: () =>
      `jel ${jelVersion()}: a process \`jel work --workers 1\` for each worker, and one process that submits, all members of one pool`,
    parts: ['worker', 'holder', 'submitter'],
    missing: () => undefined,
    start: (place) => startGrid(place, flags),
  }
}
