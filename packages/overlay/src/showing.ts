/**
 * Converts the protocol's types to those of the overlay.
 */
import type { Health, Member, Milliseconds, Notification, Reign } from '@jel/protocol'
import type { OverlayHealth, OverlayNotification, PoolMember, PoolReign } from './api.ts'
import { formatAddresses } from './base/addresses.ts'

/**
 * Members are immutable and shared, and a view is read far more often than it changes, so each is
 * converted once.
 */
const shown = new WeakMap<Member, PoolMember>()

export function showMember(member: Member): PoolMember {
  let known = shown.get(member)
  if (!known) {
    const { id, incarnation, addresses, location, tag, constants, joinedAt } = member
    known = { id, incarnation, addresses: formatAddresses(addresses, id), location, tag, constants, joinedAt }
    shown.set(member, known)
  }
  return known
}

export function showReign({ election, epoch, winner }: Reign): PoolReign {
  return { election, epoch, winner: showMember(winner) }
}

/** `now`: on the protocol's clock. */
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

export function showNotification(notification: Notification, now: Milliseconds): OverlayNotification {
  switch (notification.type) {
    case 'joined':
    case 'left':
    case 'died':
    case 'updated':
      return { ...notification, member: showMember(notification.member) }
    case 'elected':
      return { ...notification, reign: showReign(notification.reign) }
    case 'signal':
    case 'event':
    case 'query':
      return { ...notification, from: showMember(notification.from) }
    case 'health':
      return { ...notification, health: showHealth(notification.health, now) }
    default:
      return notification
  }
}
