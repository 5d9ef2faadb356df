import type { Pool, PoolRecord } from '@jel/jel'
import type { SharePolicy } from '../core/shares.ts'
import { Expiry } from './expiry.ts'
import { policyOf, readShares, SHARES } from './share-record.ts'

/**
 * Follows the share policy of the administrators whom this member accepts. Of several records the
 * latest counts. Without accepted administrators it does nothing.
 */
export class Administration {
  readonly #pool: Pick<Pool, 'records' | 'addEventListener'>
  readonly #admins: readonly string[]
  readonly #onPolicy: (policy: SharePolicy | undefined) => void
  /** The record that counts. */
  #record: PoolRecord | undefined
  readonly #expiry = new Expiry(
    () => (this.#record === undefined ? [] : [{ id: SHARES, expires: this.#record.expires }]),
    () => this.#take(),
  )
  readonly #stop = new AbortController()

  constructor(
    pool: Pick<Pool, 'records' | 'addEventListener'>,
    admins: readonly string[],
    onPolicy: (policy: SharePolicy | undefined) => void,
  ) {
    this.#pool = pool
    this.#admins = admins
    this.#onPolicy = onPolicy
  }

  start(): void {
    if (this.#admins.length === 0) return
    this.#pool.addEventListener('record', ({ detail }) => detail.name === SHARES && this.#look(), { signal: this.#stop.signal })
    this.#look()
  }

  close(): void {
    this.#stop.abort()
    this.#expiry.close()
  }

  #look(): void {
    this.#take()
    if (this.#record !== undefined) this.#expiry.look()
  }

  #take(): void {
    const now = Date.now()
    let latest: PoolRecord | undefined
    for (const record of this.#pool.records(SHARES)) {
      if (!this.#admins.includes(record.owner) || record.expires <= now || readShares(record) === undefined) continue
      // Two records of one version: all members take the same.
      if (latest === undefined || record.version > latest.version || (record.version === latest.version && record.owner > latest.owner))
        latest = record
    }
    if (latest?.owner === this.#record?.owner && latest?.version === this.#record?.version) return
    this.#record = latest
    const shares = latest && readShares(latest)
    this.#onPolicy(shares && policyOf(shares))
  }
}
