/**
 * Reports the links of a member on demand, on a stream of its own. So a view of the overlay costs
 * nothing while nobody looks at it.
 */
import type { LinkState } from '@jel/protocol'
import type { ApplicationStreams } from './application-streams.ts'
import { OpenError, reasonOf } from '../base/errors.ts'
import { takeLine } from '../circuits/take-line.ts'
import { TokenBucket } from '../host/token-bucket.ts'
import { later } from '../base/timers.ts'

/**
 * Answers a second, for all askers together. Guess: each answer costs a stream, and at most a
 * handshake. Ten pages that show one small pool send fewer requests a second to one member than
 * this.
 */
const answersPerSecond = 20

/** Longest answer, characters. A link takes 60. */
const maxLength = 32_768

/** Links in one answer. Guess: three times as many as a node has while many nodes enter. */
const maxLinks = 256

/** Time for an answer, a dial included, and then for its end, ms. Guess. */
const timeout = 5_000

/** Ids are base58; an Ed25519 id has 52 characters. */
const idPattern = /^[1-9A-HJ-NP-Za-km-z]{1,128}$/u

export class LinkReports {
  readonly #streams: Pick<ApplicationStreams, 'open' | 'handle'>
  readonly #protocol: string
  readonly #own: () => readonly LinkState[]
  readonly #limiter = new TokenBucket(answersPerSecond)

  constructor(streams: Pick<ApplicationStreams, 'open' | 'handle'>, protocol: string, own: () => readonly LinkState[]) {
    this.#streams = streams
    this.#protocol = protocol
    this.#own = own
  }

  /** Starts to answer requests. */
  async start(): Promise<void> {
    await this.#streams.handle(this.#protocol, async (stream) => {
      if (!this.#limiter.spend()) throw new Error('asked too often')
      // An asker has nothing to send. Its bytes would stay unread, and take memory.
      stream.addEventListener('message', () => stream.abort(new Error('a request for links has no bytes')))
      stream.send(new TextEncoder().encode(`${formatLinks(this.#own())}\n`))
      // The stream keeps its connection until the asker ends its side, too.
      later(() => stream.abort(new Error('the answer is given')), timeout)
      await stream.close()
    })
  }

  /** Throws {@link UnknownMemberError} or {@link OpenError}. */
  async ask(id: string, signal: AbortSignal | undefined): Promise<LinkState[]> {
    const time = AbortSignal.timeout(timeout)
    const limit = signal ? AbortSignal.any([signal, time]) : time
    const stream = await this.#streams.open(id, this.#protocol, limit)
    try {
      return parseLinks(await takeLine(stream, maxLength, limit))
    } catch (error) {
      signal?.throwIfAborted()
      throw new OpenError(`${id} did not tell its links: ${reasonOf(error)}`, { cause: error })
    } finally {
      // A close would end only this side. The member could go on sending, and nobody would read it.
      stream.abort(new Error('the answer is read'))
    }
  }
}

/** Formats links as `[["12D3…",3],["12D3…"]]`. */
function formatLinks(links: readonly LinkState[]): string {
  return JSON.stringify(links.slice(0, maxLinks).map(({ id, roundTrip }) => (roundTrip === undefined ? [id] : [id, roundTrip])))
}

/** Parses the text of {@link formatLinks}. Throws an Error for any other text. */
export function parseLinks(text: string): LinkState[] {
  const parsed: unknown = JSON.parse(text)
  if (!Array.isArray(parsed) || parsed.length > maxLinks) throw new Error('no list of links')
  return parsed.map((each: unknown) => {
    const [id, roundTrip] = Array.isArray(each) ? (each as unknown[]) : []
    const isTime = typeof roundTrip === 'number' && Number.isFinite(roundTrip) && roundTrip >= 0
    if (typeof id !== 'string' || !idPattern.test(id) || (roundTrip !== undefined && !isTime)) throw new Error('no list of links')
    return { id, roundTrip: isTime ? roundTrip : undefined }
  })
}
