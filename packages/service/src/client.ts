import { PoolLeftError, type Pool } from '@jel/jel'
import { inBackground } from '@jel/overlay'
import * as v from 'valibot'
import { MAX_KEY, type Answer } from './core/call-messages.ts'
import { electionOf, seniorOf, serviceName, serviceOf, servicesOf } from './core/directory.ts'
import { Pauses } from './core/pauses.ts'
import type { Reapplied } from './core/reapplied.ts'
import { targetOf } from './shell/target.ts'
import { textOfValue } from './core/value.ts'
import { CallError, CallTimeoutError, InvalidServiceError } from './errors.ts'
import { askStatus } from './shell/ask-status.ts'
import type { ReplicaStatus } from './shell/replica-host.ts'
import { ServiceNode } from './shell/service-node.ts'

/** The default time for the answer to a call, ms. A guess. */
const DEFAULT_TIMEOUT = 10_000
/** The default time for the answer of `statusOf`, ms. A guess: a member answers at once. */
const STATUS_TIMEOUT = 2000
/** The longest timeout of a call, ms: a day. */
const MAX_TIMEOUT = 86_400_000

export interface CallOptions {
  /** The time for the answer, ms. Default: 10,000. */
  readonly timeout?: number | undefined
  /**
   * Names the operation. A later call of this member with the same key gets the former result.
   * Default: a random key. At most 128 characters.
   */
  readonly key?: string | undefined
  /** Its abort ends the wait. The operation may have taken effect. */
  readonly signal?: AbortSignal | undefined
}

/** A service of the pool, as its members announce it. */
export interface ServiceInfo {
  readonly name: string
  readonly version: string
  /** The number of replicas that the service should have. Undefined: it is not replicated. */
  readonly replicas: number | undefined
  /** The ids of the members that have the service, the oldest first. */
  readonly instances: readonly string[]
  /** The ids of the members that have the state and are candidates for primary. */
  readonly standing: readonly string[]
  /** The primary of a replicated service. Undefined: there is no primary at present. */
  readonly primary: string | undefined
}

/** Calls the services of a pool. */
export class ServiceClient {
  readonly #pool: Pool
  readonly #node: ServiceNode

  /** @internal */
  constructor(pool: Pool) {
    this.#pool = pool
    this.#node = ServiceNode.of(pool)
  }

  /** Returns the services that members announce, sorted by name. */
  services(): readonly ServiceInfo[] {
    const found = new Map<string, { version: string; replicas: number | undefined; instances: string[]; standing: string[] }>()
    for (const member of this.#pool.members({ order: 'join' })) {
      for (const [name, { version, replicas, stands }] of Object.entries(servicesOf(member))) {
        const info = found.get(name) ?? { version, replicas, instances: [], standing: [] }
        info.instances.push(member.id)
        if (stands === true) info.standing.push(member.id)
        found.set(name, info)
      }
    }
    return [...found]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, info]) => ({ name, ...info, primary: info.replicas === undefined ? undefined : this.#primaryOf(name) }))
  }

  /**
   * Asks a member for its role in a replicated service, and for the other fields of
   * `ReplicaStatus`. Only the primary knows the backups, and the reason why it refuses operations.
   *
   * @param timeout ms; default: 2,000
   * @throws NoServerError if the member has no such service; CallTimeoutError; Error if the stream
   *   breaks or the answer is invalid
   */
  async statusOf(name: string, member: string, timeout = STATUS_TIMEOUT): Promise<ReplicaStatus> {
    return await askStatus(this.#node, name, member, timeout)
  }

  /**
   * Calls a service. The nearest instance of a plain service answers, or the primary of a
   * replicated service. If that member dies or the stream breaks, the client repeats the call with
   * the same key. So a plain service may run a call twice.
   *
   * @throws NoServerError at once if no member has the service; CallError with the code of the
   *   refusal; CallTimeoutError; InvalidServiceError; PoolLeftError
   */
  async call(name: string, input: unknown, options: CallOptions = {}): Promise<unknown> {
    const { timeout = DEFAULT_TIMEOUT, key = crypto.randomUUID(), signal } = options
    if (!v.is(serviceName, name))
      throw new InvalidServiceError(
        `${JSON.stringify(name)}: the name of a service begins with a letter and has at most 64 of a-z, 0-9, _, . and -`,
      )
    if (typeof key !== 'string' || key === '' || key.length > MAX_KEY)
      throw new InvalidServiceError(`key: must be a text of 1 to ${MAX_KEY} characters`)
    if (!(timeout > 0 && timeout <= MAX_TIMEOUT)) throw new InvalidServiceError(`timeout: must be above 0 and at most ${MAX_TIMEOUT} ms`)
    signal?.throwIfAborted()
    if (this.#node.isClosed) throw new PoolLeftError(this.#pool.name)
    let text: string
    try {
      text = textOfValue(input)
    } catch (error) {
      throw new InvalidServiceError(`${name}: the input ${(error as Error).message}`)
    }
    const limit = new AbortController()
    const timer = setTimeout(() => limit.abort(new CallTimeoutError(`${name} did not answer within ${timeout} ms`)), timeout)
    const abort = (): void => limit.abort(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    try {
      const answer = await this.#answer({ name, key, input: text }, limit.signal)
      if ('result' in answer) return answer.result
      throw new CallError(answer.error.code, answer.error.message)
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
  }

  /**
   * Calls a function for each operation of this member that was applied again after a partition:
   * see `Reapplied`. Returns a function that unsubscribes.
   */
  onReapplied(listener: (reapplied: Reapplied) => void): () => void {
    return this.#node.peers.onReapplied(listener)
  }

  async #answer(
    request: { readonly name: string; readonly key: string; readonly input: string },
    limit: AbortSignal,
  ): Promise<{ result: unknown } | { error: { code: string; message: string } }> {
    const { name } = request
    /** The members that could not answer. */
    const tried = new Set<string>()
    const pauses = new Pauses()
    for (;;) {
      limit.throwIfAborted()
      const target = this.#target(name, tried)
      if (this.#isReplicated(name)) {
        this.#node.peers.listen()
        this.#prepare(name, target)
      }
      const changed = this.#node.peers.changeOf(electionOf(name), target)
      try {
        if (target === undefined) {
          tried.clear()
          await Promise.race([changed.promise, sleep(pauses.next(undefined), limit)])
          continue
        }
        // If there is another primary, the call must not stay open at the former primary.
        const over = new AbortController()
        const end = (): void => over.abort(limit.reason)
        limit.addEventListener('abort', end, { once: true })
        void changed.promise.then(() => over.abort(new Error('another member is the primary')))
        const outcome = await this.#request(target, request, over.signal)
        limit.removeEventListener('abort', end)
        limit.throwIfAborted()
        if ('result' in outcome) return { result: outcome.result }
        if ('error' in outcome && outcome.error.code !== 'NO_SERVER') return outcome
        if (changed.hasCome) continue
        tried.add(target)
        // The member does not know yet that it is the primary, or it died and the pool does not
        // know that yet.
        if (this.#isReplicated(name)) await Promise.race([changed.promise, sleep(pauses.next(target), limit)])
      } finally {
        changed.end()
      }
    }
  }

  async #request(
    target: string,
    { name, key, input }: { readonly name: string; readonly key: string; readonly input: string },
    signal: AbortSignal,
  ) {
    if (target !== this.#pool.self.id) return await this.#node.client.request(target, { name, key, input }, signal)
    const { promise, resolve } = Promise.withResolvers<{ broken: Error }>()
    signal.addEventListener('abort', () => resolve({ broken: signal.reason as Error }), { once: true })
    // The service must not share objects with the caller, and must get what a remote service gets.
    const call = { name, from: target, key, input: JSON.parse(input) as unknown, signal }
    const answer: Answer | { broken: Error } = await Promise.race([this.#node.take(call), promise])
    return 'result' in answer ? { result: JSON.parse(answer.result) as unknown } : answer
  }

  /** Opens a stream to the senior backup, which becomes the primary if the present one dies. */
  #prepare(name: string, primary: string | undefined): void {
    const senior = seniorOf(this.#pool.members(), name, primary)
    if (primary !== undefined && senior !== undefined && senior !== this.#pool.self.id) this.#node.client.prepare(senior)
  }

  #isReplicated(name: string): boolean {
    return this.#pool.members().some((member) => serviceOf(member, name)?.replicas !== undefined)
  }

  #target(name: string, tried: ReadonlySet<string>): string | undefined {
    const { self } = this.#pool
    return targetOf(name, { self, members: this.#pool.members(), primary: this.#primaryOf(name), tried })
  }

  #primaryOf(name: string): string | undefined {
    const election = electionOf(name)
    return this.#pool.reigns().find((reign) => reign.election === election)?.winner.id
  }
}

/** Calls the services of a pool, whether or not this member has one. */
export function serviceClient(pool: Pool): ServiceClient {
  return new ServiceClient(pool)
}

/** Resolves after this time, or at the abort. */
async function sleep(time: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = inBackground(setTimeout(resolve, time))
  const stop = (): void => resolve()
  signal.addEventListener('abort', stop, { once: true })
  await promise
  clearTimeout(timer)
  signal.removeEventListener('abort', stop)
}
