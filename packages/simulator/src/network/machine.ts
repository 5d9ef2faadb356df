import type { Milliseconds } from '@jel/protocol'
import { cables, type Bandwidth, type Cables } from './bandwidth.ts'
import { Capacity } from './capacity.ts'

/** Ports of one machine: as many processes as an address can name. */
const maxProcesses = 60_000

export interface MachineFields {
  readonly number: number
  /** The number of its site in the topology; 0 where there is none. */
  readonly site: number
  readonly bandwidth?: Bandwidth | undefined
  /** How fast its processor is, compared with the one on which processing costs were measured. Left out: nothing takes time. */
  readonly speed?: number | undefined
}

/** A computer: one address, one cable and one processor that all its processes share. */
export class Machine {
  readonly number: number
  readonly site: number
  readonly cables: Cables
  readonly #speed: number
  readonly #processor: Capacity | undefined
  #processes = 0
  #computed: Milliseconds = 0

  constructor({ number, site, bandwidth, speed }: MachineFields) {
    if (speed !== undefined && !(speed > 0)) throw new RangeError(`the speed of a processor must be a number above 0, not ${speed}`)
    this.number = number
    this.site = site
    this.cables = cables(bandwidth)
    this.#speed = speed ?? Infinity
    this.#processor = this.#speed === Infinity ? undefined : new Capacity()
  }

  /** The number of the next process on it. */
  nextProcess(): number {
    if (this.#processes === maxProcesses) throw new RangeError(`machine ${this.number} has ${maxProcesses} processes already`)
    return this.#processes++
  }

  /** True if what arrives takes time. */
  get computes(): boolean {
    return this.#processor !== undefined
  }

  /** Processor time that was spent so far, that which is booked included. */
  get computed(): Milliseconds {
    return this.#computed
  }

  /** When something that costs so much and arrives at `from` is done with. */
  compute(cost: Milliseconds, from: Milliseconds, now: Milliseconds): Milliseconds {
    if (this.#processor === undefined || cost <= 0) return from
    this.#computed += cost / this.#speed
    return this.#processor.reserve(from, cost / this.#speed, now)
  }
}
