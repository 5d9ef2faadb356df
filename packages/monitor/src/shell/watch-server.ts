import type { Stream } from '@jel/jel'
import { Driver } from '@jel/machine'
import { FrameStream, SendQueue } from '@jel/overlay'
import { fromBytes, toBytes } from '../core/codec.ts'
import { parseWatch, type ParsedWatch } from '../core/watch-spec.ts'
import { MAX_WATCH_BYTES, RowEncoder, watchRequest } from '../core/watch-messages.ts'
import { Watching, type Row, type Since, type WatchEffect, type WatchInput } from '../core/watching.ts'
import type { Attributes } from './attributes.ts'
import type { SiteWatches } from './site-watches.ts'

/** Maximum number of watches that this member serves, in total and for one member. From GRID. */
const [MAX_WATCHES, MAX_OF_ONE] = [64, 8]
/** Rows of this time go in one frame, ms. A guess: attributes are measured one after the other. */
const GATHER = 5
/** Characters of the rows of one frame. A guess: a row has at most 1.2 KB, a frame 128 KiB. */
const FRAME_LENGTH = 32_768
/**
 * A consumer with so many unread bytes gets only the latest values, until it has read all. A guess.
 */
const FULL_BYTES = 16_384
/** A member looks this often whether a slow consumer has read all, ms. A guess. */
const LOOK_AGAIN = 100
/** A stopped consumer may take nothing for this time, ms. Its death ends the stream sooner. */
const STALL = 600_000
/** A stream has this time for its first message, ms. A guess. */
const REQUEST_TIME = 5000

/** The part that a member may see: all values, means of windows alone, or nothing. */
export type Permission = 'all' | 'summary' | 'none'
/** Decides what a member may see of an attribute. */
export type Allow = (asked: { readonly member: string; readonly attribute: string }) => Permission
/** A window is a summary from this length on, ms. From GMA: ten-minute means for others. */
const SUMMARY = 600_000

/** The way to the consumer of one watch: a stream, or a call in this process. */
export interface Outlet {
  send(message: object): void
  /** Bytes that the consumer has not taken. */
  waiting(): number
}

/** The consumer of one watch. */
interface Consumer extends Outlet {
  readonly encoder: RowEncoder
  rows: unknown[]
  isFull: boolean
}

/** Serves watches of other members: the shell of `Watching`. */
export class WatchServer {
  readonly #attributes: Attributes
  readonly #allow: Allow
  readonly #sites: SiteWatches
  readonly #driver: Driver<WatchInput, WatchEffect>
  readonly #consumers = new Map<string, Consumer>()
  /** For each watch of a site the function that ends it. */
  readonly #ofSites = new Map<string, () => void>()
  readonly #open = new Map<string, number>()
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
        send: ({ watch, rows }) => this.#send(watch, rows),
      },
      performance,
    )
  }

  /**
   * Takes a stream that another member opened.
   *
   * @param onPush takes a stream whose producer began, with the names of its attributes. The rest
   *   of its frames go to the returned function. undefined: refused.
   */
  serve(stream: Stream, from: string, onPush: (names: readonly string[]) => ((bytes: Uint8Array) => void) | undefined): void {
    const ofOne = this.#open.get(from) ?? 0
    if (this.#open.size >= MAX_WATCHES || ofOne >= 2 * MAX_OF_ONE) {
      stream.abort(new Error('it watches too much'))
      return
    }
    const isTooMuch = this.#consumers.size + this.#ofSites.size >= MAX_WATCHES || ofOne >= MAX_OF_ONE
    this.#open.set(from, ofOne + 1)
    const id = `${this.#next++}`
    const queue = new SendQueue()
    let next: ((bytes: Uint8Array) => void) | undefined
    const frames: FrameStream = new FrameStream(
      stream,
      { maxFrameBytes: MAX_WATCH_BYTES * 8, queue, stallTimeout: STALL },
      {
        onFrame: (bytes) => {
          clearTimeout(timer)
          try {
            if (next !== undefined) {
              next(bytes)
              return
            }
            const asked = fromBytes(watchRequest, bytes)
            if (isTooMuch) {
              next = () => {}
              const message = `this member serves ${MAX_WATCHES} watches, and ${MAX_OF_ONE} of one member`
              frames.send(toBytes({ refused: { code: 'TOO_MANY', message } }))
              void frames.close()
            } else if ('push' in asked) next = onPush(asked.push)
            else {
              next = () => frames.abort(new Error('a stream has one watch'))
              this.#begin(id, from, outletOf(frames, queue), asked)
            }
            if (next === undefined) frames.abort(new Error('nobody here takes this'))
          } catch (error) {
            frames.abort(error)
          }
        },
        onEnd: () => {
          clearTimeout(timer)
          this.#frames.delete(frames)
          this.#unwatch(id)
          const left = (this.#open.get(from) ?? 1) - 1
          if (left > 0) this.#open.set(from, left)
          else this.#open.delete(from)
          void frames.close()
        },
      },
    )
    this.#frames.add(frames)
    const timer = setTimeout(() => frames.abort(new Error('no request came')), REQUEST_TIME)
  }

  /** Sends attributes to a consumer that did not ask, over a stream that this member opened. */
  push(stream: Stream, spec: ParsedWatch): () => void {
    const id = `${this.#next++}`
    const queue = new SendQueue()
    const end = (): void => {
      this.#unwatch(id)
      void frames.close()
    }
    const frames: FrameStream = new FrameStream(stream, { maxFrameBytes: 1, queue, stallTimeout: STALL }, { onFrame: () => {}, onEnd: end })
    frames.send(toBytes({ push: spec.attributes }))
    this.#watch(id, outletOf(frames, queue), spec, {})
    return end
  }

  /**
   * Watches in this process.
   *
   * @param site whether to watch the site of this member
   * @returns ends it
   */
  watch(spec: ParsedWatch, site: boolean, send: (message: object) => void): () => void {
    const id = `${this.#next++}`
    if (site) this.#watchSite(id, '', { send, waiting: () => 0 }, spec)
    else this.#watch(id, { send, waiting: () => 0 }, spec, {})
    return () => this.#unwatch(id)
  }

  close(): void {
    this.#driver.stop()
    this.#sites.close()
    for (const frames of this.#frames) void frames.close()
    this.#consumers.clear()
  }

  #begin(
    id: string,
    from: string,
    outlet: Outlet,
    {
      watch,
      since = {},
      site = false,
      held = false,
    }: { watch: unknown; since?: Record<string, [number, number]> | undefined; site?: boolean | undefined; held?: boolean | undefined },
  ): void {
    try {
      const parsed = parseWatch(watch, { bySite: site })
      const permissions = parsed.attributes.map((attribute) => this.#allow({ member: from, attribute }))
      const isSummary = permissions.includes('summary')
      const spec = { ...parsed, isSummary }
      const refused = parsed.attributes.find(
        (_, at) => permissions[at] !== 'all' && (site || !isSummaryOf(spec) || permissions[at] === 'none'),
      )
      if (refused !== undefined) {
        const message = `${refused}: this member lets you see means and counts of at least ten minutes, or nothing`
        outlet.send({ refused: { code: 'DENIED', message } })
        return
      }
      const known = Object.fromEntries(Object.entries(since).map(([name, [series, seq]]) => [name, { series, seq }]))
      if (!site) this.#watch(id, outlet, spec, known, held)
      else if (!this.#sites.mayFollow(spec, from))
        outlet.send({ refused: { code: 'TOO_MANY', message: 'this member aggregates four different watches' } })
      else this.#watchSite(id, from, outlet, spec)
    } catch (error) {
      const { code = 'INVALID_WATCH', message } = error as { code?: string; message: string }
      outlet.send({ refused: { code, message: message.slice(0, 512) } })
    }
  }

  #watch(id: string, outlet: Outlet, spec: ParsedWatch, since: Readonly<Record<string, Since>>, held = false): void {
    outlet.send({ units: this.#unitsOf(spec) })
    this.#consumers.set(id, { ...outlet, encoder: new RowEncoder(), rows: [], isFull: false })
    this.#driver.deliver({ type: 'watch', watch: id, spec, since, held })
  }

  /** A consumer that reads slowly gets the next values later. */
  #watchSite(id: string, from: string, outlet: Outlet, spec: ParsedWatch): void {
    const series = Math.floor(Math.random() * 2 ** 32)
    const encoder = new RowEncoder()
    let seq = 0
    outlet.send({ units: this.#unitsOf(spec) })
    const end = this.#sites.follow(spec, from, (values) => {
      seq++
      if (outlet.waiting() >= FULL_BYTES) return
      const at = Date.now()
      const rows = values.flatMap(({ value, count }, index) =>
        count === 0 ? [] : [encoder.encode({ type: 'sample', index, series, seq, at, value, count, replayed: false })],
      )
      if (rows.length > 0) outlet.send({ rows })
    })
    this.#ofSites.set(id, end)
  }

  #unwatch(id: string): void {
    this.#ofSites.get(id)?.()
    this.#ofSites.delete(id)
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

  #send(watch: string, rows: readonly Row[]): void {
    const consumer = this.#consumers.get(watch)
    if (consumer === undefined) return
    if (consumer.rows.length === 0) setTimeout(() => this.#flush(watch, consumer), GATHER)
    consumer.rows.push(...rows.map((row) => consumer.encoder.encode(row)))
  }

  #flush(watch: string, consumer: Consumer): void {
    for (const rows of inFrames(consumer.rows)) consumer.send({ rows })
    consumer.rows = []
    if (consumer.isFull || consumer.waiting() < FULL_BYTES) return
    consumer.isFull = true
    this.#driver.deliver({ type: 'full', watch })
    const timer = setInterval(() => {
      if (this.#consumers.get(watch) !== consumer) clearInterval(timer)
      else if (consumer.waiting() === 0) {
        clearInterval(timer)
        consumer.isFull = false
        this.#driver.deliver({ type: 'ready', watch })
      }
    }, LOOK_AGAIN)
  }
}

/** Cuts rows into lists that are far shorter than a frame may be. */
function inFrames(rows: readonly unknown[]): unknown[][] {
  const frames: unknown[][] = []
  let size = Infinity
  for (const row of rows) {
    const length = JSON.stringify(row).length
    if (size + length > FRAME_LENGTH) {
      frames.push([])
      size = 0
    }
    frames.at(-1)?.push(row)
    size += length
  }
  return frames
}

/** Single values do not show in means and counts of a long time. */
function isSummaryOf({ over = 0, reduce }: ParsedWatch): boolean {
  return over >= SUMMARY && (reduce === 'mean' || reduce === 'count')
}

function outletOf(frames: FrameStream, queue: SendQueue): Outlet {
  return { send: (message) => frames.send(toBytes(message)), waiting: () => queue.bytes }
}
