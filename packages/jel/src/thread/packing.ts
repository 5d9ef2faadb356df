import type { OverlayNotification, PoolMember, PoolReign } from '@jel/overlay'

/** Members are immutable and shared, so each is packed once. */
const packed = new WeakMap<PoolMember, PoolMember>()

/**
 * Returns the member with its own bytes. A tag that is a view of a received frame would take the
 * whole frame along to the other thread.
 */
export function packMember(member: PoolMember): PoolMember {
  let known = packed.get(member)
  if (known === undefined) {
    known = {
      ...member,
      tag: new Uint8Array(member.tag),
      constants: new Map(Array.from(member.constants, ([name, value]) => [name, new Uint8Array(value)])),
    }
    packed.set(member, known)
  }
  return known
}

export function packReign(reign: PoolReign): PoolReign {
  return { ...reign, winner: packMember(reign.winner) }
}

export function packNews(news: OverlayNotification): OverlayNotification {
  switch (news.type) {
    case 'joined':
    case 'left':
    case 'died':
    case 'updated':
      return { ...news, member: packMember(news.member) }
    case 'elected':
      return { ...news, reign: packReign(news.reign) }
    case 'signal':
    case 'event':
    case 'query':
      return { ...news, from: packMember(news.from) }
    default:
      return news
  }
}
