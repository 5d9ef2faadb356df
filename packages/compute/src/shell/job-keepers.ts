import type { Pool } from '@jel/jel'
import { FrameStream, SendQueue } from '@jel/overlay'
import type { JobId, MemberId } from '../core/io.ts'

const KEEP_PROTOCOL = '/jel-compute-keep/1.0.0'
/** How long a member may take to get all that a job needs before it says so, ms. A guess: 64 MiB on a line of 30 Mbit/s. */
const ANSWER_TIME = 20_000
/** Requests that may wait for an answer at once, and those of one member: its command, and itself. Guesses. */
const [MAX_WAITING, MAX_OF_ONE] = [64, 2]
/** Bytes of the id of a job. */
const MAX_ID = 128

/** Members tell one another whether they keep a job: its record, and all that a worker needs for it. */
export class JobKeepers {
  readonly #pool: Pool
  readonly #keeps: (job: JobId) => Promise<boolean>
  /** Whose requests wait for an answer. */
  readonly #waiting: MemberId[] = []

  /** `keeps`: whether this member keeps a job; it may take its time. */
  constructor(pool: Pool, keeps: (job: JobId) => Promise<boolean>) {
    this.#pool = pool
    this.#keeps = keeps
  }

  async start(): Promise<void> {
    await this.#pool.handle(KEEP_PROTOCOL, (stream, from) => {
      const queue = new SendQueue()
      let isAsked = false
      const frames: FrameStream = new FrameStream(
        stream,
        { maxFrameBytes: MAX_ID, queue },
        {
          onFrame: (data) => {
            if (isAsked || !this.#mayWait(from)) frames.abort(new Error('it asks for too much'))
            else void this.#answer(from, new TextDecoder().decode(data), queue)
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
    } catch {
      return false
    }
  }

  #mayWait(member: MemberId): boolean {
    return this.#waiting.length < MAX_WAITING && this.#waiting.filter((each) => each === member).length < MAX_OF_ONE
  }

  async #answer(from: MemberId, job: JobId, queue: SendQueue): Promise<void> {
    this.#waiting.push(from)
    try {
      queue.push(Uint8Array.of((await this.#keeps(job)) ? 1 : 0))
    } finally {
      this.#waiting.splice(this.#waiting.indexOf(from), 1)
    }
  }
}
