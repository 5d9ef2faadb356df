/**
 * Counts the bytes that all TCP sockets of this process carried, as the application handed them to
 * the kernel (no headers).
 */
import { subscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'

export class SocketBytes {
  readonly #open = new Set<Socket>()
  #closed = 0

  /** Node announces every socket it makes on these channels, so nothing needs to be wrapped. */
  constructor() {
    const watch = (message: unknown): void => {
      const { socket } = message as { socket: Socket }
      this.#open.add(socket)
      socket.once('close', () => {
        this.#open.delete(socket)
        this.#closed += socket.bytesWritten
      })
    }
    subscribe('net.client.socket', watch)
    subscribe('net.server.socket', watch)
  }

  /**
   * Bytes written so far. Each byte counts once: one host of the swarm writes it, another one reads
   * it.
   */
  written(): number {
    let sum = this.#closed
    for (const socket of this.#open) sum += socket.bytesWritten
    return sum
  }
}
