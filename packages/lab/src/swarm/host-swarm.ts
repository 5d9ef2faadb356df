/** Real hosts on loopback, many to a process, spread over a few worker processes. */
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { end } from '../base/child.ts'
import { startRemote, type RemoteProcess } from '../base/remote.ts'
import type { HostWorker, StartedHost } from './host-worker.ts'
import type { RealSwarm } from './swarm.ts'
import { combine, nothing, type Tally } from './tally.ts'
import { usageOfAll, type Usage } from '../base/usage.ts'

/** Node's own flags for the children, such as `--cpu-prof`. */
export type NodeFlags = readonly string[]

/** Longest that a worker may take to let all its hosts leave. */
const STOP_TIMEOUT = 30_000

type Worker = RemoteProcess<HostWorker>

function startWorker(flags: NodeFlags): Worker {
  return startRemote<HostWorker>(new URL('host-worker.ts', import.meta.url), flags)
}

export interface HostSwarmOptions {
  /** Counts the hosts' messages, which takes some time. */
  readonly counts?: boolean
}

export class HostSwarm implements RealSwarm {
  /** Workers with several hosts come first. */
  readonly #workers: Worker[]
  readonly #shared: number
  readonly #flags: NodeFlags
  readonly #counts: boolean
  readonly #pool = `bench-${process.pid}-${Date.now()}`
  /** The worker of each host. */
  readonly #homes = new Map<string, Worker>()
  /** The tally of killed hosts. */
  #buried = nothing
  #introducer: string | undefined
  #started = 0

  constructor(workers: number, flags: NodeFlags, { counts = false }: HostSwarmOptions = {}) {
    this.#shared = workers
    this.#flags = flags
    this.#counts = counts
    this.#workers = Array.from({ length: workers }, () => startWorker(flags))
  }

  get ids(): string[] {
    return [...this.#homes.keys()]
  }

  /**
   * Starts hosts evenly over the workers, in turn; or each in a process of its own, which can be
   * killed (`mortal`). All know the very first host of the swarm only.
   */
  async start(count: number, { mortal = false }: { readonly mortal?: boolean } = {}): Promise<StartedHost[]> {
    const homes = Array.from({ length: count }, () => (mortal ? startWorker(this.#flags) : this.#workers[this.#started++ % this.#shared]))
    if (mortal) this.#workers.push(...homes.flatMap((home) => home ?? []))
    const counts = Map.groupBy(homes, (home) => home)
    const started = await Promise.all(
      [...counts].map(async ([home, all]) => (home === undefined ? [] : await this.#startIn(home, all.length))),
    )
    return started.flat()
  }

  /** Lets time pass. */
  async rest(ms: number): Promise<void> {
    await sleep(ms)
  }

  async #startIn(worker: Worker, count: number): Promise<StartedHost[]> {
    if (this.#counts && ![...this.#homes.values()].includes(worker)) await worker.remote.count()
    const hosts = await worker.remote.start(count, this.#pool, this.#introducer === undefined ? [] : [this.#introducer])
    for (const { id } of hosts) this.#homes.set(id, worker)
    this.#introducer ??= hosts[0]?.address
    return hosts
  }

  /** Sends SIGKILL to a host with a process of its own. Returns the time of the kill. */
  async kill(id: string): Promise<number> {
    const home = this.#homes.get(id)
    if (home === undefined) throw new Error(`no host ${id}`)
    this.#homes.delete(id)
    this.#buried = combine(this.#buried, await home.remote.tally())
    this.#workers.splice(this.#workers.indexOf(home), 1)
    const killed = performance.timeOrigin + performance.now()
    home.child.kill('SIGKILL')
    return killed
  }

  /** When each host received this event about a subject. */
  async sightings(type: string, subject: string): Promise<number[]> {
    return (await Promise.all(this.#workers.map(async ({ remote }) => await remote.sightings(type, subject)))).flat()
  }

  /** Only of a swarm that counts. */
  async tally(): Promise<Tally> {
    const tallies = await Promise.all(this.#workers.map(async ({ remote }) => await remote.tally()))
    return tallies.reduce((sum, each) => combine(sum, each), this.#buried)
  }

  async knownByAll(type: string, subjects: readonly string[], timeout: number): Promise<number> {
    const answers = await Promise.all(this.#workers.map(({ remote }) => remote.until({ observers: this.ids, type, subjects }, timeout)))
    return Math.max(...answers.flat().map(([, time]) => time))
  }

  /** Lets one host leave. Returns the time of the call. */
  async leave(id: string): Promise<number> {
    const home = this.#homes.get(id)
    if (home === undefined) throw new Error(`no host ${id}`)
    this.#homes.delete(id)
    return home.remote.leave(id)
  }

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
        // The process ends as its answer; a worker that can't stop is killed.
        const stopped = once(child, 'exit', { signal: AbortSignal.timeout(STOP_TIMEOUT) }).catch(() => {})
        remote.stop().catch(() => {})
        await stopped
        await end(child, 2000)
      }),
    )
  }
}
