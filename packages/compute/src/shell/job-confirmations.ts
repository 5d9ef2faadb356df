import type { Pool } from '@jel/jel'
import { FrameStream, pause, SendQueue } from '@jel/overlay'
import type { JobId, MemberId } from '../core/io.ts'
import type { JobRecord } from './job-record.ts'

const KEEP_PROTOCOL = '/jel-compute-keep/1.0.0'
/**
 * A member must get all files of a job within this time before it answers, ms. A guess: 64 MiB on a
 * line of 30 Mbit/s.
 */
const ANSWER_TIME = 20_000
/**
 * Maximum number of requests that wait for an answer at once, in total and per member. A member may
 * ask once by itself, and once for a command. Guesses.
 */
const [MAX_WAITING, MAX_OF_ONE] = [64, 2]
/**
 * Number of members that must know a desired state, the time in which they must learn it, and the
 * interval of the checks, ms. Guesses: one of two members may die at once, and news takes 0.3 s.
 */
const [HEARERS, KNOWN_TIME, LOOK_AGAIN] = [2, 3000, 100]
/** Maximum bytes of a request: the id of a job, and a desired state. */
const MAX_ID = 128

/** The state that this member confirms to others. */
export interface ConfirmedState {
  /** Whether this member keeps a job. The answer may take some time. */
  readonly keeps: (job: JobId) => Promise<boolean>
  /** The desired state of the job, as far as this member knows. */
  readonly desiredOf: (job: JobId) => DesiredState
}

type DesiredState = JobRecord['desired'] | 'forget'

/**
 * Asks members to confirm that they keep a job: its record, and all files that a worker needs. A
 * request with a desired state asks whether the member knows that state. Answers such requests of
 * others.
 */
export class JobConfirmations {
  readonly #pool: Pool
  readonly #state: ConfirmedState
  /** The members whose requests wait for an answer. */
  readonly #waiting: MemberId[] = []

  constructor(pool: Pool, state: ConfirmedState) {
    this.#pool = pool
    this.#state = state
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
            if (isAsked || !this.#mayWait(from)) frames.abort(new Error('this member takes no more requests now'))
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

  /**
   * Whether a member keeps the job, or knows its desired state. Also false if the member is
   * unreachable, or does not answer within `most` (20 s at most).
   */
  async ask(member: MemberId, job: JobId, desired?: DesiredState, most = ANSWER_TIME): Promise<boolean> {
    const within = Math.min(ANSWER_TIME, Math.max(1, most))
    const { promise, resolve } = Promise.withResolvers<boolean>()
    try {
      const stream = await this.#pool.open(member, KEEP_PROTOCOL, { signal: AbortSignal.timeout(Math.ceil(within)) })
      const queue = new SendQueue()
      const events = { onFrame: (data: Uint8Array) => resolve(data[0] === 1), onEnd: () => resolve(false) }
      const frames = new FrameStream(stream, { maxFrameBytes: 1, queue }, events)
      const timer = setTimeout(() => resolve(false), within)
      queue.push(new TextEncoder().encode(desired === undefined ? job : `${job} ${desired}`))
      const answer = await promise
      clearTimeout(timer)
      if (answer) void frames.close()
      else frames.abort(new Error('no answer is needed any more'))
      return answer
    } catch {
      return false
    }
  }

  /**
   * Resolves once the first two of these members know the desired state of a job, or after 3 s.
   * Otherwise the state could be lost with this member.
   */
  async untilKnown(members: readonly MemberId[], job: JobId, desired: DesiredState): Promise<void> {
    const end = performance.now() + KNOWN_TIME
    const known = members.slice(0, HEARERS).map(async (member) => {
      for (let left = KNOWN_TIME; left > 0 && !(await this.ask(member, job, desired, left)); left = end - performance.now())
        await pause(LOOK_AGAIN)
    })
    await Promise.all(known)
  }

  /**
   * Waits until this member knows the desired state, for 3 s at most: records spread by themselves.
   * Returns false if it does not know the state by then.
   */
  async #hears(job: JobId, desired: string): Promise<boolean> {
    for (const end = performance.now() + KNOWN_TIME; performance.now() < end;) {
      if (this.#state.desiredOf(job) === desired) return true
      await pause(LOOK_AGAIN)
    }
    return false
  }

  #mayWait(member: MemberId): boolean {
    return this.#waiting.length < MAX_WAITING && this.#waiting.filter((each) => each === member).length < MAX_OF_ONE
  }

  async #answer(from: MemberId, question: string, queue: SendQueue): Promise<void> {
    const [job = '', desired] = question.split(' ')
    this.#waiting.push(from)
    try {
      queue.push(Uint8Array.of((await (desired === undefined ? this.#state.keeps(job) : this.#hears(job, desired))) ? 1 : 0))
    } finally {
      this.#waiting.splice(this.#waiting.indexOf(from), 1)
    }
  }
}
