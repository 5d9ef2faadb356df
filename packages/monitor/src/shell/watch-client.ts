import type { Stream } from '@jel/jel'
import { FrameStream, SendQueue } from '@jel/overlay'
import { fromJson, toJson } from '@jel/channel'
import type { Milliseconds } from '../core/sensor.ts'
import type { Value } from '../expression/value.ts'
import { MAX_ROWS_BYTES, watchAnswer, type WatchAnswer } from '../core/watch-messages.ts'
import type { WatchSpec } from '../core/watch-spec.ts'
import { paced } from './pace.ts'
import type { Since } from '../core/row.ts'

/** News of an attribute of a member. */
export type WatchEvent = { readonly member: string; readonly name: string } & (
  | {
      readonly type: 'sample'
      readonly value: Value
      readonly unit: string
      /** The time of the measurement by the clock of its member, Unix ms. */
      readonly at: Milliseconds
      /**
       * The number of the measurement. If nobody watched for a while, the numbers of the
       * measurements that did not take place are skipped.
       */
      readonly seq: number
      /** Whether the condition is true. Undefined: the watch has no condition. */
      readonly holds?: boolean
      /** The sample was measured before the present stream began. */
      readonly replayed: boolean
      /**
       * In a watch by site: the site that `member` aggregates, and the number of its members that
       * have a value.
       */
      readonly site?: string
      readonly count?: number
    }
  | { readonly type: 'problem'; readonly code: string; readonly message: string }
  /**
   * There are no samples of a time of this length, ms. The member does not have them any more, or
   * took no samples: nobody watched, or it restarted.
   */
  | { readonly type: 'gap'; readonly time: Milliseconds }
)

/**
 * News of a whole member. `ended`: no more samples of this life follow. `refused`: the member
 * refuses the watch, or it can't be reached. In the second case the watch tries again.
 */
export type MemberEvent =
  | { readonly type: 'ended'; readonly member: string; readonly reason: 'died' | 'left' }
  | { readonly type: 'refused'; readonly member: string; readonly code: string; readonly message: string }
  /** The member dropped `count` samples, because this consumer was slow. */
  | { readonly type: 'lost'; readonly member: string; readonly count: number }

/**
 * The samples of one member, over one stream after the other. Each stream continues after the last
 * sample of the former one.
 */
export class WatchedMember {
  readonly #member: string
  readonly #names: readonly string[]
  readonly #emit: (event: WatchEvent | MemberEvent) => void
  readonly #last = new Map<string, Since & { readonly at: Milliseconds }>()
  #units: readonly string[] = []
  #held = false
  /** For each attribute whether samples are missing before the next one. */
  readonly #missing = new Set<string>()

  constructor(member: string, names: readonly string[], emit: (event: WatchEvent | MemberEvent) => void) {
    this.#member = member
    this.#names = names
    this.#emit = emit
  }

  /**
   * Watches over a stream until it ends.
   *
   * @returns whether to open another stream
   */
  async follow(stream: Stream, spec: WatchSpec, site: boolean, signal: AbortSignal): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const frames: FrameStream = new FrameStream(
      stream,
      { maxFrameBytes: MAX_ROWS_BYTES, queue: new SendQueue(), stage: paced },
      {
        onFrame: (bytes) => {
          try {
            if (!this.take(fromJson(watchAnswer, bytes))) resolve(false)
          } catch (error) {
            frames.abort(error)
          }
        },
        onEnd: (problem) => {
          if (problem !== undefined) this.#emit({ type: 'refused', member: this.#member, code: 'NO_ANSWER', message: problem })
          resolve(true)
        },
      },
    )
    const stop = (): void => resolve(false)
    signal.addEventListener('abort', stop, { once: true })
    const since = Object.fromEntries([...this.#last].map(([name, { series, seq }]) => [name, [series, seq]]))
    frames.send(
      toJson({ watch: spec, ...(site && { site }), ...(this.#held && { held: true as const }), ...(this.#last.size > 0 && { since }) }),
    )
    try {
      return await promise
    } finally {
      signal.removeEventListener('abort', stop)
      void frames.close()
    }
  }

  /**
   * Takes a message of the producer.
   *
   * @returns false if the producer refuses
   * @throws Error for a message that does not fit the request
   */
  take(message: WatchAnswer): boolean {
    if ('refused' in message) {
      this.#emit({ type: 'refused', member: this.#member, ...message.refused })
      return false
    }
    if ('units' in message) this.#units = message.units
    else for (const row of message.rows) this.#row(row)
    return true
  }

  #row(row: Extract<WatchAnswer, { rows: unknown }>['rows'][number]): void {
    const member = this.#member
    if (!Array.isArray(row)) {
      if ('lost' in row) this.#emit({ type: 'lost', member, count: row.lost })
      else if ('missing' in row) this.#missing.add(this.#nameOf(row.i))
      else this.#emit({ type: 'problem', member, name: this.#nameOf(row.i), ...row.problem })
      return
    }
    const [index, seq, at, value, { s, r, h, c } = {}] = row
    const name = this.#nameOf(index)
    const last = this.#last.get(name)
    const series = s ?? last?.series
    if (series === undefined) throw new Error('a sample names no series')
    const isBroken = last !== undefined && (series !== last.series || this.#missing.has(name))
    this.#missing.delete(name)
    // The numbers of a series grow. Another sample would be a repeated one.
    if (series === last?.series && seq <= last.seq) return
    if (isBroken) this.#emit({ type: 'gap', member, name, time: Math.max(0, at - last.at) })
    this.#last.set(name, { series, seq, at })
    const unit = this.#units[index] ?? ''
    if (h !== undefined) this.#held = h
    this.#emit({
      type: 'sample',
      member,
      name,
      value,
      unit,
      at,
      seq,
      replayed: r === 1,
      ...(h !== undefined && { holds: h }),
      ...(c !== undefined && { count: c }),
    })
  }

  #nameOf(index: number): string {
    const name = this.#names[index]
    if (name === undefined) throw new Error('a row is about an attribute that was not asked for')
    return name
  }
}
