import type { Pool, Stream } from '@jel/jel'
import { FrameStream, inBackground, SendQueue, type Timer } from '@jel/overlay'
import { NUMBER_BYTES, withNumber } from './numbered.ts'
import { Outbound } from './outbound.ts'
import { PeerLimits } from './peer-limits.ts'
import { Inbound } from './inbound.ts'

/** A receiver acknowledges at the latest after this time, ms, or so many bytes. Guesses. */
const [ACK_TIME, ACK_BYTES] = [100, 262_144]
/** A member may have two streams to this one: the former may not have ended yet. */
const STREAMS_OF_ONE = 3

export interface ChannelOptions {
  /** as in `/jel-group/1.0.0` */
  readonly protocol: string
  /** Longest message, bytes. */
  readonly maxBytes: number
  /** A message of a member is handled at least this long after its former one, ms. Default: 0. */
  readonly pause?: number
  /**
   * Takes a message. An error ends the stream of the sender. The next message of the sender waits
   * for a promise.
   */
  readonly onMessage: (from: string, message: Uint8Array) => void | Promise<void>
  /** The member can't be reached: it does not speak the protocol, or takes nothing. */
  readonly onFailed: (member: string, error: Error) => void
}

/**
 * Sends messages to other members. A member gets the messages of another one in order and once, for
 * as long as both live: a broken stream is opened again, and repeats what was not acknowledged.
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

  /** Sends a message to another member. A member that dies or leaves gets no more. */
  send(to: string, message: Uint8Array): void {
    if (this.#isClosed) return
    this.#outboundTo(to).send(message)
  }

  /**
   * Keeps streams to these members open, and no longer to those before. So the next message to one
   * of them waits for no dial.
   */
  keep(members: ReadonlySet<string>): void {
    if (this.#isClosed) return
    const before = this.#kept
    this.#kept = members
    for (const to of members) this.#outboundTo(to).open()
    for (const to of before) if (!members.has(to)) this.#outbound.get(to)?.rest()
  }

  /** The bytes that wait for a member, sent and not acknowledged ones included. */
  waiting(to: string): number {
    return this.#outbound.get(to)?.bytes ?? 0
  }

  /** Resolves when at most so many bytes wait for a member, or it is gone. */
  async drained(to: string, bytes: number): Promise<void> {
    for (let channel = this.#outbound.get(to); channel !== undefined && channel.bytes > bytes; channel = this.#outbound.get(to))
      await channel.change()
  }

  /** Messages that were sent before still go out, for at most a second. */
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
    // A stream that was only kept open lost nothing.
    if (isLoss) this.#options.onFailed(member, error)
  }

  #forget(member: string): void {
    this.#outbound.get(member)?.end()
    this.#outbound.delete(member)
  }

  #serve(stream: Stream, from: string): void {
    const admission = this.#limits.admit(from)
    if (admission === undefined || this.#isClosed) {
      admission?.end()
      stream.abort(new Error('it has too many streams'))
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
        // The stream is not read while a message is being handled.
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

/** Whether a member is there and does not speak the protocol. */
export function isUnsupported(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause) if (each.name === 'UnsupportedProtocolError') return true
  return false
}
