/** Real hosts on loopback, many to a process, spread over a few worker processes. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { end } from '../driver/child.ts'
import { startRemote, type Remote } from '../driver/remote.ts'
import type { HostWorker, StartedHost } from './host-worker.ts'
import { usageOfAll, type Usage } from '../driver/usage.ts'

/** Node's own flags for the children, such as `--cpu-prof`. */
export type NodeFlags = readonly string[]

/** Longest that a worker may take to let all its hosts leave. */
const STOP_TIMEOUT = 30_000

interface Worker {
  readonly child: ChildProcess
  readonly remote: Remote<HostWorker>
}

function startWorker(flags: NodeFlags): Worker {
  return startRemote<HostWorker>(new URL('host-worker.ts', import.meta.url), flags)
}

export class HostSwarm {
  readonly #workers: readonly Worker[]
  readonly #pool = `bench-${process.pid}-${Date.now()}`
  /** Which worker runs a host. */
  readonly #homes = new Map<string, Worker>()
  #introducer: string | undefined

  constructor(workers: number, flags: NodeFlags) {
    this.#workers = Array.from({ length: workers }, () => startWorker(flags))
  }

  get ids(): string[] {
    return [...this.#homes.keys()]
  }

  /** Starts `count` hosts at once, evenly over the workers; all know the very first host of the swarm only. */
  async start(count: number): Promise<StartedHost[]> {
    const share = Math.ceil(count / this.#workers.length)
    const bootstrap = this.#introducer === undefined ? [] : [this.#introducer]
    const started = await Promise.all(
      this.#workers.map(async (worker, index) => {
        const mine = Math.max(0, Math.min(share, count - index * share))
        const hosts = await worker.remote.start(mine, this.#pool, bootstrap)
        for (const { id } of hosts) this.#homes.set(id, worker)
        return hosts
      }),
    )
    this.#introducer ??= started[0]?.[0]?.address
    return started.flat()
  }

  /** When the last of the hosts knew: the latest time at which all of them had seen this of all `subjects`. */
  async knownByAll(type: string, subjects: readonly string[], timeout: number): Promise<number> {
    const answers = await Promise.all(this.#workers.map(({ remote }) => remote.until({ observers: this.ids, type, subjects }, timeout)))
    return Math.max(...answers.flat().map(([, time]) => time))
  }

  /** Lets one host leave; the time at which it was asked to. */
  async leave(id: string): Promise<number> {
    const home = this.#homes.get(id)
    if (home === undefined) throw new Error(`no host ${id}`)
    this.#homes.delete(id)
    return home.remote.leave(id)
  }

  /** Deaths that were announced although nobody died, and notifications that came twice. */
  async wrongs(): Promise<{ deaths: number; repeats: number }> {
    const each = await Promise.all(
      this.#workers.map(async ({ remote }) => ({ deaths: await remote.unexpectedDeaths([]), repeats: await remote.repeats() })),
    )
    return { deaths: each.reduce((sum, { deaths }) => sum + deaths, 0), repeats: each.reduce((sum, { repeats }) => sum + repeats, 0) }
  }

  async socketBytes(): Promise<number> {
    const counts = await Promise.all(this.#workers.map(({ remote }) => remote.socketBytes()))
    return counts.reduce((sum, count) => sum + count, 0)
  }

  async links(): Promise<number[]> {
    return (await Promise.all(this.#workers.map(({ remote }) => remote.links()))).flat()
  }

  usage(): Usage {
    return usageOfAll(this.#workers.flatMap(({ child }) => child.pid ?? []))
  }

  async stop(): Promise<void> {
    await Promise.all(
      this.#workers.map(async ({ child, remote }) => {
        // The answer is the end of the process; a worker that can't stop is killed.
        const stopped = once(child, 'exit', { signal: AbortSignal.timeout(STOP_TIMEOUT) }).catch(() => {})
        remote.stop().catch(() => {})
        await stopped
        await end(child, 2000)
      }),
    )
  }
}
