import type { Pool, Stream } from '@jel/jel'
import { FrameStream, inBackground, SendQueue, type Timer } from '@jel/overlay'
import { NUMBER_BYTES, withNumber } from './numbered.ts'
import { Outbound } from './outbound.ts'
import { PeerLimits } from './peer-limits.ts'
import { Inbound } from './inbound.ts'

/** The longest time from the handling of a message to its acknowledgement, ms. A guess. */
const ACK_TIME = 100
/** After this number of bytes of messages, the receiver acknowledges at once. A guess. */
const ACK_BYTES = 262_144
/**
 * The most streams that one member may have open to this member: the one that it uses, and two
 * older ones that have not ended yet.
 */
const STREAMS_OF_ONE = 3

export interface ChannelOptions {
  /** The name of the protocol, such as `/jel-group/1.0.0`. */
  readonly protocol: string
  /** The longest message, bytes. All members must have the same limit. */
  readonly maxBytes: number
  /**
   * The shortest time between two messages of one member, ms. A message that comes earlier waits.
   * Default: 0.
   */
  readonly pause?: number
  /**
   * Handles a message. If this function returns a promise, the next message of the sender waits
   * until the promise resolves. An error ends the stream of the sender, and the message does not
   * come again.
   */
  readonly onMessage: (from: string, message: Uint8Array) => void | Promise<void>
  /**
   * Called if messages that wait for a member are dropped, because the id is no member of the pool,
   * because the member does not speak the protocol, or because too many bytes wait for it. Not
   * called if the member dies or leaves.
   */
  readonly onFailed: (member: string, error: Error) => void
}

/**
 * Sends messages to other members. A member gets the messages of another member once and in order,
 * as long as both live. A broken stream is opened again. Messages without an acknowledgement are
 * sent again on the new stream.
 */
export class Channels {
  readonly #pool: Pool
  readonly #options: ChannelOptions
  readonly #limits: PeerLimits
  readonly #outbound = new Map<string, Outbound>()
  readonly #inbound: Inbound
  readonly #inboundStreams = new Set<FrameStream>()
  /** The members to which streams stay open. */
  #kept: ReadonlySet<string> = new Set()
  #isClosed = false

  constructor(pool: Pool, options: ChannelOptions) {
    this.#pool = pool
    this.#options = options
    this.#inbound = new Inbound(
      (id) => this.#isMember(id),
      (from, message) => options.onMessage(from, message),
    )
    this.#limits = new PeerLimits({ ofOne: STREAMS_OF_ONE, pause: options.pause ?? 0 })
  }

  async start(signal: AbortSignal): Promise<void> {
    await this.#pool.handle(this.#options.protocol, (stream, from) => this.#serve(stream, from), { signal })
    for (const type of ['died', 'left'] as const) this.#pool.addEventListener(type, ({ detail }) => this.#forget(detail.id), { signal })
  }

  /**
   * Sends a message to another member. If that member dies or leaves, the messages that wait for it
   * are dropped. After a call of `close` nothing is sent.
   *
   * @throws RangeError for a message that is longer than `maxBytes`
   */
  send(to: string, message: Uint8Array): void {
    const { maxBytes, protocol } = this.#options
    // The receiver would end each stream at this message, and later messages would wait for ever.
    if (message.length > maxBytes)
      throw new RangeError(`a message of ${protocol} has ${message.length} bytes; at most ${maxBytes} are allowed`)
    if (this.#isClosed) return
    this.#outboundTo(to).send(message)
  }

  /**
   * Keeps streams to these members open, so that the next message to one of them waits for no dial.
   * Each call replaces the call before. A stream to a member that is no longer named closes after
   * 30 s without messages.
   */
  keep(members: ReadonlySet<string>): void {
    if (this.#isClosed) return
    const before = this.#kept
    this.#kept = members
    for (const to of members) this.#outboundTo(to).open()
    for (const to of before) if (!members.has(to)) this.#outbound.get(to)?.rest()
  }

  /** The bytes for a member that it has not acknowledged, whether they were sent or not. */
  waiting(to: string): number {
    return this.#outbound.get(to)?.bytes ?? 0
  }

  /**
   * Resolves when at most `bytes` bytes wait for a member. It also resolves when the member is
   * gone, and after a call of `close`.
   */
  async drained(to: string, bytes: number): Promise<void> {
    for (let channel = this.#outbound.get(to); channel !== undefined && channel.bytes > bytes; channel = this.#outbound.get(to))
      await channel.change()
  }

  /** Closes all streams. Messages on a stream have a second to go out. All others are lost. */
  close(): void {
    this.#isClosed = true
    for (const channel of this.#outbound.values()) channel.end()
    this.#outbound.clear()
    for (const frames of this.#inboundStreams) void frames.close()
  }

  #isMember(id: string): boolean {
    return this.#pool.members().some((member) => member.id === id)
  }

  #outboundTo(to: string): Outbound {
    const known = this.#outbound.get(to)
    if (known !== undefined) return known
    const channel = new Outbound({
      open: async () => await this.#pool.open(to, this.#options.protocol),
      isKept: () => this.#kept.has(to),
      mayOpenAgain: (error) => this.#isMember(to) && !isUnsupported(error),
      onFailed: (error) => this.#fail(to, error),
    })
    this.#outbound.set(to, channel)
    return channel
  }

  #fail(member: string, error: Error): void {
    const isLoss = this.#outbound.get(member)?.isEmpty === false
    this.#forget(member)
    // If no message waited, nothing is lost.
    if (isLoss) this.#options.onFailed(member, error)
  }

  #forget(member: string): void {
    this.#outbound.get(member)?.end()
    this.#outbound.delete(member)
  }

  /**
   * Receives messages on a stream that another member opened. The first frame is the name of a
   * session. Each later frame is a message with its number.
   *
   * Each frame is handled before the next one is read (`take` in `stage`). The receiver
   * acknowledges all messages that it has handled: `ACK_TIME` after the first of them, or as soon
   * as they have `ACK_BYTES`.
   *
   * A stream above `STREAMS_OF_ONE` is aborted.
   */
  #serve(stream: Stream, from: string): void {
    const admission = this.#limits.admit(from)
    if (admission === undefined || this.#isClosed) {
      admission?.end()
      stream.abort(new Error(this.#isClosed ? 'these channels are closed' : `${from} has too many streams`))
      return
    }
    let session: string | undefined
    let unacknowledged = 0
    let timer: Timer | undefined
    const acknowledge = (): void => {
      clearTimeout(timer)
      timer = undefined
      unacknowledged = 0
      frames.send(withNumber(this.#inbound.handled(from)))
    }
    const take = async (frame: Uint8Array): Promise<void> => {
      if (session === undefined) {
        session = this.#inbound.begin(from, frame)
        return
      }
      await this.#inbound.take(from, session, frame)
      unacknowledged += frame.length
      if (unacknowledged >= ACK_BYTES) acknowledge()
      else timer ??= inBackground(setTimeout(acknowledge, ACK_TIME))
    }
    const frames: FrameStream = new FrameStream(
      stream,
      {
        maxFrameBytes: NUMBER_BYTES + this.#options.maxBytes,
        queue: new SendQueue(),
        // `take` is called here and not in `onFrame`, because the stream is not read while a stage
        // waits.
        async *stage(received) {
          for await (const frame of admission.stage(received)) {
            await take(frame)
            yield frame
          }
        },
      },
      {
        onFrame: () => {},
        onEnd: () => {
          clearTimeout(timer)
          this.#inboundStreams.delete(frames)
          admission.end()
          frames.abort(new Error('the stream has ended'))
        },
      },
    )
    this.#inboundStreams.add(frames)
  }
}

/** Whether this error says that a member can be reached, but does not speak the protocol. */
export function isUnsupported(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause) if (each.name === 'UnsupportedProtocolError') return true
  return false
}
