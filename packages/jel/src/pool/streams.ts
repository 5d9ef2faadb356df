import type { StreamHandler } from '@jel/overlay'
import type { Stream } from '@libp2p/interface'
import { checkProtocol } from '../base/arguments.ts'
import type { Link, MemberRef, Traffic } from '../base/member.ts'
import { MessageCalls } from './messages.ts'
import type { Abortable, Session } from '../base/session.ts'

/** The calls of a pool about its streams and links. */
export class StreamCalls extends MessageCalls {
  readonly #session: Session
  /** By protocol: a function that removes the listener from the signal that ends the handler. */
  readonly #handlers = new Map<string, () => void>()

  /** @internal */
  constructor(session: Session) {
    super(session)
    this.#session = session
    session.listen({}, () => {
      for (const forget of this.#handlers.values()) forget()
      this.#handlers.clear()
    })
  }

  /**
   * Opens a stream to a member, for one of the application's own protocols (JEL §3: the model works
   * together with any communication library). Dials the member if no connection is up.
   *
   * @param protocol as in `/render/1.0.0`
   * @throws UnknownMemberError, InvalidProtocolError, PoolLeftError; OpenError when the member is
   *   unreachable or doesn't speak the protocol
   */
  async open(member: MemberRef, protocol: string, options: Abortable = {}): Promise<Stream> {
    this.#session.check(options.signal)
    checkProtocol(protocol)
    const id = this.#session.knownId(member)
    return await this.#session.ask(() => this.#session.host.open(id, protocol, options))
  }

  /**
   * Takes the streams that others open for `protocol`.
   *
   * @param options.signal ends the handler, as `unhandle()` does; if it aborts before the handler
   *   is in place, the call rejects with its reason
   * @throws PoolLeftError; InvalidProtocolError, also if the protocol has a handler already
   */
  async handle(protocol: string, handler: StreamHandler, options: Abortable = {}): Promise<void> {
    const { signal } = options
    this.#session.check(signal)
    checkProtocol(protocol)
    await this.#session.ask(() => this.#session.host.handle(protocol, handler))
    if (signal === undefined) return
    // After the end of the pool nothing would remove the listener.
    this.#session.check()
    if (signal.aborted) {
      await this.#session.ask(() => this.#session.host.unhandle(protocol))
      throw signal.reason
    }
    const stop = (): void => {
      this.#handlers.delete(protocol)
      // If the overlay has ended meanwhile, it takes no streams anyway.
      this.#session.host.unhandle(protocol).catch(() => {})
    }
    signal.addEventListener('abort', stop, { once: true })
    this.#handlers.set(protocol, () => signal.removeEventListener('abort', stop))
  }

  /** Takes no more streams for `protocol`. */
  async unhandle(protocol: string): Promise<void> {
    this.#session.check()
    checkProtocol(protocol)
    // The signal of this handler must not end the next handler.
    this.#handlers.get(protocol)?.()
    this.#handlers.delete(protocol)
    await this.#session.ask(() => this.#session.host.unhandle(protocol))
  }

  /**
   * Returns the links of this node that are up. The links of all nodes together form the overlay.
   */
  async links(): Promise<readonly Link[]> {
    this.#session.check()
    return await this.#session.ask(() => this.#session.host.links())
  }

  /**
   * Asks a member for its links, so that an observer of a pool can see the whole overlay. A node
   * answers at most 20 such requests a second in the long run, and 200 at once, for all askers
   * together.
   *
   * @throws UnknownMemberError, OpenError, PoolLeftError
   */
  async linksOf(member: MemberRef, options: Abortable = {}): Promise<readonly Link[]> {
    this.#session.check(options.signal)
    const id = this.#session.knownId(member)
    return id === this.self.id ? await this.links() : await this.#session.ask(() => this.#session.host.linksOf(id, options))
  }

  /**
   * Returns the bytes that this node sent and received over TCP since its start, and the number of
   * open connections.
   */
  async traffic(): Promise<Traffic> {
    this.#session.check()
    return await this.#session.ask(() => this.#session.host.traffic())
  }
}
