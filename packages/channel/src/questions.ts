import type { MemberRef, Pool, Stream } from '@jel/jel'
import { FrameStream, inBackground, SendQueue } from '@jel/overlay'
import { toJson } from './json.ts'
import type { PeerLimits } from './peer-limits.ts'

export interface AskOptions {
  readonly protocol: string
  /** Maximum bytes of the answer. */
  readonly maxBytes: number
  /** Time for the answer, ms. */
  readonly time: number
  /** Returns the error for an answer that is late, or for a stream that ended without one. */
  readonly errorOf: (why: 'late' | 'ended') => Error
  readonly signal?: AbortSignal | undefined
}

/**
 * Asks a member one question over a stream of its own, and returns the bytes of the answer.
 *
 * @throws the error of `errorOf`; the reason of the signal; OpenError, UnknownMemberError
 */
export async function askOnce(pool: Pool, member: MemberRef, question: object, options: AskOptions): Promise<Uint8Array> {
  const { protocol, maxBytes, time, errorOf, signal } = options
  signal?.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
  promise.catch(() => {})
  const end = new AbortController()
  const fail = (error: Error): void => {
    reject(error)
    end.abort(error)
  }
  // A stopped process accepts a stream, and never answers.
  const timer = setTimeout(() => fail(errorOf('late')), time)
  const abort = (): void => fail(signal?.reason as Error)
  signal?.addEventListener('abort', abort, { once: true })
  let frames: FrameStream | undefined
  try {
    const stream = await Promise.race([pool.open(member, protocol, { signal: end.signal }), promise as Promise<never>])
    frames = new FrameStream(
      stream,
      { maxFrameBytes: maxBytes, queue: new SendQueue() },
      { onFrame: resolve, onEnd: () => reject(errorOf('ended')) },
    )
    frames.send(toJson(question))
    return await promise
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
    void frames?.close()
  }
}

export interface ServeOptions {
  /** Bounds the number of streams, and the pace of the questions. */
  readonly limits: PeerLimits
  /** Maximum bytes of a question. */
  readonly maxBytes: number
  /** Time for the question to arrive, ms. */
  readonly time: number
  /** Returns the answer. If this function rejects, the stream ends without an answer. */
  readonly answer: (question: Uint8Array) => Promise<object>
}

/** Answers the one question of a stream that a member opened. */
export function serveOnce(stream: Stream, from: string, { limits, maxBytes, time, answer }: ServeOptions): void {
  const admission = limits.admit(from)
  if (admission === undefined) {
    stream.abort(new Error('too many questions are open'))
    return
  }
  let isAsked = false
  const frames: FrameStream = new FrameStream(
    stream,
    // A stream counts against the limits until it ends, also while its question waits.
    { maxFrameBytes: maxBytes, queue: new SendQueue(), stage: admission.stage },
    {
      onFrame: (bytes) => {
        if (isAsked) return
        isAsked = true
        answer(bytes).then(
          (given) => frames.send(toJson(given)),
          (error: unknown) => frames.abort(error),
        )
      },
      onEnd: () => {
        clearTimeout(timer)
        admission.end()
        void frames.close()
      },
    },
  )
  const timer = inBackground(
    setTimeout(() => {
      if (!isAsked) frames.abort(new Error('no question came'))
    }, time),
  )
}
