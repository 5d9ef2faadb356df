import type { Milliseconds } from '@jel/protocol'
import { cables, type Bandwidth, type Cables } from './bandwidth.ts'
import { Capacity } from './capacity.ts'

/** The most processes of one machine, as many as an address can name. */
const maxProcesses = 60_000

export interface MachineFields {
  readonly number: number
  /** The number of its site in the topology, 0 without a topology. */
  readonly site: number
  readonly bandwidth?: Bandwidth | undefined
  /**
   * The speed of each processor. A processor of speed 1 has the measured processing costs. Default:
   * nothing takes time.
   */
  readonly speed?: number | undefined
  /** The number of processors. Default: 1. */
  readonly processors?: number | undefined
}

/**
 * A computer: one address, one cable, and processors that all its processes share. Each process has
 * one thread. The thread stays on one processor. So more processors make no process faster. A real
 * scheduler moves threads from busy processors to idle processors.
 */
export class Machine {
  readonly number: number
  readonly site: number
  readonly cables: Cables
  readonly #speed: number
  /** Without processors nothing takes time. */
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

  /** Returns the number of the next process on the machine. */
  nextProcess(): number {
    if (this.#processes === maxProcesses) throw new RangeError(`machine ${this.number} has ${maxProcesses} processes already`)
    return this.#processes++
  }

  /** True if processing takes time on this machine. */
  get computes(): boolean {
    return this.#processors.length > 0
  }

  /** The processor time used so far, reserved time included. */
  get computed(): Milliseconds {
    return this.#computed
  }

  /**
   * Returns the time when this process has finished work of this cost. The work arrives at `from`.
   */
  compute(process: number, cost: Milliseconds, from: Milliseconds, now: Milliseconds): Milliseconds {
    const processor = this.#processors[process % this.#processors.length]
    if (processor === undefined || cost <= 0) return from
    this.#computed += cost / this.#speed
    return processor.reserve(from, cost / this.#speed, now)
  }
}
