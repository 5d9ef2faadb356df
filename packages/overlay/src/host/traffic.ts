/**
 * Bytes over the TCP connections of one host. The sockets count them anyhow: they are added up when somebody asks.
 */
import type { Socket } from 'node:net'

/** What went over the TCP connections of a node since it started: bytes of all it did, without headers of TCP. */
export interface Traffic {
  readonly sent: number
  readonly received: number
  /** TCP connections that are open now. */
  readonly connections: number
}

type Counted = Pick<Socket, 'bytesRead' | 'bytesWritten' | 'once'>

export class TrafficMeter {
  readonly #open = new Set<Counted>()
  /** Of sockets that are closed. */
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

  get total(): Traffic {
    let [sent, received] = [this.#sent, this.#received]
    for (const { bytesRead, bytesWritten } of this.#open) {
      sent += bytesWritten
      received += bytesRead
    }
    return { sent, received, connections: this.#open.size }
  }
}
