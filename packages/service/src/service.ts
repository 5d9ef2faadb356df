import type { Pool } from '@jel/jel'
import * as v from 'valibot'
import { ServiceClient, type CallOptions } from './client.ts'
import type { Answer } from './core/call-messages.ts'
import { serviceName } from './core/directory.ts'
import type { Reapplied } from './core/reapplied.ts'
import type { Apply } from './core/entry.ts'
import { textOfError, textOfValue } from './core/value.ts'
import { InvalidServiceError } from './errors.ts'
import { DEFAULT_REPLICAS } from './shell/definition.ts'
import { ReplicaHost, type ReplicaNotice, type ReplicaStatus } from './shell/replica-host.ts'
import type { Call } from './shell/call-server.ts'
import { ServiceNode, type Instance } from './shell/service-node.ts'

type Merge = (ours: unknown, theirs: unknown) => unknown

/** The circumstances of a call. */
export interface CallContext {
  /** The id of the member that calls. */
  readonly from: string
  /** Names the operation. A call that is sent again after a death has the same key. */
  readonly key: string
  /** Aborts when the caller gives up or is gone. */
  readonly signal: AbortSignal
}

/** A service without a state: any of its instances answers. */
export interface StatelessService<Input = unknown> {
  /** Default: 1.0.0. At most 32 characters. */
  readonly version?: string
  /**
   * Answers a call. An error rejects the call with `CALL_FAILED`. A call can come twice: its first
   * server may have died after it answered.
   */
  readonly call: (input: Input, context: CallContext) => unknown
}

/**
 * A service whose state several members have. One of them is the primary, and answers all calls.
 */
export interface ReplicatedService<State, Operation = unknown, Result = unknown> {
  readonly version?: string
  /** The number of members that have the state: 1 to 16. Default: 3. */
  readonly replicas?: number
  /** The state before the first operation. All members must give the same one. */
  readonly initial: State
  /**
   * Applies an operation. It must depend on its arguments only: each replica calls it. An error
   * rejects the call with `CALL_FAILED`. It may change the given state itself. A change before an
   * error stays.
   *
   * `now` is a time of the service in ms, about the calendar of its first primary. It only grows.
   */
  readonly apply: (state: State, operation: Operation, context: { readonly now: number }) => readonly [State, Result]
  /**
   * Joins the states of the two sides of a partition. Default: the operations of the side that
   * yields are applied again.
   */
  readonly merge?: (ours: State, theirs: State) => State
  /** `refuse`: takes no operations while this member is in a minority of the pool. */
  readonly minority?: 'refuse'
  /** Takes operations without a backup as well. Default: it refuses them with `DEGRADED`. */
  readonly alone?: boolean
}

/** A service of this member, and its calls. */
export class Service implements AsyncDisposable {
  readonly name: string
  readonly #node: ServiceNode
  readonly #client: ServiceClient
  readonly #replica: ReplicaHost | undefined
  #closing: Promise<void> | undefined

  /** @internal */
  constructor(name: string, pool: Pool, replica: ReplicaHost | undefined) {
    this.name = name
    this.#node = ServiceNode.of(pool)
    this.#client = new ServiceClient(pool)
    this.#replica = replica
  }

  /** Calls the service: see `ServiceClient.call`. */
  async call(input: unknown, options: CallOptions = {}): Promise<unknown> {
    return await this.#client.call(this.name, input, options)
  }

  /** The part of this member in a replicated service; undefined: it is not replicated. */
  get status(): ReplicaStatus | undefined {
    return this.#replica?.status
  }

  /**
   * Calls a function for each operation of any caller that this primary applied again after a
   * partition. The callers hear of it as well. Returns the function that ends the calls.
   */
  onReapplied(listener: (reapplied: Reapplied & { readonly caller: string }) => void): () => void {
    return this.#replica?.onReapplied(listener) ?? (() => {})
  }

  /**
   * Calls a function for each problem of this replica. Returns the function that ends the calls.
   */
  onNotice(listener: (notice: ReplicaNotice) => void): () => void {
    return this.#replica?.onNotice(listener) ?? (() => {})
  }

  /** Ends the service at this member. Another replica becomes the primary. */
  async close(): Promise<void> {
    // A second call must not end a later service of this name.
    this.#closing ??= this.#end()
    await this.#closing
  }

  async #end(): Promise<void> {
    await this.#replica?.close()
    await this.#node.remove(this.name)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}

/**
 * Begins a service at this member. All members state their services, so the others find it.
 *
 * @throws InvalidServiceError; InvalidConstantError if this member states too much: see
 *   `Pool.setConstant`; PoolLeftError
 */
export async function service<State, Operation, Result>(
  pool: Pool,
  name: string,
  definition: ReplicatedService<State, Operation, Result>,
): Promise<Service>
export async function service<Input>(pool: Pool, name: string, definition: StatelessService<Input>): Promise<Service>
export async function service<Input, State, Operation, Result>(
  pool: Pool,
  name: string,
  definition: StatelessService<Input> | ReplicatedService<State, Operation, Result>,
): Promise<Service> {
  const { version = '1.0.0' } = definition
  if (!v.is(serviceName, name)) throw new InvalidServiceError(`${JSON.stringify(name)}: the name of a service must be a word, as in echo`)
  if (typeof version !== 'string' || version.length > 32) throw new InvalidServiceError('version: must be a text of at most 32 characters')
  const node = ServiceNode.of(pool)
  if ('call' in definition) {
    if (typeof definition.call !== 'function') throw new InvalidServiceError('call: must be a function')
    await node.add(name, new Stateless(definition), { version })
    return new Service(name, pool, undefined)
  }
  const replica = await ReplicaHost.start(node, name, {
    ...definition,
    version,
    replicas: definition.replicas ?? DEFAULT_REPLICAS,
    apply: definition.apply as Apply,
    merge: definition.merge as Merge | undefined,
  })
  return new Service(name, pool, replica)
}

class Stateless implements Instance {
  readonly #definition: StatelessService<never>

  constructor(definition: StatelessService<never>) {
    this.#definition = definition
  }

  async take({ from, key, input, signal }: Call): Promise<Answer> {
    try {
      const value = await this.#definition.call(input as never, { from, key, signal })
      return { result: textOfValue(value) }
    } catch (error) {
      return { error: { code: 'CALL_FAILED', message: textOfError(error) } }
    }
  }
}
