import { reasonAt } from '../../model/reason-at.ts'
import { ledgerText } from '../../model/ledger-text.ts'
import type { HealthJson, NodeEvent, NodeJson } from '../../events/events.ts'
import { shortId } from '../../events/quantity.ts'

/**
 * Makes text of other members safe for the page: no control characters, and no marks that turn the
 * text after them around.
 */
export function plainText(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').replaceAll(/[\p{Cc}\p{Cf}]/gu, '?')
}

/** Describes an event for a person, besides its kind. */
export function eventText(event: NodeEvent): string {
  switch (event.event) {
    case 'joined':
    case 'left':
    case 'died':
    case 'updated':
      return nameOf(event.node)
    case 'elected':
      return `${event.election}: ${nameOf(event.node)}, epoch ${event.epoch}`
    case 'ledger':
      return ledgerText(event)
    case 'ordered':
    case 'signal':
      return `${event.name} from ${nameOf(event.node)}`
    case 'record':
      return `${event.name} of ${shortId(event.owner)}${event.value === null ? ' is gone' : ''}`
    case 'health':
      return healthText(event)
    case 'error':
      return `${event.code}: ${event.message}`
    case 'stopped':
      return 'this node has left the pool'
    default:
      return ''
  }
}

/** Describes a node's connectivity in a few words. */
export function healthText({ alone, minority, members }: Pick<HealthJson, 'alone' | 'minority' | 'members'>): string {
  const reach = alone ? (members > 1 ? 'reaches nobody' : 'alone') : ''
  return [reach, minority ? 'in a minority' : ''].filter(Boolean).join(', ') || 'well'
}

/** Describes the problems of a node in more detail. */
export function troubleText({
  suspectedShare,
  relayed,
  introducers,
}: Pick<HealthJson, 'suspectedShare' | 'relayed' | 'introducers'>): string {
  const parts = [
    suspectedShare === 0 ? '' : `${Math.round(suspectedShare * 100)} % suspected or lost`,
    relayed === 0 ? '' : `${relayed} reached through others only`,
    ...introducers.map(({ address, reason }) => reasonAt(address, reason)),
  ]
  return parts.filter(Boolean).join('; ')
}

/** Formats bytes, as in `12.3 MB`. */
export function bytesText(bytes: number): string {
  if (bytes < 1e3) return `${bytes} B`
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(1)} kB`
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`
}

function nameOf({ id, location }: NodeJson): string {
  return `${shortId(id)} (${location})`
}
