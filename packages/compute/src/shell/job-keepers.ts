import type { Pool } from '@jel/jel'
import { FrameStream, SendQueue } from '@jel/overlay'
import type { JobId, MemberId } from '../core/io.ts'

const KEEP_PROTOCOL = '/jel-compute-keep/1.0.0'
/** How long a member may take to get all that a job needs before it says so, ms. A guess: 64 MiB on a line of 30 Mbit/s. */
const ANSWER_TIME = 20_000
/** Members that may wait for an answer at once. A guess. */
const MAX_WAITING = 64
/** Bytes of the id of a job. */
const MAX_ID = 128

/** Members tell one another whether they keep a job: its record, and all that a worker needs for it. */
export class JobKeepers {
  readonly #pool: Pool
  readonly #keeps: (job: JobId) => Promise<boolean>
  #waiting = 0

  /** `keeps`: whether this member keeps a job; it may take its time. */
  constructor(pool: Pool, keeps: (job: JobId) => Promise<boolean>) {
    this.#pool = pool
    this.#keeps = keeps
  }

  async start(): Promise<void> {
    await this.#pool.handle(KEEP_PROTOCOL, (stream) => {
      const queue = new SendQueue()
      let isAsked = false
      const frames: FrameStream = new FrameStream(
        stream,
        { maxFrameBytes: MAX_ID, queue },
        {
          onFrame: (data) => {
            if (isAsked || this.#waiting >= MAX_WAITING) frames.abort(new Error('it asks for too much'))
            else void this.#answer(new TextDecoder().decode(data), queue)
            isAsked = true
          },
          onEnd: () => void frames.close(),
        },
      )
    })
  }

  async close(): Promise<void> {
    await this.#pool.unhandle(KEEP_PROTOCOL).catch(() => {})
  }

  /** Whether that member keeps the job; false also where it can't be asked. */
  async ask(member: MemberId, job: JobId): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    try {
      const stream = await this.#pool.open(member, KEEP_PROTOCOL, { signal: AbortSignal.timeout(ANSWER_TIME) })
      const queue = new SendQueue()
      const events = { onFrame: (data: Uint8Array) => resolve(data[0] === 1), onEnd: () => resolve(false) }
      const frames = new FrameStream(stream, { maxFrameBytes: 1, queue }, events)
      const timer = setTimeout(() => resolve(false), ANSWER_TIME)
      queue.push(new TextEncoder().encode(job))
      const answer = await promise
      clearTimeout(timer)
      if (answer) void frames.close()
      else frames.abort(new Error('no answer is needed any more'))
      return answer
    } catch (error) {
      // One of an earlier release: it took the bytes, or it would not have been asked, and says no more.
      return error instanceof Error && error.name === 'UnsupportedProtocolError'
    }
  }

  async #answer(job: JobId, queue: SendQueue): Promise<void> {
    this.#waiting++
    try {
      queue.push(Uint8Array.of((await this.#keeps(job)) ? 1 : 0))
    } finally {
      this.#waiting--
    }
  }
}
