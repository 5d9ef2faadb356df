import type { Milliseconds, NodeId } from '@jel/protocol'
import type { VirtualClock } from '@jel/machine'
import type { Endpoint } from '../network/endpoint.ts'
import type { Payload } from '../network/payload.ts'
import type { EventLoop } from './event-loop.ts'

/** A frame that waits until the node reads again. */
interface Waiting {
  readonly from: Endpoint
  readonly data: Payload
}

interface Pause {
  until: Milliseconds
  readonly waiting: Waiting[]
}

/** Peers whose frames the node does not read at present. The frames wait in buffers. */
export class PausedLinks {
  readonly #clock: VirtualClock
  readonly #loop: EventLoop
  readonly #read: (from: Endpoint, data: Payload) => void
  readonly #paused = new Map<NodeId, Pause>()

  constructor(clock: VirtualClock, loop: EventLoop, read: (from: Endpoint, data: Payload) => void) {
    this.#clock = clock
    this.#loop = loop
    this.#read = read
  }

  /** Reads the frame, or keeps it while its link is paused. */
  arrived(from: Endpoint, data: Payload, urgent: boolean): void {
    const pause = urgent ? undefined : this.#paused.get(from.id)
    if (pause !== undefined) pause.waiting.push({ from, data })
    else this.#read(from, data)
  }

  /** Frames of the peer wait in order until this time. They get lost if the link breaks first. */
  pause(peer: NodeId, until: Milliseconds): void {
    const pause = this.#paused.get(peer) ?? { until, waiting: [] }
    pause.until = Math.max(pause.until, until)
    this.#paused.set(peer, pause)
    this.#clock.at(pause.until, () => this.#loop.whenAwake(() => this.#goOn(peer, pause)))
  }

  /** The link to this peer is down. */
  down(peer: NodeId): void {
    this.#paused.delete(peer)
  }

  clear(): void {
    this.#paused.clear()
  }

  #goOn(peer: NodeId, pause: Pause): void {
    if (this.#paused.get(peer) !== pause || this.#clock.now < pause.until) return
    this.#paused.delete(peer)
    while (pause.waiting.length > 0) {
      const next = this.#paused.get(peer)
      // One of these frames paused the reading again.
      if (next !== undefined) {
        next.waiting.unshift(...pause.waiting)
        return
      }
      const { from, data } = pause.waiting.shift() as Waiting
      this.#read(from, data)
    }
  }
}
