/** A socket of TCP, or a WebSocket of a browser. */
export interface Counted {
  readonly bytesRead: number
  readonly bytesWritten: number
  once(event: 'close', listener: () => void): unknown
  destroy(): unknown
}
