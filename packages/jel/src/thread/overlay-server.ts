import { MessageChannel, MessagePort } from 'node:worker_threads'
import type { Stream } from '@libp2p/interface'
import type { Overlay, OverlayNotification, PoolMember } from '@jel/overlay'
import { toFault } from './faults.ts'
import {
  NEWS_LIMIT,
  REIGNS_LIMIT,
  STREAMS_LIMIT,
  STREAMS_OF_MEMBER,
  type Method,
  type Report,
  type Request,
  type Snapshot,
} from './messages.ts'
import { NewsQueue } from './news-queue.ts'
import { bridge } from './stream-bridge.ts'

/**
 * How often the application's thread gets changes that no news reports, such as the number of
 * links, ms. Guess.
 */
const HEALTH_INTERVAL = 1000

type CallRequest = Extract<Request, { type: 'call' }>
type AnyFunction = (...args: readonly unknown[]) => unknown

/** Serves one overlay to the thread at the other end of a port. */
export class OverlayServer {
  readonly #overlay: Overlay
  readonly #port: MessagePort
  readonly #queue: NewsQueue
  readonly #calls = new Map<number, AbortController>()
  readonly #timer: NodeJS.Timeout
  #self: PoolMember
  #health: string
  /**
   * The number of election results sent since the application's thread got the list of all reigns.
   */
  #reigns = 0
  /**
   * The members whose streams the application's thread has not taken, one entry for each stream.
   */
  readonly #incoming: string[] = []

  constructor(overlay: Overlay, port: MessagePort, limit = NEWS_LIMIT) {
    this.#overlay = overlay
    this.#port = port
    this.#queue = new NewsQueue(limit, {
      send: (news) => this.#send(news),
      gap: (lost) => this.#post({ type: 'gap', lost, snapshot: this.#snapshot() }),
    })
    port.on('message', (request: Request) => this.#take(request))
    // There is no gap between the snapshot and later news, since nothing can happen between the
    // next two calls.
    overlay.subscribe((news) => this.#queue.add(news))
    const snapshot = this.#snapshot()
    this.#self = snapshot.self
    this.#health = JSON.stringify(snapshot.health)
    this.#post({ type: 'entered', pool: overlay.pool, snapshot })
    this.#timer = setInterval(() => this.#postState(), HEALTH_INTERVAL)
    void overlay.closed.then((closed) => this.#close(closed.reason === 'failed' ? closed.error : undefined))
  }

  #snapshot(): Snapshot {
    const overlay = this.#overlay
    return {
      self: overlay.self,
      members: overlay.members(),
      reigns: overlay.reigns(),
      records: overlay.records(),
      health: overlay.health(),
    }
  }

  #take(request: Request): void {
    switch (request.type) {
      case 'call':
        void this.#answer(request)
        return
      case 'abort':
        this.#calls.get(request.id)?.abort()
        return
      case 'taken':
        this.#queue.taken(request.count)
        return
      case 'accepted':
        this.#incoming.splice(this.#incoming.indexOf(request.from), 1)
    }
  }

  async #answer(request: CallRequest): Promise<void> {
    const { id } = request
    const controller = new AbortController()
    this.#calls.set(id, controller)
    try {
      const value = await this.#perform(request, controller.signal)
      // News from before the answer must arrive before the answer.
      this.#queue.flush()
      this.#post({ type: 'returned', id, value }, value instanceof MessagePort ? [value] : [])
    } catch (error) {
      this.#queue.flush()
      this.#post({ type: 'threw', id, fault: toFault(error) })
    } finally {
      this.#calls.delete(id)
    }
  }

  #perform({ method, args, abortable }: CallRequest, signal: AbortSignal): unknown {
    const all = abortable ? [...args, { signal }] : args
    if (method === 'open') return this.#open(...(all as Parameters<Overlay['open']>))
    if (method === 'handle') return this.#handle(...(args as [string]))
    // Both threads run the same version, so the arguments fit the method.
    const target = (method in this.#overlay.keys ? this.#overlay.keys : this.#overlay) as unknown as Record<Method, AnyFunction>
    return target[method](...all)
  }

  async #open(...args: Parameters<Overlay['open']>): Promise<MessagePort> {
    return this.#through(await this.#overlay.open(...args))
  }

  async #handle(protocol: string): Promise<void> {
    await this.#overlay.handle(protocol, (stream, from) => {
      // The port of a closed stream keeps its data until the application's thread reads it. So the
      // number of waiting streams has a limit.
      const ofMember = this.#incoming.filter((each) => each === from).length
      if (this.#incoming.length >= STREAMS_LIMIT || ofMember >= STREAMS_OF_MEMBER) {
        stream.abort(new Error('the application is busy'))
        return
      }
      this.#incoming.push(from)
      const port = this.#through(stream)
      this.#post({ type: 'incoming', protocol, from, port }, [port])
    })
  }

  /** Returns the application's end of this stream. */
  #through(stream: Stream): MessagePort {
    const { port1, port2 } = new MessageChannel()
    bridge(stream, port1)
    return port2
  }

  #send(news: readonly OverlayNotification[]): void {
    const { self } = this.#overlay
    const changed = self !== this.#self
    this.#self = self
    this.#reigns += news.filter(({ type }) => type === 'elected').length
    this.#post({ type: 'news', news, ...(changed && { self }) })
  }

  #postState(): void {
    // A blocked application gets the state once, after it has taken its news.
    if (!this.#queue.idle) return
    if (this.#reigns > REIGNS_LIMIT) {
      this.#reigns = 0
      this.#post({ type: 'reigns', reigns: this.#overlay.reigns() })
    }
    const health = this.#overlay.health()
    const text = JSON.stringify(health)
    if (text === this.#health) return
    this.#health = text
    this.#post({ type: 'health', health })
  }

  #close(error: Error | undefined): void {
    clearInterval(this.#timer)
    this.#queue.flush()
    this.#post({ type: 'closed', ...(error !== undefined && { fault: toFault(error) }) })
    this.#port.close()
  }

  #post(report: Report, ports: MessagePort[] = []): void {
    this.#port.postMessage(report, ports)
  }
}
