import type { NodeId, Notification } from '@jel/protocol'
import type { Payload } from '../network/payload.ts'

/** What runs beside the protocol in the same process: it hears what the protocol tells, and has connections of its own. */
export interface Application {
  told(notification: Notification): void
  /** A connection to a peer is open, whoever dialled; all of them are gone; something came on one. */
  connected(peer: NodeId): void
  disconnected(peer: NodeId): void
  received(from: NodeId, data: Payload): void
}
