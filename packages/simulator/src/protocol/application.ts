import type { NodeId, Notification } from '@jel/protocol'
import type { Payload } from '../network/payload.ts'

/**
 * An application beside the protocol in the same process. It receives the protocol's notifications
 * and has connections of its own.
 */
export interface Application {
  told(notification: Notification): void
  /**
   * `connected`: a connection to a peer is open; either side may have dialled. `disconnected`: all
   * connections to the peer are gone. `received`: data arrived on a connection.
   */
  connected(peer: NodeId): void
  disconnected(peer: NodeId): void
  received(from: NodeId, data: Payload): void
}
