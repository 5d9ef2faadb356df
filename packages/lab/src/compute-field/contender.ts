/** The contenders: systems that run tasks on workers of one machine. */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Remote } from '../base/remote.ts'
import type { Begun, Client } from './programs/client.ts'

/**
 * Parts of a contender's processes that the experiment can kill. `holder`: the part without which a
 * job can't go on. That is the master, the queue, or in `jel` the member that holds the root of the
 * job.
 */
export const PARTS = ['worker', 'holder', 'submitter'] as const
export type Part = (typeof PARTS)[number]

/** A running contender. */
export interface Cluster {
  readonly client: Remote<Client>
  /** Number of processes that talk to each other. */
  readonly nodes: number
  /** Ends a part with SIGKILL. Returns the number of remaining workers. */
  kill(part: Part, begun: Begun): number
  /** Resolves when a process other than the submitter has the results. */
  outlived(begun: Begun, tasks: number): Promise<void>
  readonly stop: () => Promise<void>
}

export interface Place {
  readonly workers: number
  /** A folder of the cluster's own. It exists while the cluster runs. */
  readonly folder: string
  /** The experiment kills the submitter. So a second client must watch the job. Default: false. */
  readonly watched?: boolean
}

export interface Contender {
  readonly name: string
  /** Describes the processes, with versions. */
  form(): string
  /** The parts that the experiment can kill. */
  readonly parts: readonly Part[]
  /**
   * Returns the reason why the contender can't run here; undefined if it can. `install`: installs
   * missing packages.
   */
  missing(install: boolean): string | undefined
  readonly start: (place: Place) => Promise<Cluster>
  /**
   * Starts the contender with other settings than the defaults. The experiment measures this only
   * after the SIGKILL of a worker.
   */
  readonly tuned?: { readonly how: string; readonly start: (place: Place) => Promise<Cluster> }
}

/** When this file of a contender's folder exists, one task ends its own worker. */
export function diesFile(folder: string): string {
  return join(folder, 'die')
}

/**
 * Starts a cluster in a new folder, and runs `run`. Then stops the cluster and removes the folder.
 */
export async function withCluster<Kind extends Cluster, Value>(
  start: (place: Place) => Promise<Kind>,
  { parent, ...place }: Omit<Place, 'folder'> & { readonly parent: string },
  run: (cluster: Kind, folder: string) => Promise<Value>,
): Promise<Value> {
  const folder = mkdtempSync(join(parent, 'cluster-'))
  try {
    const cluster = await start({ ...place, folder })
    try {
      return await run(cluster, folder)
    } finally {
      await cluster.stop()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
