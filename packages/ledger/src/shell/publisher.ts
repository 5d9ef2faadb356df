import { FrameStream, inBackground, SendQueue, type Overlay, type Timer } from '@jel/overlay'
import type { Stream } from '@libp2p/interface'
import { hasSeat, isFounding, seatsOf } from '../core/configuration.ts'
import type { Seat } from '../core/seat.ts'
import type { LedgerState } from '../core/state.ts'
import { decodeValue, encodeValue } from '../wire/codec.ts'
import { subscribe, type Publication, type Subscribe } from '../wire/frames.ts'
import { paced } from './paced.ts'
import { nextFrame, type Place } from './published-frames.ts'
import type { SeatHost } from './seat-host.ts'

/** The protocol by which a reader follows a voter. */
export const READ_PROTOCOL = '/jel/ledger-follow/1.0.0'

/** The most readers of one voter. So five voters serve 2,560 readers. A guess. */
const MAX_READERS = 512
/** A member may have two streams to this one: the former may not have ended yet. */
const STREAMS_OF_ONE = 2
/**
 * The interval at which a voter tells its readers the leader, ms. So the readers notice a voter
 * that hangs.
 */
export const READER_HEARTBEAT = 2000
/** The first frame of a stream must come within this time, ms. A guess. */
const FIRST_FRAME_TIMEOUT = 5000
/** The most streams whose first frame has not come yet, of all members together. A guess. */
const MAX_SILENT = 64
/** The most bytes that wait for one reader. More frames follow when these have left. A guess. */
const MAX_QUEUED = 1024 * 1024
/** The interval at which a voter checks whether slow readers can get more frames, ms. A guess. */
const POLL = 20

/** A reader that has subscribed. */
interface Subscriber extends Place {
  readonly from: string
  readonly queue: SendQueue
}

/**
 * The part of a voter that sends the committed entries to readers, unasked. So a reader costs a
 * voter little while nothing is committed, and a new entry reaches it in one message.
 */
export class Publisher {
  readonly #port: Pick<Overlay, 'handle' | 'unhandle'>
  readonly #seat: () => SeatHost | undefined
  readonly #readers = new Map<FrameStream, Subscriber>()
  /** Streams without a first frame. */
  readonly #silent = new Map<FrameStream, string>()
  readonly #timer: Timer
  #slow: Timer | undefined
  #isClosed = false

  constructor(port: Pick<Overlay, 'handle' | 'unhandle'>, seat: () => SeatHost | undefined) {
    this.#port = port
    this.#seat = seat
    this.#timer = inBackground(setInterval(() => this.led(), READER_HEARTBEAT))
  }

  async start(): Promise<void> {
    await this.#port.handle(READ_PROTOCOL, (stream, from) => this.#serve(stream, from))
  }

  /** Sends each reader the committed entries that it lacks. */
  feed(): void {
    const state = this.#seat()?.state
    if (state === undefined || this.#readers.size === 0) return
    if (!isVoter(state)) {
      // The readers will subscribe to present voters.
      for (const frames of this.#readers.keys()) void frames.close()
      this.#readers.clear()
      return
    }
    // Most readers lack the same entries, so each page is encoded once.
    const pages = new Map<number, ReturnType<typeof nextFrame>>()
    let isSlow = false
    for (const [frames, reader] of this.#readers) {
      while (reader.next <= state.commit && reader.queue.bytes < MAX_QUEUED) {
        const page = reader.snapshot === undefined ? pages.get(reader.next) : undefined
        const { bytes, place } = page ?? nextFrame(state.log, reader, state.commit)
        if (reader.snapshot === undefined && place.snapshot === undefined) pages.set(reader.next, { bytes, place })
        frames.send(bytes)
        Object.assign(reader, place)
      }
      isSlow ||= reader.next <= state.commit
    }
    if (isSlow) this.#slow ??= inBackground(setTimeout(() => this.#again(), POLL))
  }

  /** Tells all readers the leader that this voter knows. */
  led(): void {
    const state = this.#seat()?.state
    if (state !== undefined) for (const frames of this.#readers.keys()) sayLeader(frames, state)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    clearTimeout(this.#slow)
    const streams = [...this.#readers.keys(), ...this.#silent.keys()]
    await Promise.all([this.#port.unhandle(READ_PROTOCOL).catch(() => {}), ...streams.map(async (each) => await each.close())])
  }

  #again(): void {
    this.#slow = undefined
    this.feed()
  }

  #serve(stream: Stream, from: string): void {
    const all = [...[...this.#readers.values()].map((each) => each.from), ...this.#silent.values()]
    const isFull = this.#readers.size >= MAX_READERS || this.#silent.size >= MAX_SILENT
    if (this.#isClosed || isFull || all.filter((each) => each === from).length >= STREAMS_OF_ONE) {
      stream.abort(new Error('this member has too many readers, or too many streams of one member'))
      return
    }
    const queue = new SendQueue()
    const frames: FrameStream = new FrameStream(
      stream,
      { maxFrameBytes: 1024, queue, stage: paced },
      {
        onFrame: (bytes) => {
          const asked = decodeValue(subscribe, bytes)
          if (!this.#silent.delete(frames) || asked === undefined)
            frames.abort(new Error('the stream does not begin with one subscription'))
          else this.#answer(frames, from, queue, asked)
        },
        onEnd: () => {
          clearTimeout(timer)
          this.#silent.delete(frames)
          this.#readers.delete(frames)
          frames.abort(new Error('the stream has ended'))
        },
      },
    )
    this.#silent.set(frames, from)
    const timer = inBackground(
      setTimeout(() => this.#silent.has(frames) && frames.abort(new Error('the reader sent no subscription in time')), FIRST_FRAME_TIMEOUT),
    )
  }

  #answer(frames: FrameStream, from: string, queue: SendQueue, { ledger, index, hash }: Subscribe): void {
    const state = this.#seat()?.state
    const say = (feed: Publication): void => frames.send(encodeValue(feed))
    if (state === undefined || state.ledger !== ledger || !isVoter(state)) {
      say({ type: 'elsewhere', seats: state?.ledger === ledger ? votersOf(state).slice(0, 32) : [] })
      void frames.close()
      return
    }
    const own = state.log.hashAt(index)
    if (index <= state.commit && own !== undefined && own !== hash) {
      say({ type: 'foreign' })
      void frames.close()
      return
    }
    this.#readers.set(frames, { from, queue, next: index + 1, snapshot: undefined })
    sayLeader(frames, state)
    this.feed()
  }
}

/**
 * Whether readers may follow this seat. A founder may not know yet that the founding is over, and
 * that it is no voter any more.
 */
function isVoter({ configuration, seat }: Readonly<LedgerState>): boolean {
  return !isFounding(configuration) && hasSeat(configuration, seat)
}

function votersOf({ configuration, leader }: Readonly<LedgerState>): readonly Seat[] {
  return [...new Set([...seatsOf(configuration), ...(leader === undefined ? [] : [leader])])]
}

function sayLeader(frames: FrameStream, { term, leader }: Readonly<LedgerState>): void {
  frames.send(encodeValue({ type: 'leader', term, ...(leader !== undefined && { leader }) } satisfies Publication))
}
