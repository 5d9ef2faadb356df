/**
 * Bytes over the connections of one host. The sockets count them. This module adds them up on
 * demand.
 */
import type { Counted } from '../base/counted.ts'

/**
 * The bytes over a node's connections since its start, for all purposes, without TCP headers.
 */
export interface Traffic {
  readonly sent: number
  readonly received: number
  /** Open connections. */
  readonly connections: number
}

export class TrafficMeter {
  readonly #open = new Set<Counted>()
  /** Bytes of closed sockets. */
  #sent = 0
  #received = 0

  add(socket: Counted): void {
    this.#open.add(socket)
    socket.once('close', () => {
      this.#open.delete(socket)
      this.#sent += socket.bytesWritten
      this.#received += socket.bytesRead
    })
  }

  /** Ends all open connections at once. */
  destroyAll(): void {
    for (const socket of this.#open) socket.destroy()
  }

  get total(): Traffic {
    let [sent, received] = [this.#sent, this.#received]
    for (const { bytesRead, bytesWritten } of this.#open) {
      sent += bytesWritten
      received += bytesRead
    }
    return { sent, received, connections: this.#open.size }
  }
}
