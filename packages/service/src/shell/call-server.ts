import { fromJson, PeerLimits } from '@jel/channel'
import type { Pool, Stream } from '@jel/jel'
import { FrameStream, SendQueue } from '@jel/overlay'
import { answerText, callerMessage, MAX_CALL_BYTES, type Answer, type CallerMessage } from '../core/call-messages.ts'
import { checkDepth } from '../core/value.ts'
import { OpenBytes } from './open-bytes.ts'

export const SERVICE_PROTOCOL = '/jel-service/1.0.0'
/**
 * Maximum number of streams of one member, and of all members. A member uses one stream. Two
 * streams that it replaced may not have ended yet.
 */
const [STREAMS_OF_ONE, STREAMS] = [3, 4096]
/** The most calls of one stream without an answer. A guess. Further calls stay unread. */
export const MAX_OPEN_CALLS = 256
/** A message up to this length is no call. It does not wait for the answers to other calls. */
const CANCEL_BYTES = 32
/** The number of messages of one stream after which other work gets a turn. A guess. */
const MESSAGES_A_TURN = 64

/** A call that an instance gets. */
export interface Call {
  readonly name: string
  /** The member that calls. */
  readonly from: string
  readonly key: string
  readonly input: unknown
  /** Aborts if the caller gives up or is gone. */
  readonly signal: AbortSignal
}

/** Serves the calls of other members to the services of this member. */
export class CallServer {
  readonly #pool: Pool
  readonly #limits = new PeerLimits({ ofOne: STREAMS_OF_ONE, total: STREAMS, pause: 0 })
  readonly #take: (call: Call) => Promise<Answer>
  readonly #statusOf: (name: string) => Answer
  readonly #streams = new Set<FrameStream>()
  readonly #openBytes = new OpenBytes()

  constructor(pool: Pool, take: (call: Call) => Promise<Answer>, statusOf: (name: string) => Answer) {
    this.#pool = pool
    this.#take = take
    this.#statusOf = statusOf
  }

  async start(signal: AbortSignal): Promise<void> {
    await this.#pool.handle(SERVICE_PROTOCOL, (stream, from) => this.#serve(stream, from), { signal })
  }

  close(): void {
    for (const frames of this.#streams) void frames.close()
  }

  #serve(stream: Stream, from: string): void {
    const admission = this.#limits.admit(from)
    if (admission === undefined) {
      stream.abort(new Error(`${from} has too many streams`))
      return
    }
    const open = new Map<number, AbortController>()
    const openBytes = this.#openBytes
    let wake = (): void => {}
    const over = new AbortController()
    const room = async (): Promise<void> => {
      while (!over.signal.aborted && (open.size >= MAX_OPEN_CALLS || openBytes.isFull(from))) {
        // An open stream would go on reading into memory.
        if (stream.readStatus === 'readable') stream.pause()
        await new Promise<void>((resolve) => (wake = resolve))
      }
      try {
        if (stream.readStatus === 'paused') stream.resume()
      } catch {
        // The connection is gone.
      }
    }
    // A paused stream does not report its end otherwise.
    stream.addEventListener('close', () => {
      over.abort()
      wake()
    })
    const unwatch = openBytes.watch(from, () => wake())
    const take = async (message: CallerMessage, bytes: number): Promise<void> => {
      if ('cancel' in message) {
        open.get(message.cancel)?.abort()
        return
      }
      if ('status' in message) {
        frames.send(new TextEncoder().encode(answerText(message.call, this.#statusOf(message.status))))
        return
      }
      const { call, name, key, input } = message
      if (open.has(call)) throw new Error(`call ${call} is open already`)
      const controller = new AbortController()
      open.set(call, controller)
      // These bytes count until the service has answered, also after the end of the stream.
      const end = openBytes.add(from, bytes)
      const answer = await this.#take({ name, from, key, input, signal: controller.signal }).finally(end)
      open.delete(call)
      wake()
      frames.send(new TextEncoder().encode(answerText(call, answer)))
    }
    const frames: FrameStream = new FrameStream(
      stream,
      {
        maxFrameBytes: MAX_CALL_BYTES,
        queue: new SendQueue(),
        // The stream of a caller with too many open calls is not read.
        async *stage(received) {
          let count = 0
          for await (const bytes of received) {
            if (bytes.length > CANCEL_BYTES) await room()
            // After the end of the stream no answer can be sent.
            if (over.signal.aborted) return
            if (++count % MESSAGES_A_TURN === 0) await new Promise((resolve) => setTimeout(resolve, 0))
            yield bytes
          }
        },
      },
      {
        onFrame: (bytes) => {
          try {
            const message = fromJson(callerMessage, bytes)
            if ('input' in message) checkDepth(message.input)
            take(message, bytes.length).catch((error: unknown) => frames.abort(error))
          } catch (error) {
            frames.abort(error)
          }
        },
        onEnd: () => {
          this.#streams.delete(frames)
          admission.end()
          for (const controller of open.values()) controller.abort()
          open.clear()
          over.abort()
          unwatch()
          wake()
          void frames.close()
        },
      },
    )
    this.#streams.add(frames)
  }
}
