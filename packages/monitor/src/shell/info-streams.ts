import { FrameStream, inBackground, SendQueue } from '@jel/overlay'
import type { MemberRef, Pool, Stream } from '@jel/jel'
import { fromBytes, toBytes } from '../core/codec.ts'
import { answer, MAX_ANSWER_BYTES, MAX_REQUEST_BYTES, request, type Answer, type Request } from '../core/messages.ts'
import { NoAnswerError } from '../errors.ts'

const PROTOCOL = '/jel-info/1.0.0'
/**
 * Maximum number of streams that this member serves at once, in total and for one member. Guesses:
 * a page reads all of its members at once.
 */
const [MAX_OPEN, MAX_OF_ONE] = [256, 8]
/** One request of a member begins at least this long after its former one, ms. A guess. */
const PAUSE = 5
/** A member asks a member that ends the stream this many times, with this pause, ms. Guesses. */
const [ATTEMPTS, ASK_AGAIN] = [4, 300]
/** A member forgets idle peers above this number. A guess. */
const MAX_PEERS = 1024
/**
 * Time for a request to arrive, ms, and time for an answer beyond the time of its read. Guesses.
 */
const [REQUEST_TIME, EXTRA_TIME] = [5000, 2000]

/** The member ended the stream without an answer. */
class EndedStreamError extends NoAnswerError {}

/** Reads attributes of other members, and lets them read. A stream carries one request. */
export class InfoStreams {
  readonly #pool: Pool
  readonly #answerOf: (asked: Request, from: string) => Promise<Answer>
  /** The number of open streams of each member, and the earliest time of its next request. */
  readonly #peers = new Map<string, { open: number; notBefore: number }>()
  #open = 0

  constructor(pool: Pool, answerOf: (asked: Request, from: string) => Promise<Answer>) {
    this.#pool = pool
    this.#answerOf = answerOf
  }

  async start(signal: AbortSignal): Promise<void> {
    await this.#pool.handle(PROTOCOL, (stream, from) => this.#serve(stream, from), { signal })
  }

  /**
   * @param time how long the member may take, ms
   * @throws NoAnswerError; OpenError, also if the member serves no attributes; UnknownMemberError
   */
  async ask(member: MemberRef, asked: Request, time: number, signal?: AbortSignal): Promise<Answer> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#askOnce(member, asked, time, signal)
      } catch (error) {
        // The member may not know this one yet.
        if (attempt === ATTEMPTS || !(error instanceof EndedStreamError)) throw error
        await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN))
      }
    }
  }

  async #askOnce(member: MemberRef, asked: Request, time: number, signal: AbortSignal | undefined): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    promise.catch(() => {})
    const fail = (why: string): void => reject(new NoAnswerError(`${idOf(member)}: ${why}`))
    // A stopped process takes a stream, and says nothing.
    const late = new AbortController()
    const timer = setTimeout(() => {
      fail(`no answer within ${time + EXTRA_TIME} ms`)
      late.abort(new Error('it takes too long'))
    }, time + EXTRA_TIME)
    const abort = (): void => {
      reject(signal?.reason as Error)
      late.abort(signal?.reason)
    }
    signal?.addEventListener('abort', abort, { once: true })
    let frames: FrameStream | undefined
    try {
      const stream = await Promise.race([this.#pool.open(member, PROTOCOL, { signal: late.signal }), promise as Promise<never>])
      frames = new FrameStream(
        stream,
        { maxFrameBytes: MAX_ANSWER_BYTES, queue: new SendQueue() },
        {
          onFrame: (bytes) => {
            try {
              resolve(fromBytes(answer, bytes) as Answer)
            } catch {
              fail('its answer is none')
            }
          },
          onEnd: () => reject(new EndedStreamError(`${idOf(member)}: it ended the stream without an answer`)),
        },
      )
      frames.send(toBytes(asked))
      return await promise
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
      void frames?.close()
    }
  }

  #serve(stream: Stream, from: string): void {
    const peer = this.#peers.get(from) ?? { open: 0, notBefore: 0 }
    if (this.#open >= MAX_OPEN || peer.open >= MAX_OF_ONE) {
      stream.abort(new Error('it asks for too much at once'))
      return
    }
    this.#peers.set(from, peer)
    if (this.#peers.size > MAX_PEERS) this.#forget()
    this.#open++
    peer.open++
    let isAsked = false
    const frames: FrameStream = new FrameStream(
      stream,
      {
        maxFrameBytes: MAX_REQUEST_BYTES,
        queue: new SendQueue(),
        // A stream keeps its place while its request waits.
        async *stage(received) {
          for await (const bytes of received) {
            const now = performance.now()
            const at = Math.max(now, peer.notBefore)
            peer.notBefore = at + PAUSE
            if (at > now) await new Promise((resolve) => setTimeout(resolve, at - now))
            yield bytes
          }
        },
      },
      {
        onFrame: (bytes) => {
          if (isAsked) return
          isAsked = true
          this.#answer(bytes, from).then(
            (given) => frames.send(toBytes(given)),
            (error: unknown) => frames.abort(error),
          )
        },
        onEnd: () => {
          clearTimeout(timer)
          this.#open--
          peer.open--
          void frames.close()
        },
      },
    )
    const timer = inBackground(
      setTimeout(() => {
        if (!isAsked) frames.abort(new Error('no request came'))
      }, REQUEST_TIME),
    )
  }

  /** Forgets the peers that have no stream and need not wait. */
  #forget(): void {
    const now = performance.now()
    for (const [id, { open, notBefore }] of this.#peers) if (open === 0 && notBefore < now) this.#peers.delete(id)
  }

  async #answer(bytes: Uint8Array, from: string): Promise<Answer> {
    return await this.#answerOf(fromBytes(request, bytes), from)
  }
}

function idOf(member: MemberRef): string {
  return typeof member === 'string' ? member : member.id
}
