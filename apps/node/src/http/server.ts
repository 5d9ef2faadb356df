import { jsonLine } from '../events/events.ts'
import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http'
import { isIPv6, type AddressInfo, type Socket } from 'node:net'
import type { Agent } from '../agent/agent.ts'
import { jsonText } from '../base/text.ts'
import { codeOf, messageOf } from '../base/usage-error.ts'
import { Assets } from './assets.ts'
import { Feed } from './feed.ts'
import { isForeignSite, isLoopback, isOwnHost } from './hosts.ts'
import { Metrics } from './metrics.ts'
import { Refusal, say } from './refusal.ts'
import { healthOf, readinessOf, type Verdict } from './verdicts.ts'
import { WatchFeed } from './watch-feed.ts'

// An import statement would evaluate each export of the module. One export loads the whole client
// of fetch. Measured: 8 MB.
const { createServer } = process.getBuiltinModule('node:http')

/**
 * The limit of simultaneous connections. Guess: a few browsers, with six connections each, and a
 * few monitors. A further connection closes the oldest connection without events, because idle
 * connections must not keep out a monitor. Connections with events do not count here; they have a
 * far lower limit (`Feed`).
 */
const CONNECTIONS_LIMIT = 64
/** The time within which a request must arrive, ms. Guess: a request has a few hundred bytes. */
const REQUEST_TIME = 10_000
/**
 * The interval of checks for late requests, ms. With Node's own 30 s a request could take four
 * times {@link REQUEST_TIME}. Guess.
 */
const LOOK_TIME = 2_500
/**
 * The time for which an idle connection is kept, ms. Guess: browsers request all parts of a page at
 * once.
 */
const IDLE_TIME = 5_000
/**
 * Maximum number of bytes of a request head. It may include cookies of other servers at this host.
 * Guess.
 */
const HEAD_LIMIT = 16_384

const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
}

const JSON_HEADERS = { 'content-type': 'application/json' }
const STREAM_HEADERS = { 'content-type': 'text/event-stream; charset=utf-8' }

/** The parts that run once the node is in the pool. */
interface Attached {
  readonly agent: Agent
  readonly feed: Feed
  readonly watches: WatchFeed
  readonly metrics: Metrics
}

/** Serves a page, metrics, and the health of a node. Clients can change nothing. */
export class HttpServer implements AsyncDisposable {
  readonly #server: Server
  readonly #assets = new Assets()
  /** Connections that follow no events, the oldest first. */
  readonly #connections = new Set<Socket>()
  #url = ''
  /**
   * Whether the server listens on loopback. There it refuses the names of other machines: a hostile
   * DNS can point any name at this machine.
   */
  #isLocal = true
  #attached: Attached | undefined

  private constructor() {
    this.#server = createServer(
      {
        maxHeaderSize: HEAD_LIMIT,
        requestTimeout: REQUEST_TIME,
        headersTimeout: REQUEST_TIME,
        connectionsCheckingInterval: LOOK_TIME,
        keepAliveTimeout: IDLE_TIME,
      },
      (request, response) => void this.#serve(request, response),
    )
    this.#server.on('connection', (socket) => {
      this.#connections.add(socket)
      socket.on('close', () => this.#connections.delete(socket))
      if (this.#connections.size > CONNECTIONS_LIMIT) this.#connections.values().next().value?.destroy()
    })
  }

  /** Listens at an address from `httpOf`. Throws if the address is not available. */
  static async open({ host, port }: { readonly host: string; readonly port: number }): Promise<HttpServer> {
    const http = new HttpServer()
    http.#server.listen({ host, port, exclusive: true })
    try {
      await once(http.#server, 'listening')
    } catch (error) {
      throw new Error(`--http: can't listen at ${isIPv6(host) ? `[${host}]` : host}:${port}: ${codeOf(error)}`, { cause: error })
    }
    // An error of the server does not end the node, and the server does not keep an ended process
    // alive.
    http.#server.on('error', () => {})
    http.#server.unref()
    const { address, port: chosen } = http.#server.address() as AddressInfo
    http.#isLocal = isLoopback(address)
    http.#url = `http://${isIPv6(address) ? `[${address}]` : address}:${chosen}/`
    return http
  }

  get url(): string {
    return this.#url
  }

  /** The address of the page, for a person. */
  get notice(): string {
    return `page at ${this.#url}${this.#isLocal ? '' : ' for all who reach this address'}`
  }

  /** Gives the server the node that it shows. */
  attach(agent: Agent): void {
    this.#attached = { agent, feed: new Feed(agent), watches: new WatchFeed(agent), metrics: new Metrics(agent) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    this.#attached?.feed.close()
    this.#attached?.watches.close()
    this.#attached?.metrics.close()
    this.#server.closeIdleConnections()
    // Connections that still read have had enough time: the node took a while to leave.
    setImmediate(() => this.#server.closeAllConnections())
    await closed
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value)
    response.on('error', () => {})
    try {
      await this.#answer(request, response)
    } catch (error) {
      if (response.headersSent) response.destroy()
      else if (error instanceof Refusal) say(response, error.status, error.message)
      else say(response, 500, 'something went wrong')
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = '/', headers } = request
    if (this.#isLocal && !isOwnHost(headers.host ?? ''))
      throw new Refusal(421, 'this host name is not allowed here: use localhost or 127.0.0.1')
    if (method !== 'GET' && method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD')
      throw new Refusal(405, 'there is only GET and HEAD')
    }
    const [path = '/'] = url.split('?', 1)
    switch (path) {
      case '/health':
        this.#judge(response, healthOf)
        break
      case '/ready':
        this.#judge(response, readinessOf)
        break
      case '/metrics':
        await this.#sendMetrics(response)
        break
      case '/events':
        this.#stream(request, response)
        break
      case '/watch':
        await this.#watch(request, response, url)
        break
      default:
        this.#show(path, headers['accept-encoding'] ?? '', response)
    }
  }

  #judge(response: ServerResponse, judge: (agent: Agent | undefined) => Verdict): void {
    const { isWell, event } = judge(this.#attached?.agent)
    response.writeHead(isWell ? 200 : 503, JSON_HEADERS).end(`${jsonLine(event, this.#attached?.agent.pool.name ?? '')}\n`)
  }

  async #sendMetrics(response: ServerResponse): Promise<void> {
    const { agent, metrics } = this.#entered
    if (agent.stopping) throw new Refusal(503, 'this node leaves the pool')
    const text = await metrics.text()
    response.writeHead(200, { 'content-type': metrics.contentType }).end(text)
  }

  #stream({ method, socket, headers }: IncomingMessage, response: ServerResponse): void {
    const { feed } = this.#entered
    checkSite(headers)
    if (feed.isFull) throw new Refusal(503, 'too many clients follow the events of this node already')
    if (method === 'HEAD') {
      response.writeHead(200, STREAM_HEADERS).end()
      return
    }
    this.#take(socket)
    response.writeHead(200, STREAM_HEADERS)
    feed.add(response)
  }

  /**
   * Streams the samples of an attribute. Without a name it lists the names of this node's
   * attributes.
   */
  async #watch({ method, socket, headers }: IncomingMessage, response: ServerResponse, url: string): Promise<void> {
    const { agent, watches } = this.#entered
    checkSite(headers)
    const name = new URLSearchParams(url.split('?')[1]).get('name')
    if (name === null) {
      response.writeHead(200, JSON_HEADERS).end(`${jsonText(await watches.names())}\n`)
      return
    }
    if (agent.stopping) throw new Refusal(503, 'this node leaves the pool')
    if (watches.isFull) throw new Refusal(503, 'too many clients watch attributes at this node already')
    if (method === 'HEAD') {
      response.writeHead(200, STREAM_HEADERS).end()
      return
    }
    try {
      watches.add(response, name, () => {
        this.#take(socket)
        response.writeHead(200, STREAM_HEADERS)
      })
    } catch (error) {
      throw error instanceof Refusal ? error : new Refusal(400, messageOf(error))
    }
  }

  /**
   * Stops counting a connection that becomes a stream. Refuses a second stream on one connection: a
   * stream has no end, so the second stream would wait for ever.
   */
  #take(socket: Socket): void {
    if (!this.#connections.delete(socket)) throw new Refusal(503, 'this connection follows events already')
  }

  #show(path: string, accepted: string | string[], response: ServerResponse): void {
    const asset = this.#assets.find(path)
    if (asset === undefined) throw new Refusal(404, 'there is nothing here')
    const takesZipped = /\bgzip\b/u.test(String(accepted))
    const body = takesZipped ? asset.zipped : asset.plain
    response.writeHead(200, {
      'content-type': asset.type,
      ...(takesZipped && { 'content-encoding': 'gzip' }),
      'content-length': body.length,
      vary: 'accept-encoding',
    })
    response.end(body)
  }

  get #entered(): Attached {
    if (this.#attached === undefined) throw new Refusal(503, 'this node has not entered the pool yet')
    return this.#attached
  }
}

/** A page of another site must not take the few streams: it could not even read them. */
function checkSite(headers: IncomingHttpHeaders): void {
  if (isForeignSite(headers['sec-fetch-site'])) throw new Refusal(403, 'pages of other sites get no streams')
}
