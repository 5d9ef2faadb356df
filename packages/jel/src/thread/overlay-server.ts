import { MessageChannel, MessagePort } from 'node:worker_threads'
import type { Stream } from '@libp2p/interface'
import type { Overlay, OverlayNotification, PoolMember } from '@jel/overlay'
import { toFault } from './faults.ts'
import { NEWS_LIMIT, REIGNS_LIMIT, type Calls, type Report, type Request, type Snapshot } from './messages.ts'
import { Outbox } from './outbox.ts'
import { packMember, packNews, packReign } from './packing.ts'
import { bridge } from './stream-bridge.ts'

/**
 * How often the application's thread gets changes that come without news, such as the number of
 * links, ms. A guess.
 */
const HEALTH_INTERVAL = 1000

type CallRequest = Extract<Request, { type: 'call' }>

/** Serves one overlay to the thread at the other end of a port. */
export class OverlayServer {
  readonly #overlay: Overlay
  readonly #port: MessagePort
  readonly #outbox: Outbox
  readonly #calls = new Map<number, AbortController>()
  readonly #methods: { [Method in keyof Calls]: (signal: AbortSignal, ...args: Parameters<Calls[Method]>) => Promise<unknown> }
  readonly #timer: NodeJS.Timeout
  #self: PoolMember
  #health: string
  /** Election results sent since the other side got the list of all reigns. */
  #reigns = 0

  constructor(overlay: Overlay, port: MessagePort, limit = NEWS_LIMIT) {
    this.#overlay = overlay
    this.#port = port
    this.#outbox = new Outbox(limit, {
      send: (news) => this.#send(news),
      gap: (lost) => this.#post({ type: 'gap', lost, snapshot: this.#snapshot() }),
    })
    this.#methods = {
      signal: (signal, name, ids) => overlay.signal(name, ids, { signal }),
      open: async (signal, id, protocol) => this.#through(await overlay.open(id, protocol, { signal })),
      handle: (_, protocol) => overlay.handle(protocol, (stream, from) => this.#incoming(protocol, from, stream)),
      unhandle: (_, protocol) => overlay.unhandle(protocol),
      publish: (_, name, value, options) => overlay.publish(name, value, options),
      unpublish: (_, name, options) => overlay.unpublish(name, options),
      links: () => overlay.links(),
      linksOf: (signal, id) => overlay.linksOf(id, { signal }),
      traffic: () => overlay.traffic(),
      installKey: (_, key) => overlay.keys.install(key),
      useKey: (_, key) => overlay.keys.use(key),
      removeKey: (_, key) => overlay.keys.remove(key),
      listKeys: () => overlay.keys.list(),
      setTag: (_, tag) => overlay.setTag(tag),
      setConstant: (_, name, value) => overlay.setConstant(name, value),
      sign: (_, message) => overlay.sign(message),
      broadcast: (_, name, payload, query) => overlay.broadcast(name, payload, query),
    }
    port.on('message', (request: Request) => this.#take(request))
    // The state and its changes, without a gap: nothing can happen between these two.
    overlay.subscribe((news) => this.#outbox.add(news))
    const snapshot = this.#snapshot()
    this.#self = snapshot.self
    this.#health = JSON.stringify(snapshot.health)
    this.#post({ type: 'entered', pool: overlay.pool, snapshot })
    this.#timer = setInterval(() => this.#tellState(), HEALTH_INTERVAL)
    void overlay.closed.then((closed) => this.#close(closed.reason === 'failed' ? closed.error : undefined))
  }

  #snapshot(): Snapshot {
    const overlay = this.#overlay
    return {
      self: packMember(overlay.self),
      members: overlay.members().map(packMember),
      reigns: overlay.reigns().map(packReign),
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
      case 'order':
        this.#obey(request)
        return
      case 'taken':
        this.#outbox.taken(request.count)
    }
  }

  #obey({ order, subject }: Extract<Request, { type: 'order' }>): void {
    try {
      if (order === 'leave') void this.#overlay.leave()
      else this.#overlay[order](subject)
    } catch {
      // The overlay closed meanwhile. The other side is about to be told.
    }
  }

  async #answer({ id, method, args }: CallRequest): Promise<void> {
    const controller = new AbortController()
    this.#calls.set(id, controller)
    try {
      const call = this.#methods[method] as (signal: AbortSignal, ...args: readonly unknown[]) => Promise<unknown>
      const value = await call(controller.signal, ...args)
      // News from before the answer must arrive before it.
      this.#outbox.flush()
      this.#post({ type: 'returned', id, value }, value instanceof MessagePort ? [value] : [])
    } catch (error) {
      this.#outbox.flush()
      this.#post({ type: 'threw', id, fault: toFault(error) })
    } finally {
      this.#calls.delete(id)
    }
  }

  #incoming(protocol: string, from: string, stream: Stream): void {
    const port = this.#through(stream)
    this.#post({ type: 'incoming', protocol, from, port }, [port])
  }

  /** Returns the application's end of this stream. */
  #through(stream: Stream): MessagePort {
    const { port1, port2 } = new MessageChannel()
    bridge(stream, port1)
    return port2
  }

  #send(news: readonly OverlayNotification[]): void {
    const self = packMember(this.#overlay.self)
    const changed = self !== this.#self
    this.#self = self
    this.#reigns += news.filter(({ type }) => type === 'elected').length
    this.#post({ type: 'news', news: news.map(packNews), ...(changed && { self }) })
  }

  #tellState(): void {
    // A blocked application gets the state once, when it is back.
    if (!this.#outbox.idle) return
    if (this.#reigns > REIGNS_LIMIT) {
      this.#reigns = 0
      this.#post({ type: 'reigns', reigns: this.#overlay.reigns().map(packReign) })
    }
    const health = this.#overlay.health()
    const text = JSON.stringify(health)
    if (text === this.#health) return
    this.#health = text
    this.#post({ type: 'health', health })
  }

  #close(error: Error | undefined): void {
    clearInterval(this.#timer)
    this.#outbox.flush()
    this.#post({ type: 'closed', ...(error !== undefined && { fault: toFault(error) }) })
    this.#port.close()
  }

  #post(report: Report, ports: MessagePort[] = []): void {
    this.#port.postMessage(report, ports)
  }
}
