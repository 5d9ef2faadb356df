/** Dials members over WebSockets, with the `WebSocket` of browsers, Deno and Node. */
import { transportSymbol, type ComponentLogger, type DialTransportOptions, type Transport, type Upgrader } from '@libp2p/interface'
import type { Multiaddr } from '@multiformats/multiaddr'
import { urlOf, webEndpointOf, type WebEndpoint } from '../../base/web-address.ts'
import type { Counted } from '../../base/counted.ts'
import { WebConnection, type MessageSocket, type SocketEvents } from '../../web/web-connection.ts'

/** Interval of looks at the waiting bytes, ms: no event reports that they left. Guess. */
const lookInterval = 20

interface Components {
  readonly upgrader: Upgrader
  readonly logger: ComponentLogger
}

/** `wrap`: watches the handshakes of new connections. */
export function webDialer(wrap: (upgrader: Upgrader) => Upgrader): (components: Components) => Transport {
  return ({ logger }) =>
    ({
      [Symbol.toStringTag]: 'jel-web-dialer',
      [transportSymbol]: true,
      dialFilter: (addresses: Multiaddr[]) => addresses.filter((address) => webEndpointOf(address) !== undefined),
      listenFilter: () => [],
      createListener: () => {
        throw new Error('nobody listens here')
      },
      dial: async (address: Multiaddr, options: DialTransportOptions) => {
        const socket = new BrowserSocket(webEndpointOf(address) as WebEndpoint)
        try {
          await socket.opened(options.signal)
          const log = logger.forComponent('jel:web')
          const about = { remoteAddr: address, direction: 'outbound', log } as const
          // The upgrader counts the bytes of the property `counted`.
          const connection = Object.assign(new WebConnection(socket, about), { counted: socket })
          return await wrap(options.upgrader).upgradeOutbound(connection, options)
        } catch (error) {
          socket.destroy()
          throw error
        }
      },
    }) as Transport
}

class BrowserSocket implements MessageSocket, Counted {
  bytesRead = 0
  bytesWritten = 0
  readonly #socket: WebSocket
  #events: SocketEvents | undefined
  #looks: ReturnType<typeof setInterval> | undefined

  constructor(endpoint: WebEndpoint) {
    this.#socket = new WebSocket(urlOf(endpoint))
    this.#socket.binaryType = 'arraybuffer'
  }

  /** Resolves when the socket is open. A page does not learn why it does not open. */
  async opened(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const abort = (): void => reject(signal.reason as Error)
    this.#socket.addEventListener('open', () => resolve(), { once: true })
    for (const event of ['error', 'close'])
      this.#socket.addEventListener(event, () => reject(new Error('no WebSocket there')), { once: true })
    signal.addEventListener('abort', abort, { once: true })
    try {
      signal.throwIfAborted()
      await promise
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }

  get waiting(): number {
    return this.#socket.bufferedAmount
  }

  subscribe(events: SocketEvents): void {
    this.#events = events
    this.#socket.addEventListener('message', ({ data }) => {
      if (data instanceof ArrayBuffer) {
        this.bytesRead += data.byteLength
        events.onData(new Uint8Array(data))
      } else {
        // A member sends bytes only.
        this.destroy()
      }
    })
    this.#socket.addEventListener('close', () => this.#end())
    if (this.#socket.readyState === WebSocket.CLOSED) this.#end()
  }

  send(data: Uint8Array<ArrayBuffer>): void {
    this.#socket.send(data)
    this.bytesWritten += data.byteLength
    this.#looks ??= setInterval(() => {
      this.#events?.onSent()
      if (this.waiting > 0) return
      clearInterval(this.#looks)
      this.#looks = undefined
    }, lookInterval)
  }

  once(event: 'close', listener: () => void): void {
    this.#socket.addEventListener(event, listener, { once: true })
  }

  close(): void {
    this.#socket.close()
  }

  /** A page can't drop a socket: the browser waits for the other end, but nothing more is read. */
  destroy(): void {
    this.#socket.close()
    this.#end()
  }

  pause(): void {
    // A page can't stop reading. The windows of the streams bound the bytes on the way.
  }

  resume(): void {
    // See `pause`.
  }

  #end(): void {
    clearInterval(this.#looks)
    this.#events?.onClose()
    this.#events = undefined
  }
}
