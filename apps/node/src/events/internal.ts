import type { NodeEvent } from './events.ts'

/**
 * Returns whether an event is a record of members that compute. Such records are for other members.
 * A person sees their effects.
 */
export function isInternal(event: NodeEvent): boolean {
  return event.event === 'record' && event.name.startsWith('jel.compute/')
}
