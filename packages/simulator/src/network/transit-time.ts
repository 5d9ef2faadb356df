import type { Milliseconds } from '@jel/protocol'
import type { VirtualClock } from '@jel/machine'
import type { Endpoint } from './endpoint.ts'
import { segment } from './framing.ts'
import type { NetworkOptions } from './network-options.ts'
import { Path } from './path.ts'
import { initialWindow, TcpFlow } from './tcp-flow.ts'

/** The time that messages take: distance, TCP's windows and retransmissions, cables, processors. */
export class TransitTime {
  /** The retransmitted bytes of the last message. */
  resent = 0
  readonly #clock: VirtualClock
  readonly #random: () => number
  readonly #options: NetworkOptions
  readonly #path: Path

  constructor(clock: VirtualClock, random: () => number, options: NetworkOptions) {
    this.#clock = clock
    this.#random = random
    this.#options = options
    this.#path = new Path(clock, options.topology)
  }

  /** Returns the delay of a single packet. */
  packet(from: Endpoint, to: Endpoint): Milliseconds {
    return this.message(from, to, 1, () => new TcpFlow())
  }

  /**
   * Returns the delay of a message. A message within the first window does not wait unless packets
   * get lost. Each message of one packet has a flow of its own. The kernel merges small packets
   * when it sends them again, so they don't wait for each other.
   */
  message(from: Endpoint, to: Endpoint, stream: number, flowOf: () => TcpFlow): Milliseconds {
    const delay = this.#options.delay(from, to, this.#random) + from.lag + to.lag
    const loss = this.#lossBetween(from, to)
    const segments = Math.max(1, Math.ceil(stream / segment))
    this.resent = 0
    if (loss === 0 && segments <= initialWindow) return delay
    const flow = segments === 1 ? new TcpFlow() : flowOf()
    const took = flow.send(segments, this.#clock.now, { delay, loss, random: this.#random })
    this.resent = flow.resent * Math.min(stream, segment)
    return took
  }

  /** Returns the time when the receiver has processed a packet that leaves at `departure`. */
  journey(from: Endpoint, to: Endpoint, bytes: number, cost: Milliseconds, departure: Milliseconds): Milliseconds {
    const delay = this.packet(from, to)
    if (!from.shapes && !to.shapes && from.machine.site === to.machine.site) return departure + delay
    return this.#path.arrival(from, to, bytes, delay, cost, departure)
  }

  /**
   * Returns the time when a message has passed all cables, and the receiver has processed it. It
   * leaves now, or at `departure`.
   */
  arrival(
    from: Endpoint,
    to: Endpoint,
    bytes: number,
    delay: Milliseconds,
    cost: Milliseconds,
    departure: Milliseconds = this.#clock.now,
  ): Milliseconds {
    return this.#path.arrival(from, to, bytes, delay, cost, departure)
  }

  /** Returns how long a packet to this process would wait now for the fullest cable on its side. */
  backlogTo(to: Endpoint): Milliseconds {
    return this.#path.backlogTo(to)
  }

  #lossBetween(from: Endpoint, to: Endpoint): number {
    const { loss } = this.#options
    if (from.loss === 0 && to.loss === 0) return loss
    return 1 - (1 - loss) * (1 - from.loss) * (1 - to.loss)
  }
}
