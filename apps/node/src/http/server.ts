import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { isIPv6, type AddressInfo, type Socket } from 'node:net'
import type { Agent } from '../agent/agent.ts'
import { jsonLine } from '../agent/json-line.ts'
import { codeOf } from '../base/usage-error.ts'
import { Assets } from './assets.ts'
import { Feed } from './feed.ts'
import { isLoopback, isOwnHost } from './hosts.ts'
import { Metrics } from './metrics.ts'
import { healthOf, readinessOf, type Verdict } from './verdicts.ts'

// An import would load all that its exports name, the whole client of fetch among it. Measured: 8 MB.
const { createServer } = process.getBuiltinModule('node:http')

/**
 * So many may be connected at once. Guess: a few browsers, with six connections each, and a few monitors. With one more, the oldest that follows no events ends: who holds
 * connections must not keep out a monitor, which is done in an instant. Those that follow are fewer by far (`Feed`).
 */
const CONNECTIONS_LIMIT = 64
/** A request has to be here after this, ms. Guess: it is a few hundred bytes. */
const REQUEST_TIME = 10_000
/** So often is looked who is late, ms. Node's own 30 s would make four times as long of that. Guess. */
const LOOK_TIME = 2_500
/** A connection is kept for the next request for so long, ms. Guess: browsers ask for all parts of a page at once. */
const IDLE_TIME = 5_000
/** Bytes of the head of a request. Guess: cookies of other servers at this host come along. */
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

/** What runs once the node is in the pool. */
interface Attached {
  readonly agent: Agent
  readonly feed: Feed
  readonly metrics: Metrics
}

/** Serves what a node shows: a page, metrics, and whether it is well. Nobody can change anything by it. */
export class HttpServer implements AsyncDisposable {
  readonly #server: Server
  readonly #assets = new Assets()
  /** Those that follow no events, the oldest first. */
  readonly #connections = new Set<Socket>()
  #url = ''
  /** Names of other machines are refused: a browser here may be led to believe that this one has such a name. */
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

  /** Listens at an address that `httpOf` took. Throws where that can't be had. */
  static async open({ host, port }: { readonly host: string; readonly port: number }): Promise<HttpServer> {
    const http = new HttpServer()
    http.#server.listen({ host, port, exclusive: true })
    try {
      await once(http.#server, 'listening')
    } catch (error) {
      throw new Error(`--http: can't listen at ${isIPv6(host) ? `[${host}]` : host}:${port}: ${codeOf(error)}`, { cause: error })
    }
    // Its own trouble ends no node, and a node that has ended otherwise does not wait for it.
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

  /** Where it is, for a person. */
  get words(): string {
    return `page at ${this.#url}${this.#isLocal ? '' : ' for all who reach this address'}`
  }

  /** From now on there is a node to show. */
  attach(agent: Agent): void {
    this.#attached = { agent, feed: new Feed(agent), metrics: new Metrics(agent) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    this.#attached?.feed.close()
    this.#attached?.metrics.close()
    this.#server.closeIdleConnections()
    // Who still reads had the whole time that the node took to leave.
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
    if (this.#isLocal && !isOwnHost(headers.host ?? '')) throw new Refusal(421, 'this address has no such name: use localhost or 127.0.0.1')
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
        await this.#tellMetrics(response)
        break
      case '/events':
        this.#stream(request, response)
        break
      default:
        this.#show(path, headers['accept-encoding'] ?? '', response)
    }
  }

  #judge(response: ServerResponse, judge: (agent: Agent | undefined) => Verdict): void {
    const { isWell, event } = judge(this.#attached?.agent)
    response.writeHead(isWell ? 200 : 503, { 'content-type': 'application/json' })
    response.end(`${jsonLine(event, this.#attached?.agent.pool.name ?? '')}\n`)
  }

  async #tellMetrics(response: ServerResponse): Promise<void> {
    const { agent, metrics } = this.#entered
    if (agent.stopping) throw new Refusal(503, 'this node leaves the pool')
    const text = await metrics.text()
    response.writeHead(200, { 'content-type': metrics.contentType })
    response.end(text)
  }

  #stream({ method, socket }: IncomingMessage, response: ServerResponse): void {
    const { feed } = this.#entered
    if (feed.isFull) throw new Refusal(503, 'too many look at this node already')
    const [status, headers] = [200, { 'content-type': 'text/event-stream; charset=utf-8' }]
    if (method === 'HEAD') {
      response.writeHead(status, headers)
      response.end()
      return
    }
    // A stream has no end, so whatever else is asked on its connection waits: one connection takes one place.
    if (!this.#connections.delete(socket)) throw new Refusal(503, 'this connection follows events already')
    response.writeHead(status, headers)
    feed.add(response)
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

/** A request that gets nothing but a status, and why. */
class Refusal extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

function say(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' })
  response.end(`${text}\n`)
}
