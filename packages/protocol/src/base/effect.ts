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
   * Sends a frame on the link to `to`. Without a link it is dropped (the `disconnected` input is on
   * its way). `urgent`: failure detection, which must not wait behind bulk and has its own stream.
   */
  | { readonly type: 'send'; readonly to: NodeId; readonly data: Data; readonly urgent?: boolean }
  /**
   * Hands in no frames of this peer before `until`, except urgent ones. Nothing is lost: the runner
   * stops reading, so the peer's frames wait in the peer's buffers (back-pressure).
   */
  | { readonly type: 'pause'; readonly peer: NodeId; readonly until: Milliseconds }
  /** Publishes on the pool's topic, unreliably. The sender itself does not receive it. */
  | { readonly type: 'broadcast'; readonly data: Data }
  /**
   * Opens a link. The answer is `connected` or `unreachable`, and none if a link to `peer` is
   * already up. Without a `peer` any node at the address is welcome.
   */
  | { readonly type: 'connect'; readonly peer: NodeId | undefined; readonly addresses: readonly Address[] }
  /** Closes the link to `peer` after it has flushed the frames sent so far. */
  | { readonly type: 'disconnect'; readonly peer: NodeId; readonly reason: string }
  /** Probes these addresses without a handshake. The answer is `hostProbed`. */
  | { readonly type: 'probeHost'; readonly peer: NodeId; readonly addresses: readonly Address[] }
  /** Wakes the protocol at this time. Replaces the earlier timer. */
  | { readonly type: 'timer'; readonly at: Milliseconds }
  /** Stores this incarnation before any later effect of the same list. */
  | { readonly type: 'persist'; readonly incarnation: number }
  | { readonly type: 'notify'; readonly notification: Notification }
  /**
   * The node can't go on: stop the host. `IDENTITY_IN_USE`: another process runs under this key.
   */
  | { readonly type: 'fail'; readonly code: 'IDENTITY_IN_USE'; readonly message: string }

/**
 * The verdict on a broadcast message, from its bytes alone. Only a provably wrong message is a
 * `reject`.
 */
export type BroadcastVerdict = 'accept' | 'ignore' | 'reject'
