/**
 * The leases, groups and services of members. A member is asked only when somebody looks.
 */
import type { Allocator } from '@jel/allocate'
import type { Pool } from '@jel/jel'
import { inTurns } from '../base/in-turns.ts'
import { codeOf, messageOf } from '../base/usage-error.ts'
import type { LeasesJson, ServiceJson } from '../events/events.ts'

/** Maximum number of members that are asked at once. A guess: each takes a stream. */
const AT_ONCE = 64

/**
 * Asks members for their capacities, leases and groups. Without `ids` it asks all members, and
 * leaves out members that have none.
 */
export async function askLeases(pool: Pool, allocator: Allocator, ids?: readonly string[]): Promise<LeasesJson[]> {
  const members = await inTurns(ids ?? pool.members().map(({ id }) => id), AT_ONCE, async (member): Promise<LeasesJson> => {
    try {
      return { member, ...(await allocator.leasesOf(member)) }
    } catch (error) {
      // A member of an earlier release, or a browser, does not lease anything.
      return { member, ...(codeOf(error) === 'OPEN_FAILED' && ids === undefined ? { totals: {} } : { reason: messageOf(error) }) }
    }
  })
  return members.filter(
    ({ reason, totals = {}, ranks = [], starts = [] }) =>
      ids !== undefined || reason !== undefined || Object.keys(totals).length + ranks.length + starts.length > 0,
  )
}

/**
 * Returns the services that members state. A replicated service has the status that its primary
 * reports.
 */
export async function askServices(pool: Pool): Promise<ServiceJson[]> {
  const { serviceClient } = await import('@jel/service')
  const client = serviceClient(pool)
  return await inTurns(client.services(), AT_ONCE, async (info): Promise<ServiceJson> => {
    if (info.primary === undefined) return info
    try {
      const { epoch, backups, operations, refusal } = await client.statusOf(info.name, info.primary)
      return { ...info, status: { epoch, backups, operations, refusal } }
    } catch (error) {
      return { ...info, reason: messageOf(error) }
    }
  })
}
