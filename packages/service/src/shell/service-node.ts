import type { Pool } from '@jel/jel'
import type { Answer } from '../core/call-messages.ts'
import { SERVICE_CONSTANT, type StatedService } from '../core/directory.ts'
import { InvalidServiceError } from '../errors.ts'
import { CallClient } from './call-client.ts'
import { CallServer, type Call } from './call-server.ts'
import { Peers } from './peers.ts'

/** A service at this member. */
export interface Instance {
  /** The part of this member in a replicated service. Undefined: the service is not replicated. */
  readonly status?: object
  take(call: Call): Promise<Answer>
}

/** The services of this member, and the calls from and to it. Each pool object has one. */
export class ServiceNode {
  static readonly #nodes = new WeakMap<Pool, ServiceNode>()

  readonly pool: Pool
  readonly client: CallClient
  readonly peers: Peers
  readonly #server: CallServer
  readonly #end = new AbortController()
  readonly #instances = new Map<string, Instance>()
  readonly #stated = new Map<string, StatedService>()
  #serving: Promise<void> | undefined
  #stating: Promise<void> = Promise.resolve()

  private constructor(pool: Pool) {
    this.pool = pool
    this.client = new CallClient(pool)
    this.peers = new Peers(pool)
    this.#server = new CallServer(
      pool,
      async (call) => await this.take(call),
      (name) => this.statusOf(name),
    )
    const { signal } = this.#end
    for (const type of ['died', 'left'] as const) pool.addEventListener(type, ({ detail }) => this.client.forget(detail.id), { signal })
    void pool.closed.then(() => this.#close())
  }

  static of(pool: Pool): ServiceNode {
    let node = ServiceNode.#nodes.get(pool)
    if (node === undefined) ServiceNode.#nodes.set(pool, (node = new ServiceNode(pool)))
    return node
  }

  /** Adds a service of this member, and announces it to all members. */
  async add(name: string, instance: Instance, stated: StatedService): Promise<void> {
    if (this.#instances.has(name)) throw new InvalidServiceError(`${name}: this member has a service of this name already`)
    this.#instances.set(name, instance)
    try {
      this.#serving ??= this.#server.start(this.#end.signal)
      await this.#serving
      await this.state(name, stated)
    } catch (error) {
      this.#instances.delete(name)
      throw error
    }
  }

  async remove(name: string): Promise<void> {
    this.#instances.delete(name)
    // The pool may have ended.
    await this.state(name, undefined).catch(() => {})
  }

  /** Announces a service to all members. Undefined: the service has ended. */
  async state(name: string, stated: StatedService | undefined): Promise<void> {
    const before = this.#stated.get(name)
    if (stated === undefined) this.#stated.delete(name)
    else this.#stated.set(name, stated)
    const turn = this.#stating.then(async () => {
      const isEmpty = this.#stated.size === 0
      const bytes = isEmpty ? undefined : new TextEncoder().encode(JSON.stringify(Object.fromEntries(this.#stated)))
      await this.pool.setConstant(SERVICE_CONSTANT, bytes)
    })
    this.#stating = turn.catch(() => {})
    try {
      await turn
    } catch (error) {
      if (before === undefined) this.#stated.delete(name)
      else this.#stated.set(name, before)
      throw error
    }
  }

  /** Answers a call to a service of this member. Never rejects. */
  async take(call: Call): Promise<Answer> {
    const instance = this.#instances.get(call.name)
    if (instance !== undefined) return await instance.take(call)
    return { error: { code: 'NO_SERVER', message: `${call.name}: this member has no such service` } }
  }

  /** Returns the part of this member in a replicated service. */
  statusOf(name: string): Answer {
    const status = this.#instances.get(name)?.status
    if (status !== undefined) return { result: JSON.stringify(status) }
    return { error: { code: 'NO_SERVER', message: `${name}: this member has no replica of such a service` } }
  }

  /** Whether the pool has ended. */
  get isClosed(): boolean {
    return this.#end.signal.aborted
  }

  /** Whether this member has this service. */
  has(name: string): boolean {
    return this.#instances.has(name)
  }

  #close(): void {
    this.#end.abort()
    this.#server.close()
    this.client.close()
    this.peers.close()
  }
}
