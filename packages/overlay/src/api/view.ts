/**
 * The protocol's members, reigns, health and notifications, as an overlay shows them.
 */
import type { Health, LinkState, Measured, Member, Milliseconds, Notification, Reach, Reign } from '@jel/protocol'
import { formatAddresses } from '../base/addresses.ts'

/** A member of the view. */
export interface PoolMember {
  /**
   * The libp2p PeerId as text, `12D3KooW…`. It stays the same across starts only if the node has an
   * identity file.
   */
  readonly id: string
  /**
   * The number of this life of the id, from 1. It grows each time the id enters the pool, also when
   * a member that was pronounced dead comes back.
   */
  readonly incarnation: number
  /**
   * The multiaddrs at which the member listens, each ending in `/p2p/<id>`. They may change within
   * a life. `updated` reports that.
   */
  readonly addresses: readonly string[]
  /**
   * The location that the member states: levels from fine to coarse joined by `@`, as in
   * `node7@rack2@delft@nl`. At most 256 bytes. Nobody verifies it.
   */
  readonly location: string
  /**
   * The application's own bytes, at most 1,024; empty if there are none. Nobody verifies them. A
   * text tag is UTF-8: `new TextDecoder().decode(member.tag)`.
   */
  readonly tag: Uint8Array
  /**
   * The member's static attributes, by name: at most 512 bytes, names included. Nobody verifies
   * them. Programs on top of the pool use them to tell others what the member offers.
   */
  readonly constants: ReadonlyMap<string, Uint8Array>
  /**
   * How others reach the member, as it states. `direct`: others can dial it, as far as it knows.
   * `hidden`: it is behind a NAT or a firewall, so it dials only. `tab`: it is a browser tab. A
   * change within a life is `updated`.
   */
  readonly reach: Reach
  /**
   * The time at which this life entered the pool, by the member's own calendar, Unix ms; 0 if the
   * member does not state it. Nobody verifies it. It stays the same within a life.
   */
  readonly joinedAt: number
}

/** A reign. Its fencing token is `(epoch, winner)`. */
export interface PoolReign {
  /** The name of the election. */
  readonly election: string
  /** Grows from reign to reign; the first is 1. */
  readonly epoch: number
  /** The holder of the role. */
  readonly winner: PoolMember
}

export interface OverlayHealth extends Omit<Health, 'lastReconciliation' | 'introducers'> {
  /** The end of the last reconciliation with a peer, Unix ms. Undefined: there was none. */
  readonly lastReconciliation: number | undefined
  /** The introducers that do not answer: the multiaddr of each, and the reason. */
  readonly introducers: readonly { readonly address: string; readonly reason: string }[]
}

/**
 * A link of a node: the peer at the other end, and the round trip of the last probe, ms. Only the
 * end that probes has a round trip.
 */
export type PoolLink = LinkState

/** Replaces the protocol's types in a type by the overlay's types. */
type Shown<Type> = Type extends Member ? PoolMember : Type extends Reign ? PoolReign : Type extends Health ? OverlayHealth : Type

/**
 * A {@link Notification} with members, reigns and health as the overlay shows them, or a
 * measurement of this node.
 */
export type OverlayNotification = Notification | ({ readonly type: 'measured' } & Measured) extends infer Each
  ? Each extends { readonly type: string }
    ? { readonly [Key in keyof Each]: Shown<Each[Key]> }
    : never
  : never

/**
 * Converted members. Members are immutable and shared, and applications read a view far more often
 * than it changes. So {@link showMember} converts each member once.
 */
const shown = new WeakMap<Member, PoolMember>()

export function showMember(member: Member): PoolMember {
  let known = shown.get(member)
  if (!known) {
    const { id, incarnation, addresses, location, tag, constants, reach, joinedAt } = member
    known = { id, incarnation, addresses: formatAddresses(addresses, id), location, tag, constants, reach, joinedAt }
    shown.set(member, known)
  }
  return known
}

export function showReign({ election, epoch, winner }: Reign): PoolReign {
  return { election, epoch, winner: showMember(winner) }
}

/** `now`: the time on the protocol's clock. */
export function showHealth(health: Health, now: Milliseconds): OverlayHealth {
  const { lastReconciliation, introducers } = health
  return {
    ...health,
    lastReconciliation: lastReconciliation === undefined ? undefined : Date.now() - (now - lastReconciliation),
    introducers: introducers.flatMap(({ introducer: { id, address }, reason }) =>
      formatAddresses([address], id).map((text) => ({ address: text, reason })),
    ),
  }
}
