import type { Grid } from '@jel/compute'
import type { Allocator } from '@jel/allocate'
import type { Monitor } from '@jel/monitor'
import type { Pool } from '@jel/jel'
import type { Stop, StopReason } from '../base/stop.ts'
import { reasonAt } from '../model/reason-at.ts'
import { codeOf, messageOf } from '../base/usage-error.ts'
import { electedEvent, healthEvent, nodeJson, payloadJson, recordJson, type NodeEvent } from '../events/events.ts'
import { ledgerJson } from '../events/ledger.ts'
import type { JobCommand, JobEvent } from '../events/job-messages.ts'
import { SILENT, type Log } from '../log/log.ts'
import { PoolModel } from '../model/pool.ts'
import { pagesOf } from './pages.ts'

/** Carries out commands about jobs. */
export type RunJobCommand = (command: JobCommand, report: (event: JobEvent) => void, signal: AbortSignal) => Promise<void>

export interface AgentOptions {
  readonly runJobCommand?: RunJobCommand
  /** The attributes of the members. */
  readonly monitor?: Monitor
  /** Selects members, and leases their capacity. */
  readonly allocator?: Allocator
  /**
   * Asks members for their leases, groups and services, as events. Default: this node asks nobody.
   */
  readonly overview?: () => Promise<readonly NodeEvent[]>
  /** Returns the grid of the node, once it has one. Default: it has none. */
  readonly gridOf?: () => Grid | undefined
  /** Whether the node founds the pool if no introducer lets it in. */
  readonly found?: boolean
  /** The version of this program. */
  readonly version?: string
  readonly log?: Log
  /** The address of the node's page. */
  readonly url?: string | undefined
}

/**
 * A running node as its sessions see it (Serf's agent). It reports events to its listeners, and
 * takes the request to leave.
 */
export class Agent {
  readonly pool: Pool
  readonly model = new PoolModel()
  /** The time at which the node entered, Unix ms. */
  readonly started = Date.now()
  readonly version: string
  readonly log: Log
  readonly url: string | undefined
  readonly runJobCommand: RunJobCommand
  readonly overview: AgentOptions['overview']
  readonly #gridOf: () => Grid | undefined
  readonly #monitor: Monitor | undefined
  readonly #allocator: Allocator | undefined
  readonly #stop: Stop
  readonly #found: boolean
  readonly #listeners = new Set<(event: NodeEvent) => void>()

  constructor(
    pool: Pool,
    stop: Stop,
    {
      found = false,
      version = '',
      log = SILENT,
      url,
      runJobCommand = noJobs,
      overview,
      gridOf = () => undefined,
      monitor,
      allocator,
    }: AgentOptions = {},
  ) {
    this.pool = pool
    this.version = version
    this.log = log
    this.url = url
    this.runJobCommand = runJobCommand
    this.overview = overview
    this.#gridOf = gridOf
    this.#monitor = monitor
    this.#allocator = allocator
    this.#stop = stop
    this.#found = found
    for (const event of this.#snapshot()) this.model.take(event, Date.now())
    for (const type of ['joined', 'left', 'died', 'updated'] as const) {
      pool.addEventListener(type, ({ detail }) => this.report({ event: type, node: nodeJson(detail) }))
    }
    pool.addEventListener('elected', ({ detail }) => this.report(electedEvent(detail)))
    pool.addEventListener('signal', ({ detail }) => this.report({ event: 'signal', name: detail.name, node: nodeJson(detail.from) }))
    pool.addEventListener('event', ({ detail }) =>
      this.report({ event: 'event', name: detail.name, ...payloadJson(detail.payload), node: nodeJson(detail.from) }),
    )
    pool.addEventListener('ordered', ({ detail: { index, name, payload, from } }) =>
      this.report({ event: 'ordered', index, name, ...payloadJson(payload), node: nodeJson(from) }),
    )
    pool.addEventListener('ledger', ({ detail }) => this.report({ event: 'ledger', ...ledgerJson(detail) }))
    pool.addEventListener('poolClosed', ({ detail }) => this.report({ event: 'poolClosed', ...detail }))
    pool.addEventListener('terminated', ({ detail }) => this.report({ event: 'terminated', ...detail }))
    pool.addEventListener('record', ({ detail }) => this.report({ event: 'record', ...recordJson(detail) }))
    pool.addEventListener('health', ({ detail }) => this.report(healthEvent(detail)))
    pool.addEventListener('warning', ({ detail }) => this.report({ event: 'error', code: detail.code, message: detail.message }))
  }

  /**
   * The grid of the node. A node that only joins has none until the first command about a job.
   */
  get grid(): Grid | undefined {
    return this.#gridOf()
  }

  /** The attributes of the members. Throws Error if this node was started without. */
  get monitor(): Monitor {
    if (this.#monitor === undefined) throw new Error('this node reads no attributes')
    return this.#monitor
  }

  /** The aggregated values of this node's site, if this node computes them for watches by site. */
  get siteAggregates(): Monitor['siteAggregates'] {
    return this.#monitor?.siteAggregates ?? []
  }

  /** Selects members, and leases their capacity. Throws Error if this node was started without. */
  get allocator(): Allocator {
    if (this.#allocator === undefined) throw new Error('this node leases nothing')
    return this.#allocator
  }

  /** Whether the node is about to leave. */
  get stopping(): boolean {
    return this.#stop.signal.aborted
  }

  stop(reason: StopReason): void {
    this.#stop.now(reason)
  }

  /** Reports an event to all listeners, but skips a reign that was already reported. */
  report(event: NodeEvent): void {
    if (this.model.take(event, Date.now())) for (const listener of this.#listeners) listener(event)
  }

  /**
   * Calls `listener` with the present state, then with each event, without a gap. Returns the
   * function that ends the calls.
   */
  subscribe(listener: (event: NodeEvent) => void): () => void {
    for (const event of this.#snapshot()) listener(event)
    return this.listen(listener)
  }

  /** Like `subscribe`, but without the present state. */
  listen(listener: (event: NodeEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Makes the node a candidate in an election for as long as it runs. */
  async stand(election: string): Promise<void> {
    try {
      this.report(electedEvent(await this.pool.elect(election)))
    } catch (error) {
      if (codeOf(error) !== 'POOL_LEFT') this.report({ event: 'error', code: codeOf(error), message: messageOf(error) })
    }
  }

  /** The present state in the form of events. */
  *#snapshot(): Generator<NodeEvent, void> {
    const { pool } = this
    const { self } = pool
    yield { event: 'started', node: nodeJson(self) }
    yield { event: 'joined', node: nodeJson(self) }
    for (const member of pool.members({ order: 'join' })) {
      if (member.id !== self.id) yield { event: 'joined', node: nodeJson(member) }
    }
    for (const reign of pool.reigns()) yield electedEvent(reign)
    if (pool.ledger !== undefined) yield { event: 'ledger', ...ledgerJson(pool.ledger) }
    for (const record of pool.records()) yield { event: 'record', ...recordJson(record) }
    if (this.url !== undefined) yield { event: 'http', url: this.url }
    const urls = pagesOf(self.addresses, pool.name)
    if (urls.length > 0) yield { event: 'web', urls }
    if (pool.terminated !== undefined) yield { event: 'terminated', ...pool.terminated }
    const meanwhile = this.#found ? '' : ', and stands in no election meanwhile'
    for (const { address, reason } of pool.health().introducers) {
      const message = reasonAt(address, reason)
      yield { event: 'error', code: 'INTRODUCER_UNREACHABLE', message: `${message} (goes on trying${meanwhile})` }
    }
  }
}

async function noJobs(): Promise<void> {
  throw new Error('this node does nothing about jobs')
}
