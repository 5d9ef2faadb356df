/**
 * Counts the bytes that the TCP sockets of this process write. These are the application's bytes,
 * without TCP and IP headers.
 */
import { subscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'

export class SocketBytes {
  readonly #open = new Set<Socket>()
  #closed = 0

  /**
   * Node announces every socket of the process on these channels, so this class needs to wrap no
   * function.
   */
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
   * Returns the bytes written so far. Each byte counts once, because one host of the swarm writes
   * it and another one reads it.
   */
  written(): number {
    let sum = this.#closed
    for (const socket of this.#open) sum += socket.bytesWritten
    return sum
  }
}
