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
  /** How fast each of its processors is, compared with the one on which processing costs were measured. Left out: nothing takes time. */
  readonly speed?: number | undefined
  /** How many it has. Default: one. */
  readonly processors?: number | undefined
}

/**
 * A computer: one address, one cable, and processors that all its processes share. Each process has one thread, which stays on one of them, so more of them make none
 * faster; a real scheduler would move threads from busy ones to idle ones.
 */
export class Machine {
  readonly number: number
  readonly site: number
  readonly cables: Cables
  readonly #speed: number
  /** None: nothing takes time. */
  readonly #processors: readonly Capacity[]
  #processes = 0
  #computed: Milliseconds = 0

  constructor({ number, site, bandwidth, speed, processors = 1 }: MachineFields) {
    if (speed !== undefined && !(speed > 0)) throw new RangeError(`the speed of a processor must be a number above 0, not ${speed}`)
    if (!Number.isInteger(processors) || processors < 1)
      throw new RangeError(`a machine has a whole number of processors, not ${processors}`)
    this.number = number
    this.site = site
    this.cables = cables(bandwidth)
    this.#speed = speed ?? Infinity
    this.#processors = this.#speed === Infinity ? [] : Array.from({ length: processors }, () => new Capacity())
  }

  /** The number of the next process on it. */
  nextProcess(): number {
    if (this.#processes === maxProcesses) throw new RangeError(`machine ${this.number} has ${maxProcesses} processes already`)
    return this.#processes++
  }

  /** True if what arrives takes time. */
  get computes(): boolean {
    return this.#processors.length > 0
  }

  /** Processor time that was spent so far, that which is booked included. */
  get computed(): Milliseconds {
    return this.#computed
  }

  /** When this process is done with something that costs so much and arrives at `from`. */
  compute(process: number, cost: Milliseconds, from: Milliseconds, now: Milliseconds): Milliseconds {
    const processor = this.#processors[process % this.#processors.length]
    if (processor === undefined || cost <= 0) return from
    this.#computed += cost / this.#speed
    return processor.reserve(from, cost / this.#speed, now)
  }
}
