/** A pool of real hosts on loopback, spread over a few worker processes with many hosts each. */
import { realTime } from '@jel/conformance'
import { exit } from '../base/child.ts'
import { sum } from '../base/quantiles.ts'
import { startRemote, stopRemote, type RemoteProcess } from '../base/remote.ts'
import { usageOfAll, type Usage } from '../base/usage.ts'
import type { HostWorker } from './host-worker.ts'
import type { MeasuredNode, MeasuredSpawnOptions, MeasuredSwarm } from './measured-swarm.ts'
import { combine, nothing, type Tally } from './tally.ts'

/** Longest time that a worker may take to let all its hosts leave, ms. */
const STOP_TIMEOUT = 30_000

type Worker = RemoteProcess<HostWorker>

/** A host of the swarm. */
interface HostNode extends MeasuredNode {
  readonly address: string
}

export class HostSwarm implements MeasuredSwarm<HostNode> {
  /** The workers. Those with several hosts come first. */
  readonly #workers: Worker[] = []
  readonly #shared: number
  readonly #flags: readonly string[]
  readonly #counts: boolean
  readonly #pool = `bench-${process.pid}-${Date.now()}`
  /** All hosts so far. */
  readonly #nodes: HostNode[] = []
  /** The tally of the killed hosts' processes. */
  #tallyOfKilled = nothing
  #started = 0

  /**
   * `flags`: flags of Node for the workers, such as `--cpu-prof`. `counts`: counts the messages of
   * hosts, which takes some time.
   */
  constructor(workers: number, flags: readonly string[], { counts = false } = {}) {
    this.#shared = workers
    this.#flags = flags
    this.#counts = counts
    for (let i = 0; i < workers; i++) this.#startWorker()
  }

  /** The ids of the running nodes. */
  get ids(): string[] {
    return this.#nodes.flatMap(({ id, endedAt }) => (endedAt === undefined ? [id] : []))
  }

  /** Starts hosts at the same time. All know only the first host of the swarm at their start. */
  async start(count: number): Promise<MeasuredNode[]> {
    const introducers = this.#nodes.slice(0, 1)
    return await Promise.all(Array.from({ length: count }, () => this.spawn({ introducers })))
  }

  /** The workers take turns. A killable host gets a separate process. */
  async spawn({ introducers = [], killable = false }: MeasuredSpawnOptions<HostNode> = {}): Promise<HostNode> {
    const worker = killable ? this.#startWorker() : (this.#workers[this.#started++ % this.#shared] as Worker)
    const bootstrap = introducers.map(({ address }) => address)
    const started = await worker.remote.start(this.#pool, bootstrap)
    const node: HostNode = {
      ...started,
      endedAt: undefined,
      leave: async () => {
        node.endedAt = now()
        // The time of the call in the process of the host.
        node.endedAt = await worker.remote.leave(node.id)
      },
      kill: async () => {
        this.#tallyOfKilled = combine(this.#tallyOfKilled, await worker.remote.tally())
        this.#workers.splice(this.#workers.indexOf(worker), 1)
        node.endedAt = now()
        worker.child.kill('SIGKILL')
        await exit(worker.child)
      },
    }
    this.#nodes.push(node)
    return node
  }

  readonly pass = realTime.pass

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

  #startWorker(): Worker {
    const worker = startRemote<HostWorker>(new URL('host-worker.ts', import.meta.url), this.#flags)
    this.#workers.push(worker)
    // The worker takes calls in order, so it counts before its first host starts.
    if (this.#counts) void worker.remote.count()
    return worker
  }
}

function now(): number {
  return performance.timeOrigin + performance.now()
}
