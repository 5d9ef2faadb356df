import type { Pool } from '@jel/jel'
import type { Input, MemberId } from '../core/io.ts'
import { MEMBER_PREFIX } from './job-record.ts'

/** How long a member's record lives, ms. It is renewed at half of that. A guess: a day; what counts is that its owner is in the pool. */
const TTL = 24 * 60 * 60 * 1000

/** Who of the pool computes: members say so by a record of their own. */
export class Roster {
  readonly #pool: Pool
  readonly #key: Uint8Array
  readonly #tell: (inputs: readonly Input[]) => void
  readonly #known = new Set<MemberId>()
  readonly #keys = new Map<MemberId, Uint8Array>()
  /** Members that spoke before their record was heard of. */
  readonly #spoke = new Set<MemberId>()
  #incarnation: number
  #isPlanned = false
  readonly #stop = new AbortController()
  #renewal: NodeJS.Timeout | undefined

  /** `key`: the public key of this member's votes. */
  constructor(pool: Pool, key: Uint8Array, tell: (inputs: readonly Input[]) => void) {
    this.#pool = pool
    this.#key = key
    this.#tell = tell
    this.#incarnation = pool.self.incarnation
  }

  /** The public key of a member's votes, by its record. */
  keyOf(member: MemberId): Uint8Array | undefined {
    return this.#keys.get(member)
  }

  get members(): readonly MemberId[] {
    return [...this.#known]
  }

  async start(): Promise<void> {
    const { signal } = this.#stop
    for (const type of ['joined', 'left', 'died', 'updated', 'record'] as const) {
      this.#pool.addEventListener(type, () => this.#plan(), { signal })
    }
    await this.#publish()
    this.#renewal = setInterval(() => void this.#publish().catch(() => {}), TTL / 2)
    this.#renewal.unref()
    this.#compare()
  }

  /** Somebody who speaks takes part, if the pool knows it. */
  heard(from: MemberId): void {
    if (this.#known.has(from) || this.#spoke.has(from)) return
    this.#spoke.add(from)
    this.#compare()
  }

  async close(): Promise<void> {
    this.#stop.abort()
    clearInterval(this.#renewal)
    await this.#pool.unpublish(MEMBER_PREFIX).catch(() => {})
  }

  async #publish(): Promise<void> {
    await this.#pool.publish(MEMBER_PREFIX, this.#key, { ttl: TTL })
  }

  /** Once for all news of this turn. */
  #plan(): void {
    if (this.#isPlanned) return
    this.#isPlanned = true
    queueMicrotask(() => {
      this.#isPlanned = false
      if (!this.#stop.signal.aborted) this.#compare()
    })
  }

  #compare(): void {
    const records = this.#pool.records(MEMBER_PREFIX)
    const computing = new Set(records.map(({ owner }) => owner))
    this.#keys.clear()
    for (const { owner, value } of records) if (value !== undefined) this.#keys.set(owner, value)
    const inputs: Input[] = []
    const { id: self, incarnation } = this.#pool.self
    if (incarnation > this.#incarnation) inputs.push({ type: 'reentered' })
    this.#incarnation = incarnation
    const present = new Set<MemberId>()
    for (const { id, location } of this.#pool.members()) {
      if (id === self || (!computing.has(id) && !this.#spoke.has(id))) continue
      present.add(id)
      if (this.#known.has(id)) continue
      this.#known.add(id)
      inputs.push({ type: 'joined', member: { id, location } })
    }
    for (const id of this.#known) {
      if (present.has(id)) continue
      this.#known.delete(id)
      this.#spoke.delete(id)
      inputs.push({ type: 'gone', id })
    }
    if (inputs.length > 0) this.#tell(inputs)
  }
}
