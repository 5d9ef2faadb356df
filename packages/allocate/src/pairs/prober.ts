import { siteOf, OpenError, UnknownMemberError, type Pool, type Stream } from '@jel/jel'
import { askOnce, fromJson, isUnsupported, PeerLimits, serveOnce } from '@jel/channel'
import { managerOf } from '@jel/monitor'
import { FrameStream, inBackground, SendQueue } from '@jel/overlay'
import type { Milliseconds } from '../core/calendar.ts'
import { LeaseError, ProbeError } from '../errors.ts'
import type { Lease } from '../lease.ts'
import {
  MAX_ANSWER_BYTES,
  MAX_REQUEST_BYTES,
  measureAnswer,
  measureRequest,
  type Figures,
  type MeasureAnswer,
  type MeasureRequest,
} from './messages.ts'
import { MAX_PROBE_BYTES, probe, PROBE_TIME } from './probe.ts'

/**
 * Over the first protocol all bytes are sent back. Over the second one a member is asked to
 * measure.
 */
const [PROBE_PROTOCOL, MEASURE_PROTOCOL] = ['/jel-probe/1.0.0', '/jel-measure/1.0.0']
/** A member measures the same pair again after this time, ms. A guess. */
const KEPT: Milliseconds = 2000
/** A member that waits for a token asks again after this time, ms. A guess. */
const ASK_AGAIN: Milliseconds = 50
/**
 * After a probe a member must wait for this time before the next probe with this member, ms. A
 * guess.
 */
const REST: Milliseconds = 1000
/** Maximum number of probes to which a member replies at once. A guess: each has at most 1.4 MB. */
const MAX_PROBES = 32
/** Bounds of requests for a probe. Guesses. */
const REQUESTS = { total: 64, ofOne: 8, pause: 100 }
/**
 * The time for an answer in addition to that of the measurement, and the time for a question to
 * arrive, ms. A guess.
 */
const EXTRA_TIME: Milliseconds = 2000

/** Figures, and the time on the clock of this member when they were measured. */
export type Measured = Figures & { readonly at: Milliseconds }

/** Measures to other members, and lets others measure to this one. */
export class Prober {
  readonly #pool: Pool
  readonly #lease: (manager: string) => Promise<Lease>
  readonly #probes = new PeerLimits({ total: MAX_PROBES, ofOne: 1, pause: 0 })
  readonly #requests = new PeerLimits(REQUESTS)
  readonly #last = new Map<string, Measured>()
  readonly #running = new Map<string, Promise<Measured>>()

  /** @param lease leases the probe token of a manager */
  constructor(pool: Pool, lease: (manager: string) => Promise<Lease>) {
    this.#pool = pool
    this.#lease = lease
  }

  async start(signal: AbortSignal): Promise<void> {
    await this.#pool.handle(PROBE_PROTOCOL, (stream, from) => this.#sendBack(stream, from), { signal })
    const answer = async (bytes: Uint8Array): Promise<MeasureAnswer> => await this.#answer(bytes)
    const serving = { limits: this.#requests, maxBytes: MAX_REQUEST_BYTES, time: EXTRA_TIME, answer }
    await this.#pool.handle(MEASURE_PROTOCOL, (stream, from) => serveOnce(stream, from, serving), { signal })
  }

  /**
   * Makes a member measure to another one, within this time, ms.
   *
   * @throws ProbeError; OpenError, UnknownMemberError; the reason of the signal
   */
  async measure(from: string, to: string, within: Milliseconds, signal?: AbortSignal): Promise<Measured> {
    return from === this.#pool.self.id ? await this.#own(to, within) : await this.#ask(from, { measure: to, within }, signal)
  }

  /** Measures from this member. All requests at the same time get the same figures. */
  async #own(to: string, within: Milliseconds): Promise<Measured> {
    const known = this.#last.get(to)
    if (known !== undefined && performance.now() - known.at < KEPT) return known
    const running =
      this.#running.get(to) ??
      this.#withTokens(to, performance.now() + within).finally(() => {
        this.#running.delete(to)
        for (const [id, { at }] of this.#last) if (performance.now() - at >= KEPT) this.#last.delete(id)
      })
    this.#running.set(to, running)
    const measured = await running
    this.#last.set(to, measured)
    return measured
  }

  /** Probes while this member has the tokens of its own site and of the other site. */
  async #withTokens(to: string, deadline: Milliseconds): Promise<Measured> {
    const other = this.#pool.members().find(({ id }) => id === to)
    if (other === undefined || to === this.#pool.self.id) throw new ProbeError(`${to} is no other member`)
    // All take tokens in the same order, so they never wait for each other in a circle.
    const sites = [...new Set([siteOf(this.#pool.self), siteOf(other)])].sort()
    for (;;) {
      const tokens: Lease[] = []
      try {
        for (const site of sites) tokens.push(await this.#token(site, deadline))
        // The first token may end soon when the last token comes.
        if (tokens.some(({ endsIn }) => endsIn < PROBE_TIME)) continue
        const signal = AbortSignal.any(tokens.map((token) => token.signal))
        const begin = performance.now()
        const figures = await probe(await this.#pool.open(to, PROBE_PROTOCOL, { signal }), signal)
        const at = performance.now()
        return { ...figures, took: at - begin, at }
      } finally {
        for (const token of tokens) void token.release()
      }
    }
  }

  /**
   * Waits for the token of a site. If a manager grants no leases at all, the next member by the
   * same rule is the manager.
   */
  async #token(site: string, deadline: Milliseconds): Promise<Lease> {
    const without = new Set<string>()
    for (;;) {
      const manager = managerOf(
        this.#pool.members().filter(({ id }) => !without.has(id)),
        site,
      )
      if (manager === undefined) throw new ProbeError(`no member of ${site} grants leases, so nobody has its probe token`)
      try {
        return await this.#lease(manager.id)
      } catch (error) {
        if (isUnsupported(error)) {
          without.add(manager.id)
          continue
        }
        // If the manager is gone, the site has another one soon.
        const isPassing =
          error instanceof LeaseError ? error.code !== 'DENIED' : error instanceof OpenError || error instanceof UnknownMemberError
        if (!isPassing) throw error
        if (performance.now() > deadline)
          throw new ProbeError(`the probe token of ${site} at ${manager.id} was not free in time`, { cause: error })
        const { earliest = ASK_AGAIN } = error instanceof LeaseError ? error : {}
        await new Promise((resolve) => setTimeout(resolve, Math.min(earliest, ASK_AGAIN)))
      }
    }
  }

  async #ask(member: string, asked: MeasureRequest, signal?: AbortSignal): Promise<Measured> {
    const bytes = await askOnce(this.#pool, member, asked, {
      protocol: MEASURE_PROTOCOL,
      maxBytes: MAX_ANSWER_BYTES,
      time: asked.within + EXTRA_TIME,
      errorOf: (why) => new ProbeError(`${member} ${why === 'late' ? 'did not answer in time' : 'ended the stream without an answer'}`),
      signal,
    })
    const answer = answerOf(member, bytes)
    if ('problem' in answer) throw new ProbeError(answer.problem)
    return { ...answer.figures, at: performance.now() - answer.age }
  }

  /** Sends back all bytes of a probe. Its bytes, its time and the number of probes are bounded. */
  #sendBack(stream: Stream, from: string): void {
    const admission = this.#probes.admit(from)
    if (admission === undefined) {
      stream.abort(new Error(`${from} probes too often`))
      return
    }
    const frames: FrameStream = new FrameStream(
      stream,
      {
        maxFrameBytes: 16_384,
        queue: new SendQueue(),
        async *stage(received) {
          let bytes = 0
          for await (const frame of received) {
            bytes += frame.length
            if (bytes > MAX_PROBE_BYTES) throw new Error('the probe has too many bytes')
            yield frame
          }
        },
      },
      {
        onFrame: (bytes) => frames.send(bytes),
        onEnd: () => {
          clearTimeout(timer)
          frames.abort(new Error('the probe is over'))
          inBackground(setTimeout(() => admission.end(), REST))
        },
      },
    )
    const timer = inBackground(setTimeout(() => frames.abort(new Error('the probe takes too long')), 2 * PROBE_TIME))
  }

  /** Answers a question with the figures, or with the reason why there are none. */
  async #answer(bytes: Uint8Array): Promise<MeasureAnswer> {
    try {
      const { measure, within } = fromJson(measureRequest, bytes)
      const { at, ...figures } = await this.#own(measure, within)
      return { figures, age: performance.now() - at }
    } catch (error) {
      return { problem: (error instanceof Error ? error.message : String(error)).slice(0, 500) }
    }
  }
}

function answerOf(member: string, bytes: Uint8Array): MeasureAnswer {
  try {
    return fromJson(measureAnswer, bytes)
  } catch {
    throw new ProbeError(`the answer of ${member} is not valid`)
  }
}
