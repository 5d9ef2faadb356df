import type { Milliseconds } from '@jel/protocol'
import type { VirtualClock } from '@jel/machine'
import type { Pipe } from './connection.ts'
import type { Endpoint } from './endpoint.ts'
import type { Reachability } from './reachability.ts'
import { retransmitMax, retransmitMin } from './tcp-flow.ts'

/**
 * After this long without an acknowledgement TCP breaks the connection. Linux: tcp_retries2 = 15.
 */
const retransmitFor = 924_600

export interface RetransmissionEvents {
  /** The next item of the pipe arrives. */
  deliver(pipe: Pipe<Endpoint>): void
  /** The sender's kernel breaks the connection. */
  broken(pipe: Pipe<Endpoint>): void
}

/** The data sent into cut paths. The senders' kernels keep it and send it again. */
export class Retransmission {
  readonly #clock: VirtualClock
  readonly #reachability: Reachability
  readonly #events: RetransmissionEvents
  readonly #held = new Set<Pipe<Endpoint>>()

  constructor(clock: VirtualClock, reachability: Reachability, events: RetransmissionEvents) {
    this.#clock = clock
    this.#reachability = reachability
    this.#events = events
  }

  /** Delivers the next item of the pipe, or keeps it if the path is cut. */
  arrive(pipe: Pipe<Endpoint>): void {
    if (pipe.held > 0) {
      pipe.held += 1
      return
    }
    const passage = this.#reachability.passage(pipe)
    if (passage === 'open') this.#events.deliver(pipe)
    else if (passage === 'reject') {
      if (pipe.take() !== 'dropped') this.#break(pipe)
    } else {
      pipe.held = 1
      pipe.heldSince = this.#clock.now
      pipe.giveUp = this.#clock.after(retransmitFor, () => this.#break(pipe))
      this.#held.add(pipe)
    }
  }

  /** Call it when paths work again. Held data continues with TCP's next attempt. */
  mended(): void {
    for (const pipe of this.#held) {
      const passage = this.#reachability.passage(pipe)
      if (passage === 'reject') this.#break(pipe)
      if (passage !== 'open') continue
      if (pipe.retry !== undefined) this.#clock.cancel(pipe.retry)
      pipe.retry = this.#clock.at(this.#nextAttempt(pipe), () => this.#retry(pipe))
    }
  }

  #nextAttempt(pipe: Pipe<Endpoint>): Milliseconds {
    let wait = retransmitMin
    let at = pipe.heldSince + wait
    while (at < this.#clock.now) {
      wait = Math.min(wait * 2, retransmitMax)
      at += wait
    }
    return at
  }

  #retry(pipe: Pipe<Endpoint>): void {
    pipe.retry = undefined
    if (this.#reachability.passage(pipe) !== 'open') return
    for (let waiting = this.#release(pipe); waiting > 0; waiting--) this.#events.deliver(pipe)
  }

  /**
   * Breaks the connection. The kernel gave up, or a firewall answered with RST in the name of the
   * receiver.
   */
  #break(pipe: Pipe<Endpoint>): void {
    pipe.drop()
    for (let waiting = this.#release(pipe); waiting > 0; waiting--) pipe.take()
    pipe.closing = false
    this.#events.broken(pipe)
  }

  #release(pipe: Pipe<Endpoint>): number {
    const { held } = pipe
    pipe.held = 0
    this.#held.delete(pipe)
    if (pipe.giveUp !== undefined) this.#clock.cancel(pipe.giveUp)
    if (pipe.retry !== undefined) this.#clock.cancel(pipe.retry)
    pipe.giveUp = undefined
    pipe.retry = undefined
    return held
  }
}
