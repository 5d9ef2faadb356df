import { FrameStream, inBackground, SendQueue, type Overlay, type Timer } from '@jel/overlay'
import type { Stream } from '@libp2p/interface'
import type * as v from 'valibot'
import { decodeValue, encodeValue } from '../wire/codec.ts'
import { MAX_FRAME, frame, type Envelope } from '../wire/frames.ts'
import { paced } from './paced.ts'

/**
 * The protocol of messages between members. A stream names the two parties of its messages only
 * when they change. So between two voters it names them once.
 */
const PROTOCOL = '/jel/ledger/1.0.0'

/** A stream that has sent nothing for this time is closed, ms: ten heartbeats. A guess. */
const IDLE = 10_000
/** A member that could not be reached is dialed again after this time, ms. A guess. */
const REDIAL = 200
/**
 * The most bytes that wait for a stream to open. Further messages are dropped, and Raft repeats
 * them. A guess.
 */
const MAX_WAITING = 4 * 1024 * 1024
/** The most streams of one member to this one. Its former streams may not have ended yet. */
const STREAMS_OF_ONE = 3

type Parties = Omit<Envelope, 'message'>

export interface TransportEvents {
  /** A message has come from the member with the id `from`. It fits the schema. */
  onEnvelope(from: string, envelope: Envelope): void
  /** A stream of that member to this one has ended. */
  onEnded(from: string): void
}

/** A stream to one member, or its opening. */
interface Outbound {
  /** The parties that its last frames have named. */
  parties: Parties | undefined
  frames: FrameStream | undefined
  waiting: Uint8Array[]
  bytes: number
  notBefore: number
  sentAt: number
}

/** Carries messages to other members. It may lose messages: Raft repeats those that matter. */
export class Transport {
  readonly #port: Pick<Overlay, 'open' | 'handle' | 'unhandle'>
  readonly #events: TransportEvents
  readonly #outbound = new Map<string, Outbound>()
  readonly #inbound = new Map<FrameStream, string>()
  readonly #timer: Timer
  #isClosed = false

  constructor(port: Pick<Overlay, 'open' | 'handle' | 'unhandle'>, events: TransportEvents) {
    this.#port = port
    this.#events = events
    this.#timer = inBackground(setInterval(() => this.#closeIdle(), IDLE / 2))
  }

  async start(): Promise<void> {
    await this.#port.handle(PROTOCOL, (stream, from) => this.#serve(stream, from))
  }

  send(to: string, { message, ...parties }: Envelope): void {
    if (this.#isClosed) return
    const out = this.#outboundTo(to)
    out.sentAt = performance.now()
    if (out.frames === undefined && (out.sentAt < out.notBefore || out.bytes > MAX_WAITING)) return
    if (!isSame(out.parties, parties)) this.#sendFrame(to, out, { type: 'parties', ...parties })
    out.parties = parties
    this.#sendFrame(to, out, message)
  }

  /** Closes all streams. The bytes that wait are sent first, for at most a second. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    const streams = [...this.#inbound.keys(), ...[...this.#outbound.values()].flatMap(({ frames }) => frames ?? [])]
    await Promise.all([this.#port.unhandle(PROTOCOL).catch(() => {}), ...streams.map(async (each) => await each.close())])
  }

  #outboundTo(to: string): Outbound {
    const known = this.#outbound.get(to)
    if (known !== undefined) return known
    const out = { parties: undefined, frames: undefined, waiting: [], bytes: 0, notBefore: 0, sentAt: 0 }
    this.#outbound.set(to, out)
    return out
  }

  #sendFrame(to: string, out: Outbound, content: v.InferOutput<typeof frame>): void {
    const bytes = encodeValue(content)
    if (out.frames !== undefined) {
      out.frames.send(bytes)
      return
    }
    out.waiting.push(bytes)
    out.bytes += bytes.length
    if (out.waiting.length === 1) void this.#open(to, out)
  }

  async #open(to: string, out: Outbound): Promise<void> {
    try {
      const stream = await this.#port.open(to, PROTOCOL)
      const frames: FrameStream = new FrameStream(
        stream,
        { maxFrameBytes: MAX_FRAME, queue: new SendQueue() },
        {
          onFrame: () => {},
          onEnd: () => {
            frames.abort(new Error('the stream has ended'))
            if (out.frames !== frames) return
            out.frames = undefined
            out.parties = undefined
          },
        },
      )
      for (const bytes of out.waiting) frames.send(bytes)
      if (this.#isClosed) void frames.close()
      else out.frames = frames
    } catch {
      out.notBefore = performance.now() + REDIAL
      out.parties = undefined
    }
    out.waiting = []
    out.bytes = 0
  }

  #serve(stream: Stream, from: string): void {
    const others = [...this.#inbound.values()].filter((each) => each === from).length
    if (this.#isClosed || others >= STREAMS_OF_ONE) {
      stream.abort(new Error(`${from} has too many streams`))
      return
    }
    let parties: Parties | undefined
    const frames: FrameStream = new FrameStream(
      stream,
      { maxFrameBytes: MAX_FRAME, queue: new SendQueue(), stage: paced },
      {
        onFrame: (bytes) => {
          const content = decodeValue(frame, bytes)
          if (content?.type === 'parties') parties = content
          else if (content !== undefined && parties !== undefined) this.#events.onEnvelope(from, { ...parties, message: content })
        },
        onEnd: () => {
          this.#inbound.delete(frames)
          frames.abort(new Error('the stream has ended'))
          if (!this.#isClosed) this.#events.onEnded(from)
        },
      },
    )
    this.#inbound.set(frames, from)
  }

  #closeIdle(): void {
    const now = performance.now()
    for (const [to, { frames, waiting, sentAt, notBefore }] of this.#outbound) {
      if (now - sentAt < IDLE || now < notBefore || waiting.length > 0) continue
      this.#outbound.delete(to)
      void frames?.close()
    }
  }
}

function isSame(one: Parties | undefined, other: Parties): boolean {
  return one?.ledger === other.ledger && one.from === other.from && one.to === other.to
}
