import { idOf, type MemberRef, type Pool, type Stream } from '@jel/jel'
import { askOnce, fromJson, PeerLimits, serveOnce } from '@jel/channel'
import { answer, MAX_ANSWER_BYTES, MAX_REQUEST_BYTES, request, type Answer, type Request } from '../core/messages.ts'
import { NoAnswerError } from '../errors.ts'

const PROTOCOL = '/jel-info/1.0.0'
/**
 * Maximum number of streams that this member serves at once, in total and for one member. Guesses:
 * a page reads all of its members at once.
 */
const [MAX_OPEN, MAX_OF_ONE] = [256, 8]
/** Between two requests of one member lies at least this time, ms. A guess. */
const PAUSE = 5
/**
 * If a stream ends without an answer, the reader asks again: this many times in all, after this
 * pause, ms. Guesses.
 */
const [ATTEMPTS, ASK_AGAIN] = [4, 300]
/**
 * Time for a request to arrive, ms, and the time for its answer in addition to the `timeout` of the
 * read. Guesses.
 */
const [REQUEST_TIME, EXTRA_TIME] = [5000, 2000]

/** The member ended the stream without an answer. */
class EndedStreamError extends NoAnswerError {}

/** Reads attributes of other members, and answers their reads. A stream carries one request. */
export class InfoStreams {
  readonly #pool: Pool
  readonly #answerOf: (asked: Request, from: string) => Promise<Answer>
  readonly #limits = new PeerLimits({ total: MAX_OPEN, ofOne: MAX_OF_ONE, pause: PAUSE })

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
        // The other member may not have heard of this member yet.
        if (attempt === ATTEMPTS || !(error instanceof EndedStreamError)) throw error
        await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN))
      }
    }
  }

  async #askOnce(member: MemberRef, asked: Request, time: number, signal: AbortSignal | undefined): Promise<Answer> {
    const bytes = await askOnce(this.#pool, member, asked, {
      protocol: PROTOCOL,
      maxBytes: MAX_ANSWER_BYTES,
      time: time + EXTRA_TIME,
      errorOf: (why) =>
        why === 'late'
          ? new NoAnswerError(`${idOf(member)}: no answer within ${time + EXTRA_TIME} ms`)
          : new EndedStreamError(`${idOf(member)} ended the stream without an answer`),
      signal,
    })
    try {
      return fromJson(answer, bytes) as Answer
    } catch {
      throw new NoAnswerError(`the answer of ${idOf(member)} is not valid`)
    }
  }

  #serve(stream: Stream, from: string): void {
    serveOnce(stream, from, {
      limits: this.#limits,
      maxBytes: MAX_REQUEST_BYTES,
      time: REQUEST_TIME,
      answer: async (bytes) => await this.#answerOf(fromJson(request, bytes), from),
    })
  }
}
