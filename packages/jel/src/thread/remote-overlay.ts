import type { MessagePort, Worker } from 'node:worker_threads'
import type { Libp2p, Stream } from '@libp2p/interface'
import {
  OverlayClosedError,
  type Closed,
  type Overlay,
  type OverlayHealth,
  type OverlayKeys,
  type OverlayOptions,
  type PoolLink,
  type PoolMember,
  type PoolRecord,
  type PoolReign,
  type StreamHandler,
} from '@jel/overlay'
import { Libp2pElsewhereError, WorkerError } from '../errors.ts'
import type { PoolHost, PoolNews } from '../base/host.ts'
import { Calls } from './calls.ts'
import { fromFault } from './faults.ts'
import { lastReports, NEWS_LIMIT, type Method, type Report, type Request, type Snapshot } from './messages.ts'
import { Mirror } from './mirror.ts'
import { PortStream } from './port-stream.ts'

type Abortable = Pick<OverlayOptions, 'signal'>

/** The part of a worker thread that this module uses. */
export type Thread = Pick<Worker, 'once' | 'terminate'>

/** An overlay that runs in a worker thread, as the application's thread sees it. */
export class RemoteOverlay implements PoolHost {
  readonly pool: string
  readonly closed: Promise<Closed>
  readonly #worker: Thread
  readonly #port: MessagePort
  readonly #mirror: Mirror
  readonly #closed = Promise.withResolvers<Closed>()
  readonly #listeners = new Set<(news: PoolNews) => void>()
  readonly #calls = new Calls((request) => this.#post(request))
  readonly #handlers = new Map<string, StreamHandler>()

  readonly elect = this.#remote('elect')
  readonly links = this.#remote('links')
  readonly traffic = this.#remote('traffic')
  readonly publish = this.#remote('publish')
  readonly unpublish = this.#remote('unpublish')
  readonly allowList = this.#remote('allowList')
  readonly allow = this.#remote('allow')
  readonly disallow = this.#remote('disallow')
  readonly setTag = this.#remote('setTag')
  readonly setConstant = this.#remote('setConstant')
  readonly sign = this.#remote('sign')
  readonly broadcast = this.#remote('broadcast')
  readonly keys: OverlayKeys = {
    install: this.#remote('install'),
    use: this.#remote('use'),
    remove: this.#remote('remove'),
    list: this.#remote('list'),
  }

  constructor(worker: Thread, port: MessagePort, pool: string, snapshot: Snapshot) {
    this.pool = pool
    this.closed = this.#closed.promise
    this.#worker = worker
    this.#port = port
    this.#mirror = new Mirror(snapshot)
    port.on('message', (report: Report) => this.#take(report))
    worker.once('error', (cause: Error) => this.#ended(new WorkerError(`the thread of the pool has failed: ${cause.message}`, { cause })))
    worker.once('exit', (code) => {
      for (const report of lastReports(port)) this.#take(report)
      this.#ended(new WorkerError(`the thread of the pool has ended with exit code ${code}`))
    })
  }

  get libp2p(): Libp2p {
    throw new Libp2pElsewhereError()
  }

  get self(): PoolMember {
    return this.#mirror.self
  }

  members(): readonly PoolMember[] {
    return this.#mirror.members()
  }

  reign(election: string): PoolReign | undefined {
    return this.#mirror.reign(election)
  }

  reigns(): readonly PoolReign[] {
    return this.#mirror.reigns()
  }

  health(): OverlayHealth {
    return this.#mirror.health
  }

  subscribe(listener: (news: PoolNews) => void): () => void {
    const entry = (news: PoolNews): void => listener(news) // the same function may subscribe twice
    this.#listeners.add(entry)
    return () => void this.#listeners.delete(entry)
  }

  records(prefix?: string): readonly PoolRecord[] {
    return this.#mirror.records(prefix)
  }

  withdraw(election: string): void {
    this.#order('withdraw', election)
  }

  maybeDead(id: string): void {
    this.#order('maybeDead', id)
  }

  rejoin(incarnation: number): void {
    this.#order('rejoin', incarnation)
  }

  async signal(name: string, ids: readonly string[], { signal }: Abortable = {}): Promise<void> {
    await this.#calls.call('signal', [name, ids], signal)
  }

  async linksOf(id: string, { signal }: Abortable = {}): Promise<readonly PoolLink[]> {
    return (await this.#calls.call('linksOf', [id], signal)) as readonly PoolLink[]
  }

  async open(id: string, protocol: string, { signal }: Abortable = {}): Promise<Stream> {
    return new PortStream((await this.#calls.call('open', [id, protocol], signal)) as MessagePort, protocol, 'outbound')
  }

  async handle(protocol: string, handler: StreamHandler): Promise<void> {
    // Sets the handler before the call, since a stream may come before the answer. A former handler
    // stays: the other thread refuses a second one.
    const former = this.#handlers.get(protocol)
    if (former === undefined) this.#handlers.set(protocol, handler)
    try {
      await this.#calls.call('handle', [protocol])
    } catch (error) {
      if (former === undefined) this.#handlers.delete(protocol)
      throw error
    }
  }

  async unhandle(protocol: string): Promise<void> {
    // Removes the handler before the call, so that the application may set the next one meanwhile.
    const former = this.#handlers.get(protocol)
    this.#handlers.delete(protocol)
    try {
      await this.#calls.call('unhandle', [protocol])
    } catch (error) {
      if (former !== undefined && !this.#handlers.has(protocol)) this.#handlers.set(protocol, former)
      throw error
    }
  }

  async leave(): Promise<void> {
    this.#order('leave')
    await this.closed
  }

  /** Ends the thread without leaving the pool, as a crash does. */
  async terminate(): Promise<void> {
    await this.#worker.terminate()
  }

  /** Returns a function that calls this method in the other thread. */
  #remote<Name extends Method>(method: Name): (Overlay & OverlayKeys)[Name] {
    // Both threads run the same version, so the answer fits the method.
    return ((...args: readonly unknown[]) => this.#calls.call(method, args)) as (Overlay & OverlayKeys)[Name]
  }

  /** Calls a method and does not wait. Ignores failures: in most cases the thread has ended. */
  #order(method: Method, ...args: readonly (string | number)[]): void {
    this.#calls.call(method, args).catch(() => {})
  }

  #take(report: Report): void {
    switch (report.type) {
      case 'news':
        for (const news of report.news) {
          this.#mirror.take(news)
          this.#notify(news)
        }
        if (report.self !== undefined) this.#mirror.self = report.self
        this.#post({ type: 'taken', count: report.news.length })
        return
      case 'health':
        this.#mirror.health = report.health
        return
      case 'reigns':
        this.#mirror.replaceReigns(report.reigns)
        return
      case 'gap':
        this.#mirror.replace(report.snapshot)
        this.#notify({ type: 'gap', lost: report.lost, limit: NEWS_LIMIT })
        return
      case 'returned':
      case 'threw':
        this.#calls.settle(report)
        return
      case 'incoming':
        this.#post({ type: 'accepted', from: report.from })
        void this.#accept(report.protocol, report.from, report.port)
        return
      case 'closed':
        this.#ended(report.fault && fromFault(report.fault))
        return
      case 'entered':
      case 'warning':
    }
  }

  async #accept(protocol: string, from: string, port: MessagePort): Promise<void> {
    const stream = new PortStream(port, protocol, 'inbound')
    const handler = this.#handlers.get(protocol)
    try {
      if (handler === undefined) throw new Error(`nobody handles ${protocol}`)
      await handler(stream, from)
    } catch (error) {
      stream.abort(error instanceof Error ? error : new Error(String(error)))
    }
  }

  #notify(news: PoolNews): void {
    for (const listener of this.#listeners) listener(news)
  }

  #ended(error: Error | undefined): void {
    this.#calls.close(error ?? new OverlayClosedError(`this node has left the pool ${JSON.stringify(this.pool)}`))
    this.#port.close()
    this.#closed.resolve(error === undefined ? { reason: 'left' } : { reason: 'failed', error })
  }

  #post(request: Request): void {
    this.#port.postMessage(request)
  }
}
