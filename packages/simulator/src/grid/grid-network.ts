import { entryBytes, toBytes, type MemberId, type Message } from '@jel/compute/internals'
import type { Milliseconds } from '@jel/protocol'
import type { VirtualClock } from '../engine/clock.ts'
import type { GridMember } from './grid-member.ts'

/** The lines of a grid. */
export interface GridNetworkOptions {
  /** One-way latency between members of two sites, ms. */
  readonly latency: (from: string, to: string) => Milliseconds
  /** Time that a dial takes besides its round trip, ms. Default: 11 (measured). */
  readonly dial?: Milliseconds
  /**
   * Bytes of values that may wait for one stream. If there are more, the stream breaks and loses
   * all of them. Default: no limit.
   */
  readonly streamBytes?: number
  /** Bandwidth of a site's border in each direction, bytes per ms; undefined: no limit. */
  readonly border?: (site: string) => number | undefined
}

/** Wait before a broken stream is opened again, ms; the same as for real streams. */
const REDIAL = 1000

/** Streams between members: latencies, dials, and borders of sites that fill up. */
export class GridNetwork {
  readonly #clock: VirtualClock
  readonly #random: () => number
  readonly #options: GridNetworkOptions
  readonly #deliver: (from: GridMember, to: GridMember, message: Message) => void
  /** When the last message of a stream arrives, by its two ends. */
  readonly #streams = new Map<string, Milliseconds>()
  /** Bytes in transit per stream. */
  readonly #waiting = new Map<string, number>()
  /** The time when a broken stream is opened again. */
  readonly #brokenUntil = new Map<string, Milliseconds>()
  /** The time until which a border is busy, by site and direction. */
  readonly #borders = new Map<string, Milliseconds>()
  /** The longest extra time of a dial while many are under way, ms. */
  dialling: Milliseconds = 0

  constructor(
    clock: VirtualClock,
    random: () => number,
    options: GridNetworkOptions,
    deliver: (from: GridMember, to: GridMember, message: Message) => void,
  ) {
    this.#clock = clock
    this.#random = random
    this.#options = options
    this.#deliver = deliver
  }

  delay(from: GridMember, to: GridMember): Milliseconds {
    return this.#options.latency(from.site, to.site)
  }

  /** Later messages between these need a new stream. */
  close(one: MemberId, other: MemberId): void {
    this.#streams.delete(`${one} ${other}`)
    this.#streams.delete(`${other} ${one}`)
  }

  send(from: GridMember, to: GridMember, message: Message): void {
    const { now } = this.#clock
    const stream = `${from.id} ${to.id}`
    const bytes = 'entries' in message ? message.entries.reduce((sum, entry) => sum + entryBytes(entry), 0) : 0
    const waiting = (this.#waiting.get(stream) ?? 0) + bytes
    if (waiting > (this.#options.streamBytes ?? Infinity)) this.#brokenUntil.set(stream, now + REDIAL)
    if (this.#isBroken(stream)) {
      this.#clock.after(0, () => from.lives && from.handle({ type: 'unreached', id: to.id }))
      return
    }
    this.#waiting.set(stream, waiting)
    const at = this.#arrival(stream, from, to, message)
    this.#clock.at(at, () => {
      this.#waiting.set(stream, (this.#waiting.get(stream) ?? 0) - bytes)
      if (!this.#isBroken(stream)) this.#deliver(from, to, message)
    })
  }

  #isBroken(stream: string): boolean {
    return (this.#brokenUntil.get(stream) ?? 0) > this.#clock.now
  }

  /** The time when a message arrives. Opens its stream if need be. */
  #arrival(stream: string, from: GridMember, to: GridMember, message: Message): Milliseconds {
    const way = this.delay(from, to)
    const opened = this.#streams.get(stream)
    const dial = (this.#options.dial ?? 11) + (this.dialling > 0 ? this.#random() * this.dialling : 0)
    const dialled = opened === undefined ? dial + 2 * way : 0
    // A message does not overtake an earlier one.
    const at = Math.max(this.#pass(from, to, message) + way + dialled, opened ?? 0)
    this.#streams.set(stream, at)
    // The other end answers on the same stream.
    const back = `${to.id} ${from.id}`
    if (opened === undefined && !this.#streams.has(back)) this.#streams.set(back, at)
    return at
  }

  /** The time when a message has passed the borders of two sites. */
  #pass(from: GridMember, to: GridMember, message: Message): Milliseconds {
    const { border } = this.#options
    const { now } = this.#clock
    if (border === undefined || from.site === to.site) return now
    let at = now
    for (const [site, direction] of [
      [from.site, 'out'],
      [to.site, 'in'],
    ] as const) {
      const rate = border(site)
      if (rate === undefined) continue
      const key = `${site} ${direction}`
      at = Math.max(at, this.#borders.get(key) ?? 0) + toBytes(message).length / rate
      this.#borders.set(key, at)
    }
    return at
  }
}
