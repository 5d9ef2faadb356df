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
  /** Names the operation. If the client repeats a call, the key is the same. */
  readonly key: string
  /** Aborts if the caller gives up or is gone. */
  readonly signal: AbortSignal
}

/** A service without a state. Any of its instances can answer. */
export interface StatelessService<Input = unknown> {
  /** Default: 1.0.0. At most 32 characters. */
  readonly version?: string
  /**
   * Answers a call. An error rejects the call with `CALL_FAILED`. A call can come twice: the answer
   * of its first server may have been lost.
   */
  readonly call: (input: Input, context: CallContext) => unknown
}

/**
 * A service whose state several members have. One of these members is the primary. It answers all
 * calls.
 */
export interface ReplicatedService<State, Operation = unknown, Result = unknown> {
  readonly version?: string
  /** The number of members that have the state: 1 to 16. Default: 3. */
  readonly replicas?: number
  /** The state before the first operation. It must be the same at all members. */
  readonly initial: State
  /**
   * Applies an operation. Each replica calls this function, so it must depend on its arguments
   * only. It may change the given state object. An error rejects the call with `CALL_FAILED`. A
   * change that was made before the error stays.
   *
   * `now` is the time of the service in ms. It is close to the calendar time of the first primary,
   * and never runs backwards.
   */
  readonly apply: (state: State, operation: Operation, context: { readonly now: number }) => readonly [State, Result]
  /**
   * Joins the states of the two sides of a partition. Default: the operations of one side are
   * applied again to the state of the other side.
   */
  readonly merge?: (ours: State, theirs: State) => State
  /**
   * `refuse`: the primary refuses operations while it is in a minority of the pool. Default: it
   * applies them.
   */
  readonly minority?: 'refuse'
  /** The primary applies operations also without a backup. Default: it answers `DEGRADED`. */
  readonly alone?: boolean
}

/** A service of this member. */
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

  /** The part of this member in a replicated service. Undefined: the service is not replicated. */
  get status(): ReplicaStatus | undefined {
    return this.#replica?.status
  }

  /**
   * Calls a function for each operation of any caller that this primary applied again after a
   * partition. The callers are told as well. Returns a function that unsubscribes.
   */
  onReapplied(listener: (reapplied: Reapplied & { readonly caller: string }) => void): () => void {
    return this.#replica?.onReapplied(listener) ?? (() => {})
  }

  /** Calls a function for each problem of this replica. Returns a function that unsubscribes. */
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
 * Begins a service at this member, and announces it to all members.
 *
 * @throws InvalidServiceError; InvalidConstantError if this member announces too many services: see
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
  if (!v.is(serviceName, name))
    throw new InvalidServiceError(
      `${JSON.stringify(name)}: the name of a service begins with a letter and has at most 64 of a-z, 0-9, _, . and -`,
    )
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
