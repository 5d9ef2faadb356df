import { fromJson } from '@jel/channel'
import type { Pool } from '@jel/jel'
import { FrameStream, inBackground, SendQueue, type Timer } from '@jel/overlay'
import { MAX_CALL_BYTES, serverMessage, type ServerMessage } from '../core/call-messages.ts'
import { MAX_OPEN_CALLS, SERVICE_PROTOCOL } from './call-server.ts'
import { MAX_OPEN_BYTES } from './open-bytes.ts'

/** A stream without open calls is closed after this time, ms. A guess. */
const IDLE_TIME = 30_000
/** The shortest time between two checks of the stream to a senior backup, ms. A guess. */
const PREPARE_TIME = IDLE_TIME / 3

/** A request to one server. Its input is JSON. */
export type Request =
  | { readonly name: string; readonly key: string; readonly input: string }
  /** Asks for the server's part in a replicated service of this name. */
  | { readonly status: string }

type Outcome = ServerMessage | { readonly broken: Error }

/** The calls of this member to one server, over one stream. */
class Connection {
  readonly #pool: Pool
  readonly #server: string
  readonly #onEnd: () => void
  readonly #open = new Map<number, (outcome: Outcome) => void>()
  /** Requests that are not sent yet: the stream is not open yet, or too many calls are open. */
  readonly #waiting = new Map<number, Request>()
  #frames: FrameStream | undefined
  #idle: Timer | undefined
  #last = 0
  /** The sizes of the calls that the server has not answered, and their sum. */
  readonly #sent = new Map<number, number>()
  #sentBytes = 0

  constructor(pool: Pool, server: string, onEnd: () => void) {
    this.#pool = pool
    this.#server = server
    this.#onEnd = onEnd
    void this.#connect()
  }

  /** Never rejects. */
  async request(request: Request, signal: AbortSignal): Promise<Outcome> {
    const call = ++this.#last
    clearTimeout(this.#idle)
    const { promise, resolve } = Promise.withResolvers<Outcome>()
    this.#open.set(call, resolve)
    const abort = (): void => {
      if (!this.#waiting.delete(call)) this.#frames?.send(new TextEncoder().encode(JSON.stringify({ cancel: call })))
      resolve({ broken: signal.reason as Error })
    }
    signal.addEventListener('abort', abort, { once: true })
    this.#waiting.set(call, request)
    this.#flush()
    const outcome = await promise
    signal.removeEventListener('abort', abort)
    if (!('broken' in outcome) || signal.aborted) this.#open.delete(call)
    this.rest()
    return outcome
  }

  /** Closes the stream after `IDLE_TIME` without open calls. */
  rest(): void {
    clearTimeout(this.#idle)
    if (this.#open.size === 0) this.#idle = inBackground(setTimeout(() => this.end(new Error('the stream was idle')), IDLE_TIME))
  }

  end(error: Error): void {
    clearTimeout(this.#idle)
    this.#onEnd()
    for (const resolve of this.#open.values()) resolve({ broken: error })
    this.#open.clear()
    this.#waiting.clear()
    void this.#frames?.close()
  }

  async #connect(): Promise<void> {
    try {
      const stream = await this.#pool.open(this.#server, SERVICE_PROTOCOL)
      const frames: FrameStream = new FrameStream(
        stream,
        { maxFrameBytes: MAX_CALL_BYTES, queue: new SendQueue() },
        {
          onFrame: (bytes) => {
            try {
              this.#take(fromJson(serverMessage, bytes))
            } catch (error) {
              frames.abort(error)
            }
          },
          onEnd: () => this.end(new Error(`${this.#server} ended the stream`)),
        },
      )
      this.#frames = frames
      this.#flush()
    } catch (error) {
      this.end(error as Error)
    }
  }

  #take(message: ServerMessage): void {
    const resolve = this.#open.get(message.call)
    // A server answers each call, also a cancelled one.
    this.#sentBytes -= this.#sent.get(message.call) ?? 0
    this.#sent.delete(message.call)
    resolve?.(message)
    this.#flush()
  }

  #flush(): void {
    if (this.#frames === undefined) return
    for (const [call, request] of this.#waiting) {
      // A call above the limits of the server would wait there. The server would read no message
      // behind it, not even one that cancels a call.
      if (this.#sent.size >= MAX_OPEN_CALLS || this.#sentBytes >= MAX_OPEN_BYTES) return
      this.#waiting.delete(call)
      const bytes = new TextEncoder().encode(textOf(call, request))
      this.#sent.set(call, bytes.length)
      this.#sentBytes += bytes.length
      this.#frames.send(bytes)
    }
  }
}

function textOf(call: number, request: Request): string {
  if ('status' in request) return JSON.stringify({ call, status: request.status })
  const { name, key, input } = request
  // The input is JSON already.
  return `${JSON.stringify({ call, name, key }).slice(0, -1)},"input":${input}}`
}

/** The calls of this member to all servers. */
export class CallClient {
  readonly #pool: Pool
  readonly #connections = new Map<string, Connection>()
  #prepared: { readonly server?: string; readonly at: number } = { at: 0 }

  constructor(pool: Pool) {
    this.#pool = pool
  }

  async request(server: string, request: Request, signal: AbortSignal): Promise<Outcome> {
    return await this.#connectionTo(server).request(request, signal)
  }

  /** Opens a stream to a server that this member may call soon. */
  prepare(server: string): void {
    const now = performance.now()
    if (this.#prepared.server === server && now - this.#prepared.at < PREPARE_TIME) return
    this.#prepared = { server, at: now }
    this.#connectionTo(server).rest()
  }

  #connectionTo(server: string): Connection {
    const known = this.#connections.get(server)
    if (known !== undefined) return known
    const connection: Connection = new Connection(this.#pool, server, () => {
      if (this.#connections.get(server) === connection) this.#connections.delete(server)
    })
    this.#connections.set(server, connection)
    return connection
  }

  /** Ends the calls to a server that is gone. */
  forget(server: string): void {
    this.#connections.get(server)?.end(new Error(`${server} is gone`))
  }

  close(): void {
    for (const connection of this.#connections.values()) connection.end(new Error('this client is closed'))
  }
}
