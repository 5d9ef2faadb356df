import type { MessagePort, Worker } from 'node:worker_threads'
import type { Libp2p, Stream } from '@libp2p/interface'
import {
  OverlayClosedError,
  type Closed,
  type OverlayHealth,
  type OverlayKeys,
  type PoolLink,
  type PoolMember,
  type PoolRecord,
  type PoolReign,
  type PublishOptions,
  type QueryOptions,
  type Traffic,
} from '@jel/overlay'
import { Libp2pElsewhereError, WorkerError } from '../errors.ts'
import type { PoolHost, PoolNews } from '../pool/host.ts'
import { fromFault } from './faults.ts'
import { lastReports } from './last-reports.ts'
import { NEWS_LIMIT, type Calls, type Order, type Report, type Request, type Snapshot } from './messages.ts'
import { Mirror } from './mirror.ts'
import { PortStream } from './port-stream.ts'

type Handler = (stream: Stream, from: string) => void | Promise<void>

/** The part of a worker thread that is used here. */
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
  readonly #calls = new Map<number, PromiseWithResolvers<unknown>>()
  readonly #handlers = new Map<string, Handler>()
  #lastCall = 0
  #end: Closed | undefined

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
      this.#ended(new WorkerError(`the thread of the pool has ended with ${code}`))
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

  async links(): Promise<readonly PoolLink[]> {
    return await this.#call('links', [])
  }

  async linksOf(id: string, options: { readonly signal?: AbortSignal | undefined } = {}): Promise<readonly PoolLink[]> {
    return await this.#call('linksOf', [id], options.signal)
  }

  async traffic(): Promise<Traffic> {
    return await this.#call('traffic', [])
  }

  subscribe(listener: (news: PoolNews) => void): () => void {
    const entry = (news: PoolNews): void => listener(news) // the same function may subscribe twice
    this.#listeners.add(entry)
    return () => void this.#listeners.delete(entry)
  }

  elect(election: string): void {
    this.#order('elect', election)
  }

  withdraw(election: string): void {
    this.#order('withdraw', election)
  }

  maybeDead(id: string): void {
    this.#order('maybeDead', id)
  }

  async signal(name: string, ids: readonly string[], options: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    await this.#call('signal', [name, ids], options.signal)
  }

  async publish(name: string, value: Uint8Array, options: PublishOptions): Promise<PoolRecord> {
    return await this.#call('publish', [name, value, options])
  }

  async unpublish(name: string, options: Pick<PublishOptions, 'owner'> = {}): Promise<void> {
    await this.#call('unpublish', [name, options])
  }

  readonly keys: OverlayKeys = {
    install: (key) => this.#call('installKey', [key]),
    use: (key) => this.#call('useKey', [key]),
    remove: (key) => this.#call('removeKey', [key]),
    list: () => this.#call('listKeys', []),
  }

  async setTag(tag: Uint8Array): Promise<void> {
    await this.#call('setTag', [tag])
  }

  async setConstant(name: string, value: Uint8Array | undefined): Promise<void> {
    await this.#call('setConstant', [name, value])
  }

  async sign(message: Uint8Array): Promise<Uint8Array> {
    return await this.#call('sign', [message])
  }

  async broadcast(name: string, payload: Uint8Array, query?: QueryOptions): Promise<void> {
    await this.#call('broadcast', [name, payload, query])
  }

  records(prefix?: string): readonly PoolRecord[] {
    return this.#mirror.records(prefix)
  }

  async open(id: string, protocol: string, options: { readonly signal?: AbortSignal | undefined } = {}): Promise<Stream> {
    return new PortStream(await this.#call('open', [id, protocol], options.signal), protocol, 'outbound')
  }

  async handle(protocol: string, handler: Handler): Promise<void> {
    // Set before the other thread knows of it. That thread refuses a second handler.
    const former = this.#handlers.get(protocol)
    if (former === undefined) this.#handlers.set(protocol, handler)
    try {
      await this.#call('handle', [protocol])
    } catch (error) {
      if (former === undefined) this.#handlers.delete(protocol)
      throw error
    }
  }

  async unhandle(protocol: string): Promise<void> {
    // Removed before the other thread knows of it, so that the next handler may be set meanwhile.
    const former = this.#handlers.get(protocol)
    this.#handlers.delete(protocol)
    try {
      await this.#call('unhandle', [protocol])
    } catch (error) {
      if (former !== undefined && !this.#handlers.has(protocol)) this.#handlers.set(protocol, former)
      throw error
    }
  }

  async leave(): Promise<void> {
    this.#order('leave')
    await this.closed
  }

  /** Ends the thread without a leave, as a crash does. */
  async terminate(): Promise<void> {
    await this.#worker.terminate()
  }

  #order(order: Order, subject = ''): void {
    if (this.#end === undefined) this.#post({ type: 'order', order, subject })
  }

  async #call<Method extends keyof Calls>(
    method: Method,
    args: Parameters<Calls[Method]>,
    signal?: AbortSignal,
  ): Promise<ReturnType<Calls[Method]>> {
    signal?.throwIfAborted()
    if (this.#end !== undefined) throw this.#endError(this.#end)
    this.#lastCall += 1
    const id = this.#lastCall
    const call = Promise.withResolvers<unknown>()
    const abort = (): void => {
      this.#post({ type: 'abort', id })
      call.reject(signal?.reason)
    }
    this.#calls.set(id, call)
    signal?.addEventListener('abort', abort)
    try {
      this.#post({ type: 'call', id, method, args })
      // Both threads run the same version, so the type of the answer fits the method.
      return (await call.promise) as ReturnType<Calls[Method]>
    } finally {
      signal?.removeEventListener('abort', abort)
      this.#calls.delete(id)
    }
  }

  #take(report: Report): void {
    switch (report.type) {
      case 'news':
        for (const news of report.news) {
          this.#mirror.take(news)
          this.#tell(news)
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
        this.#tell({ type: 'gap', lost: report.lost, limit: NEWS_LIMIT })
        return
      case 'returned': {
        const call = this.#calls.get(report.id)
        // Nobody waits for this stream any more.
        if (call === undefined && isPort(report.value)) report.value.close()
        call?.resolve(report.value)
        return
      }
      case 'threw':
        this.#calls.get(report.id)?.reject(fromFault(report.fault))
        return
      case 'incoming':
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

  #tell(news: PoolNews): void {
    for (const listener of this.#listeners) listener(news)
  }

  #ended(error: Error | undefined): void {
    if (this.#end !== undefined) return
    this.#end = error === undefined ? { reason: 'left' } : { reason: 'failed', error }
    for (const call of this.#calls.values()) call.reject(this.#endError(this.#end))
    this.#port.close()
    this.#closed.resolve(this.#end)
  }

  #endError(end: Closed): Error {
    return end.reason === 'failed' ? end.error : new OverlayClosedError(`this node has left the pool ${JSON.stringify(this.pool)}`)
  }

  #post(request: Request): void {
    this.#port.postMessage(request)
  }
}

function isPort(value: unknown): value is MessagePort {
  return typeof value === 'object' && value !== null && 'postMessage' in value
}
