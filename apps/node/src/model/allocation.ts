import type { GroupJson, LeasesJson, NodeEvent, ServiceJson } from '../events/events.ts'
import { groupsOf } from './groups.ts'

/** The least pause between two questions to all members, ms, and the time for each. Guesses. */
const [LEAST_PAUSE, MEMBER_TIME] = [2_000, 100]

/** Returns the pause before all these members are asked again, ms. */
export function pauseFor(members: number): number {
  return Math.max(LEAST_PAUSE, members * MEMBER_TIME)
}

/** The leases, groups and services of a pool, as the last answers of its members describe them. */
export class AllocationModel {
  members: readonly LeasesJson[] = []
  groups: readonly GroupJson[] = []
  services: readonly ServiceJson[] = []
  /** Whether members were asked. */
  isKnown = false
  /** The time of the leases, Unix ms: their terms are spans from it. */
  at = 0

  /** Takes an event. `now`: Unix ms. */
  take(event: NodeEvent & { readonly event: 'leases' | 'services' }, now: number): void {
    this.isKnown = true
    if (event.event === 'services') this.services = event.services
    else Object.assign(this, { members: event.members, groups: groupsOf(event.members), at: now })
  }

  clear(): void {
    Object.assign(this, { members: [], groups: [], services: [], isKnown: false, at: 0 })
  }
}
