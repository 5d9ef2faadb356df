import type { Milliseconds } from '@jel/protocol'
import { Capacity } from './capacity.ts'

/** The bandwidth of a cable, in megabits a second (10^6 bits). Default: unlimited. */
export interface Bandwidth {
  readonly up?: number | undefined
  readonly down?: number | undefined
}

/** One direction of a cable. Packets queue for it in order of arrival. */
export class Cable {
  readonly #capacity = new Capacity()
  readonly #bytesPerMs: number

  private constructor(megabits: number) {
    this.#bytesPerMs = megabits * 125
  }

  /** Returns undefined for an unlimited cable. Throws RangeError for an impossible bandwidth. */
  static of(megabits: number | undefined): Cable | undefined {
    if (megabits === undefined) return undefined
    if (!(megabits > 0)) throw new RangeError(`a bandwidth must be a number of Mbit/s above 0, not ${megabits}`)
    return Number.isFinite(megabits) ? new Cable(megabits) : undefined
  }

  /** The time when the first byte of the last {@link carry} enters the cable. */
  get started(): Milliseconds {
    return this.#capacity.started
  }

  /** Returns the time when the last byte has entered the cable. The first byte comes at `from`. */
  carry(bytes: number, from: Milliseconds, now: Milliseconds): Milliseconds {
    return this.#capacity.reserve(from, bytes / this.#bytesPerMs, now)
  }

  /** Returns how long a packet would have to wait now. */
  backlog(now: Milliseconds): Milliseconds {
    return this.#capacity.backlog(now)
  }
}

/** Both directions of a cable. */
export interface Cables {
  readonly up: Cable | undefined
  readonly down: Cable | undefined
}

export function cables(bandwidth: Bandwidth = {}): Cables {
  return { up: Cable.of(bandwidth.up), down: Cable.of(bandwidth.down) }
}
