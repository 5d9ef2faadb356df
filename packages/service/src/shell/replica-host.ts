import type { Member, Reign as PoolReign } from '@jel/jel'
import { byJoin } from '@jel/jel'
import { Driver } from '@jel/machine'
import { callAll } from '@jel/overlay'
import type { Answer } from '../core/call-messages.ts'
import { electionOf, seniorOf, serviceOf } from '../core/directory.ts'
import type { Reign } from '../core/history.ts'
import type { Reapplied } from '../core/reapplied.ts'
import type { ReplicaEffect, ReplicaInput, ReplicaRole } from '../core/replica-io.ts'
import { Replica } from '../core/replica.ts'
import type { Call } from './call-server.ts'
import { checkDefinition, type Definition } from './definition.ts'
import type { Instance, ServiceNode } from './service-node.ts'
import { Stand } from './stand.ts'

/**
 * The most streams that the senior backup keeps open. The senior backup wins the next election: see
 * `seniorOf`. A guess.
 */
const MAX_KEPT = 64

/** The part of a member in a replicated service. */
export interface ReplicaStatus {
  readonly role: ReplicaRole
  /** The primary, as far as this member knows. */
  readonly primary: string | undefined
  /** The epoch in which the primary was elected. */
  readonly epoch: number | undefined
  /** The backups that are up to date. Only the primary knows them. */
  readonly backups: readonly string[]
  /** The number of the last operation. */
  readonly operations: number
  /** Why the primary refuses operations now, such as `DEGRADED`. Only the primary knows it. */
  readonly refusal: { readonly code: string; readonly message: string } | undefined
}

/** A problem of a replica that does not end the replica. */
export interface ReplicaNotice {
  /**
   * `DIVERGED`, `LOG_CUT`, `MERGED`, `MERGE_FAILED`, `OPERATIONS_LOST`, `SLOW_REPLICA`, or the code
   * of an error.
   */
  readonly code: string
  readonly message: string
}

/** Runs a `Replica` at this member of a pool. */
export class ReplicaHost implements Instance {
  readonly #node: ServiceNode
  readonly #name: string
  readonly #stand: Stand
  readonly #replica: Replica
  readonly #driver: Driver<ReplicaInput, ReplicaEffect>
  readonly #calls = new Map<number, (answer: Answer) => void>()
  readonly #reapplied = new Set<(reapplied: Reapplied & { readonly caller: string }) => void>()
  readonly #notices = new Set<(notice: ReplicaNotice) => void>()
  readonly #end = new AbortController()
  #last = 0

  private constructor(node: ServiceNode, name: string, definition: Definition) {
    const { version, replicas, initial, merge, minority, alone = false } = definition
    this.#node = node
    this.#name = name
    this.#stand = new Stand(node, name, { version, replicas }, (code, message) => this.#note({ code, message }))
    this.#replica = new Replica({
      self: node.pool.self.id,
      replicas,
      alone,
      refusesInMinority: minority === 'refuse',
      initial,
      apply: definition.apply,
      merge,
      calendar: Date.now() - performance.now(),
    })
    this.#driver = new Driver<ReplicaInput, ReplicaEffect>(
      this.#replica,
      {
        send: ({ to, message }) => node.peers.send(to, name, message),
        answer: ({ call, answer }) => {
          this.#calls.get(call)?.(answer)
          this.#calls.delete(call)
        },
        stand: () => void this.#stand.begin(),
        withdraw: () => this.#stand.withdraw(),
        reapplied: ({ caller, reapplied }) => this.#tell(caller, { name, ...reapplied }),
        notice: ({ code, message }) => this.#note({ code, message }),
      },
      performance,
    )
  }

  static async start(node: ServiceNode, name: string, definition: Definition): Promise<ReplicaHost> {
    checkDefinition(definition)
    const host = new ReplicaHost(node, name, definition)
    await node.peers.start()
    await node.add(name, host, { version: definition.version, replicas: definition.replicas, stands: false })
    host.#listen()
    return host
  }

  get status(): ReplicaStatus {
    const { role, reign, backups, seq, refusal } = this.#replica
    return { role, primary: reign?.winner, epoch: reign?.epoch, backups, operations: seq, refusal }
  }

  onReapplied(listener: (reapplied: Reapplied & { readonly caller: string }) => void): () => void {
    this.#reapplied.add(listener)
    return () => void this.#reapplied.delete(listener)
  }

  onNotice(listener: (notice: ReplicaNotice) => void): () => void {
    this.#notices.add(listener)
    return () => void this.#notices.delete(listener)
  }

  async take({ from, key, input, signal }: Call): Promise<Answer> {
    // A driver that has stopped would not answer.
    if (this.#end.signal.aborted) return { moved: true }
    const call = ++this.#last
    const { promise, resolve } = Promise.withResolvers<Answer>()
    this.#calls.set(call, resolve)
    const forget = (): void => {
      this.#driver.deliver({ type: 'forget', call })
      if (this.#calls.delete(call)) resolve({ moved: true })
    }
    signal.addEventListener('abort', forget, { once: true })
    this.#driver.deliver({ type: 'call', call, caller: from, key, operation: input })
    const answer = await promise
    signal.removeEventListener('abort', forget)
    return answer
  }

  async close(): Promise<void> {
    if (this.#end.signal.aborted) return
    this.#driver.deliver({ type: 'close' })
    this.#stop()
  }

  #stop(): void {
    this.#end.abort()
    this.#stand.close()
    this.#driver.stop()
    this.#node.peers.remove(this.#name)
    for (const resolve of this.#calls.values()) resolve({ moved: true })
    this.#calls.clear()
  }

  #listen(): void {
    const { pool, peers } = this.#node
    const { signal } = this.#end
    const election = electionOf(this.#name)
    peers.add(this.#name, {
      message: (from, message) => this.#driver.deliver({ type: 'message', from, message }),
      broken: (member) => this.#driver.deliver({ type: 'broken', member }),
    })
    const elected = ({ epoch, winner }: PoolReign): void => {
      this.#driver.deliver({ type: 'elected', reign: { epoch, winner: winner.id, incarnation: winner.incarnation } satisfies Reign })
      this.#prepare()
    }
    for (const type of ['joined', 'updated'] as const)
      pool.addEventListener(type, ({ detail }) => void ((this.#hasService(detail) || this.#isListed(detail)) && this.#review()), { signal })
    for (const type of ['died', 'left'] as const)
      pool.addEventListener(
        type,
        ({ detail }) => {
          if (!this.#isListed(detail)) return
          this.#driver.deliver({ type: 'gone', member: detail.id, died: type === 'died' })
          this.#review()
        },
        { signal },
      )
    pool.addEventListener('elected', ({ detail }) => void (detail.election === election && elected(detail)), { signal })
    pool.addEventListener('health', ({ detail: { minority } }) => this.#driver.deliver({ type: 'minority', minority }), { signal })
    void pool.closed.then(() => this.#stop())
    this.#driver.deliver({ type: 'minority', minority: pool.health().minority })
    this.#review()
    const reign = pool.reigns().find((each) => each.election === election)
    if (reign !== undefined) elected(reign)
  }

  #instances: readonly string[] = []

  #isListed({ id }: Pick<Member, 'id'>): boolean {
    return this.#instances.includes(id)
  }

  #hasService(member: Member): boolean {
    return serviceOf(member, this.#name)?.replicas !== undefined
  }

  /** Delivers the present list of instances. */
  #review(): void {
    const ids = this.#node.pool
      .members()
      .filter((member) => this.#hasService(member))
      .toSorted(byJoin)
      .map(({ id }) => id)
    if (ids.length !== this.#instances.length || ids.some((id, at) => id !== this.#instances[at])) {
      this.#instances = ids
      this.#driver.deliver({ type: 'instances', ids })
    }
    this.#prepare()
  }

  /**
   * Each instance keeps a stream to the senior backup. The senior backup keeps streams to the
   * {@link MAX_KEPT} oldest instances. So the next primary need not dial these instances.
   */
  #prepare(): void {
    const { pool, peers } = this.#node
    const senior = seniorOf(pool.members(), this.#name, this.#replica.reign?.winner)
    const own = pool.self.id
    const kept = senior === own ? this.#instances.filter((id) => id !== own).slice(0, MAX_KEPT) : senior === undefined ? [] : [senior]
    if (!this.#end.signal.aborted) peers.keep(this.#name, kept)
  }

  #tell(caller: string, reapplied: Reapplied): void {
    const lost = this.#node.peers.tell(caller, reapplied)
    for (const { key, caller: of } of lost)
      this.#note({ code: 'OPERATIONS_LOST', message: `${of} was not told that its operation ${key} was applied again` })
    callAll(this.#reapplied, { ...reapplied, caller })
  }

  #note(notice: ReplicaNotice): void {
    callAll(this.#notices, notice)
  }
}
