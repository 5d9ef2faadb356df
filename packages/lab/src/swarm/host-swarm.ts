/** A pool of real hosts on loopback, spread over a few worker processes with many hosts each. */
import { setTimeout as sleep } from 'node:timers/promises'
import { sum } from '../base/quantiles.ts'
import { startRemote, stopRemote, type RemoteProcess } from '../base/remote.ts'
import type { HostWorker, StartedHost } from './host-worker.ts'
import { combine, nothing, type Tally } from './tally.ts'
import { usageOfAll, type Usage } from '../base/usage.ts'

/** Longest time that a worker may take to let all its hosts leave, ms. */
const STOP_TIMEOUT = 30_000

type Worker = RemoteProcess<HostWorker>

function startWorker(flags: readonly string[]): Worker {
  return startRemote<HostWorker>(new URL('host-worker.ts', import.meta.url), flags)
}

export class HostSwarm {
  /** The workers. Those with several hosts come first. */
  readonly #workers: Worker[]
  readonly #shared: number
  readonly #flags: readonly string[]
  readonly #counts: boolean
  readonly #pool = `bench-${process.pid}-${Date.now()}`
  /** The worker of each host. */
  readonly #homes = new Map<string, Worker>()
  /** The tally of the killed hosts' processes. */
  #tallyOfKilled = nothing
  #introducer: string | undefined
  #started = 0

  /**
   * `flags`: flags of Node for the workers, such as `--cpu-prof`. `counts`: counts the messages of
   * hosts, which takes some time.
   */
  constructor(workers: number, flags: readonly string[], { counts = false } = {}) {
    this.#shared = workers
    this.#flags = flags
    this.#counts = counts
    this.#workers = Array.from({ length: workers }, () => startWorker(flags))
  }

  /** The ids of the running nodes. */
  get ids(): string[] {
    return [...this.#homes.keys()]
  }

  /**
   * Starts hosts. The workers take turns. `killable`: each host gets a separate process, so that
   * `kill` can end it. Every host knows only the first host of the swarm at its start.
   */
  async start(count: number, { killable = false }: { readonly killable?: boolean } = {}): Promise<StartedHost[]> {
    const homes = Array.from({ length: count }, () => (killable ? startWorker(this.#flags) : this.#workers[this.#started++ % this.#shared]))
    if (killable) this.#workers.push(...homes.flatMap((home) => home ?? []))
    const counts = Map.groupBy(homes, (home) => home)
    const started = await Promise.all(
      [...counts].map(async ([home, all]) => (home === undefined ? [] : await this.#startIn(home, all.length))),
    )
    return started.flat()
  }

  /** Waits. */
  async pass(ms: number): Promise<void> {
    await sleep(ms)
  }

  async #startIn(worker: Worker, count: number): Promise<StartedHost[]> {
    if (this.#counts && ![...this.#homes.values()].includes(worker)) await worker.remote.count()
    const hosts = await worker.remote.start(count, this.#pool, this.#introducer === undefined ? [] : [this.#introducer])
    for (const { id } of hosts) this.#homes.set(id, worker)
    this.#introducer ??= hosts[0]?.address
    return hosts
  }

  /** Sends SIGKILL to a host in a separate process. Returns the time of the kill. */
  async kill(id: string): Promise<number> {
    const home = this.#take(id)
    this.#tallyOfKilled = combine(this.#tallyOfKilled, await home.remote.tally())
    this.#workers.splice(this.#workers.indexOf(home), 1)
    const killed = performance.timeOrigin + performance.now()
    home.child.kill('SIGKILL')
    return killed
  }

  /** Returns the times at which other running hosts received this event about the subject. */
  async sightings(type: string, subject: string): Promise<number[]> {
    return (await Promise.all(this.#workers.map(async ({ remote }) => await remote.sightings(type, subject)))).flat()
  }

  /** Returns the counts since the start. Only for a swarm that counts. */
  async tally(): Promise<Tally> {
    const tallies = await Promise.all(this.#workers.map(async ({ remote }) => await remote.tally()))
    return tallies.reduce((sum, each) => combine(sum, each), this.#tallyOfKilled)
  }

  /**
   * Returns the latest time at which a running node reported this event about one of `subjects`, by
   * the nodes' own clocks. Returns Infinity if a report is missing after `timeout` ms.
   */
  async knownByAll(type: string, subjects: readonly string[], timeout: number): Promise<number> {
    const answers = await Promise.all(this.#workers.map(({ remote }) => remote.until({ observers: this.ids, type, subjects }, timeout)))
    return Math.max(...answers.flat().map(([, time]) => time))
  }

  /** Makes one host leave. Returns the time of the call. */
  async leave(id: string): Promise<number> {
    return await this.#take(id).remote.leave(id)
  }

  /** Removes a host that ends. Returns its worker. */
  #take(id: string): Worker {
    const home = this.#homes.get(id)
    if (home === undefined) throw new Error(`no host ${id}`)
    this.#homes.delete(id)
    return home
  }

  /**
   * Returns the number of reported deaths of nodes that the swarm did not kill, and of
   * notifications that came twice.
   */
  async wrongs(): Promise<{ deaths: number; repeats: number }> {
    const each = await Promise.all(
      this.#workers.map(async ({ remote }) => ({ deaths: await remote.unexpectedDeaths(), repeats: await remote.repeats() })),
    )
    return { deaths: sum(each.map(({ deaths }) => deaths)), repeats: sum(each.map(({ repeats }) => repeats)) }
  }

  async socketBytes(): Promise<number> {
    return sum(await Promise.all(this.#workers.map(({ remote }) => remote.socketBytes())))
  }

  async links(): Promise<number[]> {
    return (await Promise.all(this.#workers.map(({ remote }) => remote.links()))).flat()
  }

  usage(): Usage {
    return usageOfAll(this.#workers.flatMap(({ child }) => child.pid ?? []))
  }

  async stop(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => stopRemote(worker, STOP_TIMEOUT)))
  }
}
