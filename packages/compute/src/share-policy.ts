import type { Pool, PoolRecord, RecordOwner } from '@jel/jel'
import { encodeShares, readShares, SHARES, type Shares } from './shell/share-record.ts'

/** How long a policy lives by default, ms: 31 days, the longest life of a record. */
const LIFETIME = 31 * 86_400_000

/**
 * Divides the processor time of members among the owners of jobs. The policy counts at members that
 * accept the administrator (the option `admins` of `compute`), until it expires. The next policy of
 * the administrator replaces it.
 *
 * @param admin the key of the administrator; see `readOwner`
 * @param options.ttl how long the policy lives, ms; at most 31 days. Default: 31 days.
 * @throws InvalidOptionError that names the field; InvalidRecordError if it has more than 1 KiB:
 *   about forty owners, each named by eight characters
 */
export async function publishShares(
  pool: Pick<Pool, 'publish'>,
  shares: Shares,
  admin: RecordOwner,
  { ttl = LIFETIME }: { readonly ttl?: number } = {},
): Promise<PoolRecord> {
  return await pool.publish(SHARES, encodeShares(shares), { ttl, owner: admin })
}

/** Returns the share policies of a pool, the latest first, each with its administrator's id. */
export function sharesOf(pool: Pick<Pool, 'records'>): (Shares & { readonly admin: string; readonly expires: number })[] {
  return [...pool.records(SHARES)]
    .sort((a, b) => b.version - a.version)
    .flatMap((record) => {
      const shares = readShares(record)
      return shares === undefined ? [] : [{ ...shares, admin: record.owner, expires: record.expires }]
    })
}
