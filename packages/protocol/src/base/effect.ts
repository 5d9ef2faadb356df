/**
 * The border between the protocol and the world around it.
 *
 * The protocol is a state machine: {@link Input}s go in together with the time, {@link Effect}s
 * come out, and nothing else happens. A runner (a libp2p host, the simulator, a test) carries the
 * effects out and reports their results as further inputs. The shape is that of iroh-gossip's
 * `InEvent`/`OutEvent` and foca's `Runtime`.
 */
import type { Notification } from './notification.ts'
import type { Address, Encoded, Milliseconds, NodeId } from './values.ts'

export type Effect<Data extends Encoded = Uint8Array> =
  /**
   * Sends a frame on the link to `to`. Without a link the runner drops the frame (the
   * `disconnected` input is on its way). `urgent`: a frame of failure detection. It has its own
   * stream and does not wait behind other frames.
   */
  | { readonly type: 'send'; readonly to: NodeId; readonly data: Data; readonly urgent?: boolean }
  /**
   * The runner hands in no frames of this peer before `until`, except urgent frames. Nothing is
   * lost: the runner stops reading, so the frames wait in the peer's buffers (back-pressure).
   */
  | { readonly type: 'pause'; readonly peer: NodeId; readonly until: Milliseconds }
  /** Publishes on the pool's topic, unreliably. The sender itself does not receive it. */
  | { readonly type: 'broadcast'; readonly data: Data }
  /**
   * Opens a link. The answer is the input `connected` or `unreachable`. There is no answer if a
   * link to `peer` is already up. Without a `peer` any node at the address is welcome.
   */
  | { readonly type: 'connect'; readonly peer: NodeId | undefined; readonly addresses: readonly Address[] }
  /** Flushes the frames sent so far to `peer`, then closes the link. */
  | { readonly type: 'disconnect'; readonly peer: NodeId; readonly reason: string }
  /** Probes these addresses without a handshake. The answer is `hostProbed`. */
  | { readonly type: 'probeHost'; readonly peer: NodeId; readonly addresses: readonly Address[] }
  /** Wakes the protocol at this time. Replaces the earlier timer. */
  | { readonly type: 'timer'; readonly at: Milliseconds }
  /** Stores this incarnation before any later effect of the same list. */
  | { readonly type: 'persist'; readonly incarnation: number }
  | { readonly type: 'notify'; readonly notification: Notification }
  /**
   * The node can't go on, so the runner stops the host. `IDENTITY_IN_USE`: another process runs
   * under this key.
   */
  | { readonly type: 'fail'; readonly code: 'IDENTITY_IN_USE'; readonly message: string }

/** The verdict on forwarding a broadcast message. `reject`: its bytes alone prove it wrong. */
export type BroadcastVerdict = 'accept' | 'ignore' | 'reject'
