import type { Stream } from '@jel/jel'
import { Driver } from '@jel/machine'
import { FrameStream, inBackground, SendQueue } from '@jel/overlay'
import { fromJson, PeerLimits, toJson, type Admission } from '@jel/channel'
import { permitted, type Allow } from '../core/permissions.ts'
import type { Since } from '../core/row.ts'
import { parseWatch, type ParsedWatch } from '../core/watch-spec.ts'
import { MAX_ROWS_BYTES, MAX_WATCH_BYTES, RowEncoder, watchRequest, type WatchRequest } from '../core/watch-messages.ts'
import { Watching, type WatchEffect, type WatchInput } from '../core/watching.ts'
import type { Attributes } from './attributes.ts'
import { Consumer, FULL_BYTES, type Outlet } from './consumer.ts'
import { paced } from './pace.ts'
import type { SiteWatches } from './site-watches.ts'

/** Maximum number of watches that this member serves, in total and for one member. Guesses. */
const [MAX_WATCHES, MAX_OF_ONE] = [64, 8]
/**
 * The stream to a consumer that reads nothing ends after this time, ms. If the pool takes the
 * consumer for dead, the stream ends sooner. A guess.
 */
const STALL = 600_000
/** A stream has this time for its first message, ms. A guess. */
const REQUEST_TIME = 5000

/** Takes the frames of a stream after its first one. */
type Sink = (bytes: Uint8Array) => void

/** Serves watches of other members: the shell of `Watching`. */
export class WatchServer {
  readonly #attributes: Attributes
  readonly #allow: Allow
  readonly #sites: SiteWatches
  readonly #driver: Driver<WatchInput, WatchEffect>
  readonly #watches = new PeerLimits({ total: MAX_WATCHES, ofOne: MAX_OF_ONE, pause: 0 })
  /**
   * Twice as many streams as watches, since a stream above the limit gets a message before its end.
   */
  readonly #streams = new PeerLimits({ total: 2 * MAX_WATCHES, ofOne: 2 * MAX_OF_ONE, pause: 0 })
  readonly #consumers = new Map<string, Consumer>()
  /** For each watch of a site the function that ends it. */
  readonly #ofSites = new Map<string, () => void>()
  readonly #frames = new Set<FrameStream>()
  #next = 0

  constructor(attributes: Attributes, sites: SiteWatches, allow: Allow) {
    this.#attributes = attributes
    this.#sites = sites
    this.#allow = allow
    this.#driver = new Driver<WatchInput, WatchEffect>(
      new Watching(Math.random, performance.timeOrigin),
      {
        measure: ({ name }) => void this.#measure(name),
        send: ({ watch, rows }) => this.#consumers.get(watch)?.send(rows),
      },
      performance,
    )
  }

  /**
   * Takes a stream that another member opened.
   *
   * @param onPush called with the names of the attributes if the other member pushes. It returns
   *   the function that takes the next frames; undefined: this member does not accept them
   */
  serve(stream: Stream, from: string, onPush: (names: readonly string[]) => Sink | undefined): void {
    const admission = this.#streams.admit(from)
    if (admission === undefined) {
      stream.abort(new Error(`${from} has too many streams of watches`))
      return
    }
    const id = `${this.#next++}`
    const queue = new SendQueue()
    let [next, place] = [undefined as Sink | undefined, undefined as Admission | undefined]
    const begin = (bytes: Uint8Array): Sink => {
      if (bytes.length > MAX_WATCH_BYTES) throw new Error(`a request has at most ${MAX_WATCH_BYTES} bytes`)
      const asked = fromJson(watchRequest, bytes)
      place = this.#watches.admit(from)
      if (place === undefined) {
        const message = `this member serves at most ${MAX_WATCHES} watches, and at most ${MAX_OF_ONE} of one member`
        frames.send(toJson({ refused: { code: 'TOO_MANY', message } }))
        void frames.close()
        return () => {}
      }
      if ('push' in asked) {
        const sink = onPush(asked.push)
        if (sink === undefined) throw new Error(`this member does not accept all of ${asked.push.join(', ')}`)
        return sink
      }
      this.#begin(id, from, outletOf(frames, queue, stream), asked)
      return () => frames.abort(new Error('a second message came on the stream of a watch'))
    }
    const frames: FrameStream = new FrameStream(
      stream,
      { maxFrameBytes: MAX_ROWS_BYTES, queue, stage: paced, stallTimeout: STALL },
      {
        onFrame: (bytes) => {
          clearTimeout(timer)
          try {
            if (next === undefined) next = begin(bytes)
            else next(bytes)
          } catch (error) {
            frames.abort(error)
          }
        },
        onEnd: () => {
          clearTimeout(timer)
          this.#frames.delete(frames)
          this.#unwatch(id)
          admission.end()
          place?.end()
          void frames.close()
        },
      },
    )
    this.#frames.add(frames)
    const timer = inBackground(setTimeout(() => frames.abort(new Error('no request came')), REQUEST_TIME))
  }

  /**
   * Pushes attributes over a stream that this member opened.
   *
   * @returns a function that ends the stream
   */
  push(stream: Stream, spec: ParsedWatch): () => void {
    const id = `${this.#next++}`
    const queue = new SendQueue()
    const end = (): void => {
      this.#frames.delete(frames)
      this.#unwatch(id)
      void frames.close()
    }
    const frames: FrameStream = new FrameStream(stream, { maxFrameBytes: 1, queue, stallTimeout: STALL }, { onFrame: () => {}, onEnd: end })
    this.#frames.add(frames)
    frames.send(toJson({ push: spec.attributes }))
    this.#watch(id, outletOf(frames, queue, stream), spec)
    return end
  }

  /**
   * Watches in this process.
   *
   * @param site whether to watch the site of this member
   * @returns a function that ends the watch
   */
  watch(spec: ParsedWatch, site: boolean, send: (message: object) => void): () => void {
    const id = `${this.#next++}`
    const outlet = { send, waiting: () => 0, held: () => 0 }
    if (site) this.#watchSite(id, '', outlet, spec)
    else this.#watch(id, outlet, spec)
    return () => this.#unwatch(id)
  }

  /** Bytes that wait here for consumers that have not read them. */
  get held(): number {
    return [...this.#consumers.values()].reduce((sum, { held }) => sum + held, 0)
  }

  close(): void {
    this.#driver.stop()
    this.#sites.close()
    for (const frames of this.#frames) void frames.close()
    for (const consumer of this.#consumers.values()) consumer.end()
    this.#consumers.clear()
  }

  #begin(id: string, from: string, outlet: Outlet, { watch, since, site: ofSite, held }: WatchRequest): void {
    const refuse = (code: string, message: string): void => outlet.send({ refused: { code, message: message.slice(0, 512) } })
    const site = ofSite === true
    try {
      const spec = permitted(parseWatch(watch, { bySite: site }), from, this.#allow, site)
      if ('denied' in spec)
        refuse(
          'DENIED',
          `${spec.denied}: this member does not let you see these values; it may let you watch its mean or count over at least ten minutes, but not by site`,
        )
      else if (!site) this.#watch(id, outlet, spec, { since, held })
      else if (this.#sites.mayFollow(spec, from)) this.#watchSite(id, from, outlet, spec)
      else refuse('TOO_MANY', 'this member aggregates at most four different watches, and at most two of one member')
    } catch (error) {
      const { code = 'INVALID_WATCH', message } = error as { code?: string; message: string }
      refuse(code, message)
    }
  }

  #watch(id: string, outlet: Outlet, spec: ParsedWatch, { since = {}, held }: Pick<WatchRequest, 'since' | 'held'> = {}): void {
    outlet.send({ units: this.#unitsOf(spec) })
    this.#consumers.set(id, new Consumer(outlet, (isFull) => this.#driver.deliver({ type: isFull ? 'full' : 'ready', watch: id })))
    const known = Object.entries(since).map(([name, [series, seq]]): [string, Since] => [name, { series, seq }])
    this.#driver.deliver({ type: 'watch', watch: id, spec, since: Object.fromEntries(known), held: held === true })
  }

  /**
   * Serves a watch of the site of this member. A slow consumer misses values, and then gets their
   * number.
   */
  #watchSite(id: string, from: string, outlet: Outlet, spec: ParsedWatch): void {
    const series = Math.floor(Math.random() * 2 ** 32)
    const encoder = new RowEncoder()
    let [seq, lost] = [0, 0]
    outlet.send({ units: this.#unitsOf(spec) })
    const end = this.#sites.follow(spec, from, (values) => {
      seq++
      if (outlet.waiting() >= FULL_BYTES) {
        lost += values.filter(({ count }) => count > 0).length
        return
      }
      const at = Date.now()
      const missed = lost > 0 ? [encoder.encode({ type: 'lost', count: lost })] : []
      lost = 0
      const rows = values.flatMap(({ value, count }, index) =>
        count === 0 ? [] : [encoder.encode({ type: 'sample', index, series, seq, at, value, count, replayed: false })],
      )
      if (rows.length + missed.length > 0) outlet.send({ rows: [...missed, ...rows] })
    })
    this.#ofSites.set(id, end)
  }

  #unwatch(id: string): void {
    this.#ofSites.get(id)?.()
    this.#ofSites.delete(id)
    this.#consumers.get(id)?.end()
    this.#consumers.delete(id)
    this.#driver.deliver({ type: 'unwatch', watch: id })
  }

  #unitsOf({ attributes }: ParsedWatch): string[] {
    const units = new Map(this.#attributes.schemas().map(({ name, unit }) => [name, unit]))
    return attributes.map((name) => units.get(name) ?? '')
  }

  async #measure(name: string): Promise<void> {
    const { value, problem } = await this.#attributes.read(name, { response: 'immediate' })
    if (value === undefined) this.#driver.deliver({ type: 'failed', name, problem })
    else this.#driver.deliver({ type: 'measured', name, value })
  }
}

function outletOf(frames: FrameStream, queue: SendQueue, stream: Stream): Outlet {
  return {
    send: (message) => frames.send(toJson(message)),
    waiting: () => queue.bytes,
    held: () => queue.bytes + stream.writeBufferLength,
  }
}
