import { setImmediate } from 'node:timers/promises'
import type { Swarm, SwarmEvent, SwarmJob, SwarmMember, SwarmNode, SwarmRecord, SwarmReign, SwarmSpawnOptions } from '@jel/conformance'
import { defaultConfig, ProtocolNode, type Milliseconds, type NodeId, type Notification } from '@jel/protocol'
import {
  Simulation,
  SimulationTimeoutError,
  type Identity,
  type JelNode,
  type SimulatedNode,
  type SimulationOptions,
  type SpawnOptions,
} from '../src/index.ts'
import { NodeJobs } from './node-jobs.ts'

export type PoolNode = SimulatedNode<JelNode>

/** Returns a simulation of the real protocol. */
export function simulatePool(options: Partial<SimulationOptions<JelNode>> & { readonly seed: number }): Simulation<JelNode> {
  return new Simulation({ createProtocol: (parts) => new ProtocolNode({ ...parts, config: defaultConfig }), ...options })
}

/** The virtual time between two checks of a condition, ms. */
const tick = 5

export interface SimulatedSwarmOptions extends Partial<SimulationOptions<JelNode>> {
  readonly seed: number
  /** Time from a kill until the kernel closes the sockets of the process, ms. Default: 0. */
  readonly dying?: Milliseconds
}

/** The simulator as a swarm. Virtual time passes while the caller waits. */
export class SimulatedSwarm implements Swarm<SimulatedSwarmNode> {
  readonly simulation: Simulation<JelNode>
  readonly #dying: Milliseconds

  constructor({ dying = 0, ...options }: SimulatedSwarmOptions) {
    this.simulation = simulatePool(options)
    this.#dying = dying
  }

  /** `machine`: see {@link SpawnOptions}. */
  spawn({
    introducers = [],
    identityOf,
    computes = false,
    ...options
  }: SwarmSpawnOptions<SimulatedSwarmNode> & Pick<SpawnOptions, 'machine'> = {}): Promise<SimulatedSwarmNode> {
    const identity = identityOf?.identity ?? this.simulation.createIdentity()
    const storedIncarnation = identityOf?.node.storedIncarnation ?? 0
    const known = introducers.map(({ node }) => node)
    const node = this.simulation.spawn({ ...options, introducers: known, identity, storedIncarnation })
    const jobs = computes ? new NodeJobs(this.simulation, node, options.location ?? '') : undefined
    return Promise.resolve(new SimulatedSwarmNode(this.simulation, { node, identity, jobs, dying: this.#dying }))
  }

  async within(limit: Milliseconds, condition: () => boolean): Promise<Milliseconds> {
    const start = this.simulation.now
    for (;;) {
      // Code that waits for a promise continues here, and no virtual time passes meanwhile.
      await setImmediate()
      if (condition()) return this.simulation.now - start
      if (this.simulation.now >= start + limit)
        throw new SimulationTimeoutError(`seed ${this.simulation.seed}, at ${this.simulation.now} ms`)
      this.simulation.run(Math.min(tick, start + limit - this.simulation.now))
    }
  }

  async pass(time: Milliseconds): Promise<void> {
    this.simulation.run(time)
    await setImmediate()
  }

  async partition(groups: readonly (readonly SimulatedSwarmNode[])[]): Promise<void> {
    this.simulation.partition(...groups.map((group) => group.map(({ node }) => node)))
    await this.pass(0)
  }

  async heal(): Promise<void> {
    this.simulation.heal()
    await this.pass(0)
  }

  async introduce({ node }: SimulatedSwarmNode, other: SimulatedSwarmNode): Promise<void> {
    const { id, addresses } = other.node
    const [address] = addresses
    if (address !== undefined) node.inject({ type: 'discovered', introducer: { id, address } })
    await this.pass(0)
  }

  async close(): Promise<void> {
    for (const node of this.simulation.nodes) this.simulation.kill(node)
    await this.pass(0)
  }
}

interface SwarmNodeParts {
  readonly node: PoolNode
  readonly identity: Identity
  readonly jobs: NodeJobs | undefined
  readonly dying: Milliseconds
}

export class SimulatedSwarmNode implements SwarmNode {
  readonly id: NodeId
  readonly events: SwarmEvent[] = []
  readonly node: PoolNode
  readonly identity: Identity
  readonly called: Milliseconds
  endedAt: Milliseconds | undefined
  readonly #simulation: Simulation<JelNode>
  readonly #jobs: NodeJobs | undefined
  readonly #dying: Milliseconds
  readonly #waiting = new Set<(notification: Notification) => void>()
  #signals = 0

  constructor(simulation: Simulation<JelNode>, { node, identity, jobs, dying }: SwarmNodeParts) {
    this.id = node.id
    this.node = node
    this.identity = identity
    this.called = simulation.now
    this.#simulation = simulation
    this.#jobs = jobs
    this.#dying = dying
    simulation.subscribe((told, notification) => {
      if (told !== node) return
      this.#record(notification)
      for (const waiting of this.#waiting) waiting(notification)
    })
  }

  /** Time at which the node had entered. */
  get entered(): Milliseconds {
    return this.node.news[0]?.time ?? Number.NaN
  }

  members(): Promise<readonly SwarmMember[]> {
    return Promise.resolve(this.node.protocol.members())
  }

  elect(election: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<SwarmReign> {
    this.node.command({ type: 'elect', election })
    signal?.addEventListener('abort', () => this.node.command({ type: 'withdraw', election }))
    return this.result(election, signal === undefined ? {} : { signal })
  }

  result(election: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<SwarmReign> {
    const known = this.node.protocol.reign(election)
    const lives = known !== undefined && this.node.protocol.member(known.winner.id)?.incarnation === known.winner.incarnation
    if (lives) return Promise.resolve(known)
    return this.#next(
      (notification) => (notification.type === 'elected' && notification.reign.election === election ? notification.reign : undefined),
      signal,
    )
  }

  withdraw(election: string): Promise<void> {
    this.node.command({ type: 'withdraw', election })
    return Promise.resolve()
  }

  maybeDead(id: NodeId): Promise<void> {
    this.node.command({ type: 'maybeDead', id })
    return Promise.resolve()
  }

  async signal(name: string, to: readonly NodeId[]): Promise<void> {
    const ref = this.#signals++
    const ended = this.#next((notification) => (notification.type === 'signalled' && notification.ref === ref ? notification : undefined))
    this.node.command({ type: 'signal', ref, name, to })
    const { failed } = await ended
    if (failed.length > 0) throw new Error(`${failed.length} did not acknowledge`)
  }

  publish(name: string, value: Uint8Array, ttl: Milliseconds): Promise<void> {
    this.node.command({ type: 'publish', name, value, lifetime: ttl })
    return Promise.resolve()
  }

  unpublish(name: string): Promise<void> {
    this.node.command({ type: 'unpublish', name })
    return Promise.resolve()
  }

  records(prefix?: string): Promise<readonly SwarmRecord[]> {
    return Promise.resolve(this.node.protocol.records(prefix))
  }

  setTag(tag: Uint8Array): Promise<void> {
    this.node.command({ type: 'retag', tag })
    return Promise.resolve()
  }

  broadcast(name: string, payload: Uint8Array): Promise<void> {
    this.node.command({ type: 'broadcast', name, payload })
    return Promise.resolve()
  }

  async submit(job: SwarmJob): Promise<void> {
    this.#computing.submit(job)
  }

  async jobResult(name: string): Promise<number> {
    return await this.#computing.result(name)
  }

  async cancelJob(name: string): Promise<void> {
    this.#computing.cancel(name)
  }

  get #computing(): NodeJobs {
    if (this.#jobs === undefined) throw new Error('this node does not compute')
    return this.#jobs
  }

  async leave(): Promise<void> {
    this.endedAt = this.#simulation.now
    this.#simulation.leave(this.node)
    const { promise, resolve } = Promise.withResolvers<undefined>()
    this.#simulation.after(1_000, () => resolve(undefined))
    await promise
  }

  async kill(): Promise<void> {
    this.endedAt = this.#simulation.now
    this.#simulation.after(this.#dying, () => this.#simulation.kill(this.node))
    await setImmediate()
  }

  async pause(): Promise<void> {
    this.#simulation.stopProcess(this.node)
    await setImmediate()
  }

  async resume(): Promise<void> {
    this.#simulation.continueProcess(this.node)
    await setImmediate()
  }

  async silence(): Promise<void> {
    this.#simulation.silence(this.node)
    await setImmediate()
  }

  watch(): Promise<readonly SwarmEvent[]> {
    return Promise.reject(new Error('only the facade has subscriptions'))
  }

  #record(notification: Notification): void {
    switch (notification.type) {
      case 'joined':
      case 'left':
      case 'died':
      case 'elected':
      case 'signal':
      case 'record':
      case 'updated':
      case 'event':
        this.events.push(notification)
        return
      case 'query':
      case 'entered':
      case 'signalled':
      case 'warning':
      case 'health':
    }
  }

  /** Resolves with the first defined value that `read` returns for a notification. */
  #next<T>(read: (notification: Notification) => T | undefined, signal?: AbortSignal): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const take = (notification: Notification): void => {
      const value = read(notification)
      if (value === undefined) return
      this.#waiting.delete(take)
      resolve(value)
    }
    this.#waiting.add(take)
    signal?.addEventListener('abort', () => {
      this.#waiting.delete(take)
      reject(new Error('aborted'))
    })
    return promise
  }
}
