/**
 * Takes WebSockets of members, and serves the application's pages at the same port. Before the
 * handshake of libp2p a stranger gets nothing: frames are bounded, malformed ones end their socket,
 * and requests have a time-out.
 */
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { Socket } from 'node:net'
import {
  transportSymbol,
  TypedEventEmitter,
  type ComponentLogger,
  type CreateListenerOptions,
  type Listener,
  type ListenerEvents,
  type Transport,
  type Upgrader,
} from '@libp2p/interface'
import { getThinWaistAddresses } from '@libp2p/utils'
import type { Multiaddr } from '@multiformats/multiaddr'
import { WebSocketServer, type RawData, type WebSocket } from 'ws'
import { webAddress, webEndpointOf, webPath, type WebEndpoint } from '../base/web-address.ts'
import { mayConnect, type OriginRules } from './origins.ts'
import { maxMessage, WebConnection, type MessageSocket, type SocketEvents } from './web-connection.ts'

/** Time for the headers of a request, ms, and for a whole request with its answer. Guess. */
const [headersTimeout, requestTimeout] = [5_000, 10_000]
/**
 * The largest number of sockets at a time, of WebSockets and pages together. Guess: as many as
 * connections of a host.
 */
const maxSockets = 1_024
/**
 * The largest number of sockets at a time that are no WebSockets. A further one ends the oldest.
 * Guess: enough for some browsers.
 */
const maxPageSockets = 128
/** Time for the close of a WebSocket, and for the refusal of one, ms. Guess. */
const closeTimeout = 5_000
/**
 * The largest numbers of fragments of a message, and of pieces of a fragment that wait. A stranger
 * could send millions of tiny ones, and each is an object. Guess: an honest message is one frame of
 * some packets.
 */
const [maxFragments, maxBufferedChunks] = [64, 1_024]
/** The types of the library do not know these options yet. */
const limits = { maxFragments, maxBufferedChunks, closeTimeout }

/** Answers a request for a page. */
export type Serve = (request: IncomingMessage, response: ServerResponse) => void

export interface WebListenerOptions {
  readonly origins: OriginRules
  readonly serve: Serve
  /** The certificate and its key in PEM. Undefined: without TLS. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined
}

interface Components {
  readonly logger: ComponentLogger
}

/** `wrap`: watches the handshakes of new connections. */
export function webListener(options: WebListenerOptions, wrap: (upgrader: Upgrader) => Upgrader): (components: Components) => Transport {
  return ({ logger }) =>
    ({
      [Symbol.toStringTag]: 'jel-web-listener',
      [transportSymbol]: true,
      dialFilter: () => [],
      listenFilter: (addresses: Multiaddr[]) => addresses.filter((address) => webEndpointOf(address) !== undefined),
      createListener: ({ upgrader }: CreateListenerOptions) => new WebListener(options, wrap(upgrader), logger),
      dial: async () => await Promise.reject(new Error('this node does not dial WebSockets')),
    }) as Transport
}

class WebListener extends TypedEventEmitter<ListenerEvents> implements Listener {
  readonly #options: WebListenerOptions
  readonly #upgrader: Upgrader
  readonly #logger: ComponentLogger
  readonly #server: Server
  readonly #sockets = new WebSocketServer({
    noServer: true,
    maxPayload: maxMessage,
    ...limits,
    perMessageDeflate: false,
    clientTracking: false,
  })
  readonly #stopped = new AbortController()
  /**
   * All open sockets. The server no longer closes those that became WebSockets, so this class
   * closes them.
   */
  readonly #open = new Set<Socket>()
  /** The sockets that are no WebSockets, the oldest first. */
  readonly #pageSockets = new Set<Socket>()
  #address: Multiaddr | undefined

  constructor(options: WebListenerOptions, upgrader: Upgrader, logger: ComponentLogger) {
    super()
    this.#options = options
    this.#upgrader = upgrader
    this.#logger = logger
    const times = { headersTimeout, requestTimeout, connectionsCheckingInterval: headersTimeout / 2 }
    this.#server =
      options.tls === undefined
        ? createHttpServer(times, options.serve)
        : createHttpsServer({ ...options.tls, ...times, handshakeTimeout: headersTimeout }, options.serve)
    // After this time the server closes the socket of a client that takes no bytes of its answer.
    this.#server.timeout = requestTimeout
    this.#server.maxConnections = maxSockets
    this.#server.on('connection', (socket) => {
      this.#open.add(socket)
      this.#pageSockets.add(socket)
      socket.once('close', () => {
        this.#open.delete(socket)
        this.#pageSockets.delete(socket)
      })
      if (this.#pageSockets.size > maxPageSockets) this.#pageSockets.values().next().value?.destroy()
    })
    this.#server.on('upgrade', (request, socket, head) => {
      try {
        this.#upgrade(request, socket as Socket, head)
      } catch {
        // An error in a listener would end the process.
        socket.destroy()
      }
    })
    this.#server.on('clientError', (_error, socket) => socket.destroy())
    this.#server.on('close', () => this.safeDispatchEvent('close'))
  }

  async listen(address: Multiaddr): Promise<void> {
    const { host, port } = webEndpointOf(address) as WebEndpoint
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#server.once('error', reject)
    this.#server.listen(port, host, resolve)
    await promise
    this.#server.off('error', reject)
    // An error of the running server, such as too many open files, must not end the process.
    this.#server.on('error', (error) => this.safeDispatchEvent('error', { detail: error }))
    this.#address = address
    this.safeDispatchEvent('listening')
  }

  getAddrs(): Multiaddr[] {
    const bound = this.#server.address()
    if (this.#address === undefined || bound === null || typeof bound === 'string') return []
    const { isSecure } = webEndpointOf(this.#address) as WebEndpoint
    // The library expands `0.0.0.0`, and leaves out the last parts (`/ws`).
    return getThinWaistAddresses(this.#address, bound.port).map((address) => address.encapsulate(isSecure ? '/tls/ws' : '/ws'))
  }

  updateAnnounceAddrs(): void {
    // Nothing here depends on the announced addresses.
  }

  async close(): Promise<void> {
    this.#stopped.abort()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#server.close(() => resolve())
    for (const socket of this.#open) socket.destroy()
    await promise
  }

  #upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    socket.on('error', () => socket.destroy())
    const { origin, host } = request.headers
    if (URL.parse(request.url ?? '', 'http://localhost')?.pathname !== webPath) refuse(socket, '404 Not Found')
    else if (!mayConnect({ origin, host, isSecure: this.#options.tls !== undefined }, this.#options.origins))
      refuse(socket, '403 Forbidden')
    else this.#sockets.handleUpgrade(request, socket, head, (webSocket) => void this.#take(webSocket, socket))
  }

  async #take(webSocket: WebSocket, raw: Socket): Promise<void> {
    // With TLS the set has the TCP socket below `raw`. Both have the same port.
    for (const each of this.#pageSockets) if (each === raw || each.remotePort === raw.remotePort) this.#pageSockets.delete(each)
    const socket = new ServerSocket(webSocket)
    const { remoteAddress, remotePort } = raw
    const isSecure = this.#options.tls !== undefined
    const host = remoteAddress?.replace(/^::ffff:(?=[\d.]+$)/u, '').replace(/%.*$/u, '')
    if (host === undefined || remotePort === undefined) {
      socket.destroy()
      return
    }
    const remoteAddr = webAddress({ host, port: remotePort, isSecure })
    const log = this.#logger.forComponent('jel:web')
    // The upgrader counts the bytes of the property `socket`.
    const connection = Object.assign(new WebConnection(socket, { remoteAddr, direction: 'inbound', log }), { socket: raw })
    try {
      await this.#upgrader.upgradeInbound(connection, { signal: this.#stopped.signal })
    } catch (error) {
      connection.abort(error as Error)
    }
  }
}

/**
 * Answers with an HTTP status and closes the socket. The server no longer closes a socket that
 * asked for an upgrade.
 */
function refuse(socket: Socket, status: string): void {
  socket.once('finish', () => socket.destroy())
  socket.setTimeout(closeTimeout, () => socket.destroy())
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}

class ServerSocket implements MessageSocket {
  readonly #socket: WebSocket
  #events: SocketEvents | undefined

  constructor(socket: WebSocket) {
    this.#socket = socket
    socket.binaryType = 'nodebuffer'
    // Malformed frames and frames that are too large cause this event. Without a listener it would
    // end the process.
    socket.on('error', () => socket.terminate())
  }

  get waiting(): number {
    return this.#socket.bufferedAmount
  }

  subscribe(events: SocketEvents): void {
    this.#events = events
    this.#socket.on('message', (data: RawData, isBinary) => {
      // A member sends bytes only.
      if (isBinary) events.onData(data as Buffer)
      else this.destroy()
    })
    this.#socket.on('close', () => events.onClose())
    if (this.#socket.readyState === this.#socket.CLOSED) events.onClose()
  }

  send(data: Uint8Array): void {
    this.#socket.send(data, (error) => {
      if (error) this.#socket.terminate()
      else this.#events?.onSent()
    })
  }

  close(): void {
    this.#socket.close()
  }

  destroy(): void {
    this.#socket.terminate()
  }

  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }
}
