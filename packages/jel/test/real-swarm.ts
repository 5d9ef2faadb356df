import { randomUUID } from 'node:crypto'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MessageChannel } from 'node:worker_threads'
import {
  realTime,
  type Swarm,
  type SwarmEvent,
  type SwarmMember,
  type SwarmNode,
  type SwarmRecord,
  type SwarmReign,
  type SwarmSpawnOptions,
} from '@jel/conformance'
import { startOverlay } from '@jel/overlay'
import { joinPool, Pool, type Change, type PoolOptions } from '../src/index.ts'
import { OverlayServer } from '../src/thread/overlay-server.ts'
import { startRemoteOverlay } from '../src/thread/start.ts'
import { enterByPort } from './port.ts'

/** The features that several hosts in one process lack. */
export const lacks = {
  pause: 'one process holds all hosts',
  silence: 'loopback is never silent',
  partition: 'loopback is never split',
  introduce: 'mDNS is off on loopback',
  jobs: 'jobs are a layer above this package',
  slow: 'takes minutes',
} as const

const unable = (what: string): Promise<never> => Promise.reject(new Error(`this swarm can't ${what}`))

/** A node, and a way to end it without a leave. */
interface Started {
  readonly pool: Pool
  readonly crash: () => Promise<void>
}

/** Starts a node by the kind of its thread. */
const threads: Record<
  'main' | 'worker' | 'port',
  (name: string, options: PoolOptions & { tag?: Uint8Array; key?: Uint8Array }) => Promise<Started>
> = {
  async main(name, options) {
    const pool = await joinPool(name, { ...options, thread: 'main' })
    return { pool, crash: async () => await pool.libp2p.stop() }
  },
  // All of `thread: 'worker'` except the thread. A thread takes half a second to start.
  async port(name, options) {
    const overlay = await startOverlay({ ...options, pool: name })
    const { port1, port2 } = new MessageChannel()
    void new OverlayServer(overlay, port1)
    const pool = new Pool(await enterByPort(port2), { joins: 'unreliable', elections: 'non-uniform' })
    return { pool, crash: async () => await overlay.libp2p.stop() }
  },
  // Like `joinPool`, with access to the thread.
  async worker(name, options) {
    const overlay = await startRemoteOverlay({ ...options, pool: name })
    return { pool: new Pool(overlay, { joins: 'unreliable', elections: 'non-uniform' }), crash: async () => await overlay.terminate() }
  },
}

/** Real hosts over TCP on loopback, all in this process. */
export class RealSwarm implements Swarm<RealNode> {
  readonly #name = `conformance-${randomUUID()}`
  readonly #directory: string
  readonly #nodes: RealNode[] = []
  readonly #start: (typeof threads)['main']
  #identities = 0

  private constructor(directory: string, start: (typeof threads)['main']) {
    this.#directory = directory
    this.#start = start
  }

  static async create(thread: keyof typeof threads = 'main'): Promise<RealSwarm> {
    return new RealSwarm(await mkdtemp(join(tmpdir(), 'jel-conformance-')), threads[thread])
  }

  async spawn({ introducers = [], identityOf, computes = false, ...options }: SwarmSpawnOptions<RealNode> = {}): Promise<RealNode> {
    if (computes) return await unable('compute')
    const identityFile = join(this.#directory, `${this.#identities++}`)
    await identityOf?.copyIdentity(identityFile)
    const started = await this.#start(this.#name, {
      ...options,
      listen: ['/ip4/127.0.0.1/tcp/0'],
      bootstrap: introducers.map(({ address }) => address),
      identityFile,
    })
    const node = new RealNode(started, identityFile)
    this.#nodes.push(node)
    return node
  }

  readonly within = realTime.within
  readonly pass = realTime.pass
  readonly partition = (): Promise<void> => unable('split')
  readonly heal = (): Promise<void> => unable('split')
  readonly introduce = (): Promise<void> => unable('introduce')

  async close(): Promise<void> {
    await Promise.all(this.#nodes.map(async (node) => await node.leave()))
    await rm(this.#directory, { recursive: true })
  }
}

export class RealNode implements SwarmNode {
  readonly id: string
  readonly address: string
  readonly addresses: readonly string[]
  isRunning = true
  identityFile: string
  readonly events: SwarmEvent[] = []
  readonly #pool: Pool
  readonly #crash: () => Promise<void>

  constructor({ pool, crash }: Started, identityFile: string) {
    this.#pool = pool
    this.#crash = crash
    this.id = pool.self.id
    this.addresses = pool.self.addresses
    this.address = pool.self.addresses[0] ?? ''
    void pool.closed.then(() => (this.isRunning = false))
    this.identityFile = identityFile
    void collect(pool.changes(), this.events)
    pool.addEventListener('elected', ({ detail }) => this.events.push({ type: 'elected', reign: detail }))
    for (const record of pool.records()) this.events.push({ type: 'record', record })
    pool.addEventListener('record', ({ detail }) => this.events.push({ type: 'record', record: detail }))
    pool.addEventListener('event', ({ detail }) => this.events.push({ type: 'event', ...detail }))
    pool.addEventListener('signal', ({ detail }) => this.events.push({ type: 'signal', ...detail }))
  }

  /** Copies the identity: a host that was killed in this process still holds its lock. */
  async copyIdentity(to: string): Promise<string> {
    await copyFile(this.identityFile, to)
    return to
  }

  members(): Promise<readonly SwarmMember[]> {
    return Promise.resolve(this.#pool.members())
  }

  async elect(election: string, options: { readonly signal?: AbortSignal } = {}): Promise<SwarmReign> {
    return await this.#pool.elect(election, options)
  }

  async result(election: string, options: { readonly signal?: AbortSignal } = {}): Promise<SwarmReign> {
    return await this.#pool.electionResult(election, options)
  }

  withdraw(election: string): Promise<void> {
    this.#pool.withdraw(election)
    return Promise.resolve()
  }

  maybeDead(id: string): Promise<void> {
    this.#pool.maybeDead(id)
    return Promise.resolve()
  }

  async signal(name: string, ids: readonly string[]): Promise<void> {
    await this.#pool.signal(name, ids)
  }

  async publish(name: string, value: Uint8Array, ttl: number): Promise<void> {
    await this.#pool.publish(name, value, { ttl })
  }

  async unpublish(name: string): Promise<void> {
    await this.#pool.unpublish(name)
  }

  records(prefix?: string): Promise<readonly SwarmRecord[]> {
    return Promise.resolve(this.#pool.records(prefix))
  }

  async setTag(tag: Uint8Array): Promise<void> {
    await this.#pool.setTag(tag)
  }

  async broadcast(name: string, payload: Uint8Array): Promise<void> {
    await this.#pool.broadcast(name, payload)
  }

  async leave(): Promise<void> {
    await this.#pool.leave()
  }

  /** Closes the sockets without a leave. The rest of the node has no connections. */
  async kill(): Promise<void> {
    // A killed process writes nothing more. The process of this node may.
    const kept = `${this.identityFile}-kept`
    await copyFile(this.identityFile, kept)
    this.identityFile = kept
    this.isRunning = false
    await this.#crash()
  }

  readonly pause = (): Promise<void> => unable('pause')
  readonly resume = (): Promise<void> => unable('pause')
  readonly silence = (): Promise<void> => unable('be silent')

  readonly submit = (): Promise<void> => unable('compute')
  readonly jobResult = (): Promise<number> => unable('compute')
  readonly cancelJob = (): Promise<void> => unable('compute')

  watch(): Promise<readonly SwarmEvent[]> {
    const events: SwarmEvent[] = []
    void collect(this.#pool.changes(), events)
    return Promise.resolve(events)
  }
}

async function collect(changes: AsyncIterable<Change>, events: SwarmEvent[]): Promise<void> {
  try {
    for await (const { type, member } of changes) events.push({ type, member })
  } catch {
    // The host was killed: no more changes come.
  }
}
