import type { Pool } from '@jel/jel'
import type { Input, MemberId } from '../core/io.ts'
import { DEFAULT_KEEP, MEMBER_PREFIX } from './job-record.ts'

/** The constant of a member that takes part: the public key of its votes. */
export const CONSTANT = 'jel.compute'
/** That of one that takes part without workers. */
const WITHOUT_WORKERS = 'jel.compute.idle'
/**
 * How long the record with a member's key lives, ms. Results that are kept as long as by default are
 * checked by it, and their jobs may take a day. A guess.
 */
const TTL = DEFAULT_KEEP + 24 * 60 * 60 * 1000
/** A member that still votes publishes its key again after so long, ms. A guess. */
const PUBLISH_AGAIN = 12 * 60 * 60 * 1000

/**
 * Who of the pool takes part in computing. A member says so in its joined-statement, by a constant. A visitor says nothing: it is known to those to whom it speaks.
 *
 * Votes outlive the member that gave them, and so must its key: a member that votes publishes it as a
 * record. The record says nothing of whether the member takes part.
 */
export class Roster {
  readonly #pool: Pool
  readonly #key: Uint8Array | undefined
  readonly #computes: boolean
  readonly #tell: (inputs: readonly Input[]) => void
  /** Those that were told of, and whether as visitors. */
  readonly #known = new Map<MemberId, boolean>()
  readonly #keys = new Map<MemberId, Uint8Array>()
  /** Members that spoke. */
  readonly #spoke = new Set<MemberId>()
  #incarnation: number
  #isPlanned = false
  #publishedAt = -Infinity
  readonly #stop = new AbortController()

  /** `key`: the public key of this member's votes; undefined for a visitor. `computes`: whether it has workers. */
  constructor(pool: Pool, { key, computes }: { key: Uint8Array | undefined; computes: boolean }, tell: (inputs: readonly Input[]) => void) {
    this.#pool = pool
    this.#key = key
    this.#computes = computes
    this.#tell = tell
    this.#incarnation = pool.self.incarnation
  }

  /** The public key of a member's votes. */
  keyOf(member: MemberId): Uint8Array | undefined {
    return this.#keys.get(member)
  }

  /** Those that take part, without visitors. */
  get members(): readonly MemberId[] {
    return [...this.#known].filter(([, visits]) => !visits).map(([id]) => id)
  }

  async start(): Promise<void> {
    const { signal } = this.#stop
    for (const type of ['joined', 'left', 'died', 'updated', 'record'] as const) {
      this.#pool.addEventListener(type, () => this.#plan(), { signal })
    }
    // Whoever hears that it takes part is to know what it does there.
    if (this.#key !== undefined && !this.#computes) await this.#pool.setConstant(WITHOUT_WORKERS, Uint8Array.of(1))
    if (this.#key !== undefined) await this.#pool.setConstant(CONSTANT, this.#key)
    this.#compare()
  }

  /** Somebody who speaks takes part, if the pool knows it. */
  heard(from: MemberId): void {
    if (this.#known.has(from) || this.#spoke.has(from)) return
    this.#spoke.add(from)
    this.#compare()
  }

  /** This member votes. */
  voted(): void {
    if (this.#key === undefined || performance.now() < this.#publishedAt + PUBLISH_AGAIN) return
    this.#publishedAt = performance.now()
    void this.#pool.publish(MEMBER_PREFIX, this.#key, { ttl: TTL }).catch(() => {})
  }

  async close(): Promise<void> {
    this.#stop.abort()
    if (this.#key === undefined) return
    await this.#pool.setConstant(CONSTANT, undefined).catch(() => {})
    await this.#pool.setConstant(WITHOUT_WORKERS, undefined).catch(() => {})
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
    const members = this.#pool.members()
    this.#keys.clear()
    for (const { owner, value } of this.#pool.records(MEMBER_PREFIX)) if (value !== undefined) this.#keys.set(owner, value)
    for (const { id, constants } of members) {
      const key = constants.get(CONSTANT)
      if (key !== undefined) this.#keys.set(id, key)
    }
    const inputs: Input[] = []
    const { id: self, incarnation } = this.#pool.self
    if (incarnation > this.#incarnation) inputs.push({ type: 'reentered' })
    this.#incarnation = incarnation
    const present = new Set<MemberId>()
    for (const { id, location, constants } of members) {
      const visits = !constants.has(CONSTANT)
      if (id === self || (visits && !this.#spoke.has(id))) continue
      present.add(id)
      if (this.#known.get(id) === visits) continue
      this.#known.set(id, visits)
      inputs.push({ type: 'joined', member: { id, location, visits, computes: !constants.has(WITHOUT_WORKERS) } })
    }
    for (const id of this.#known.keys()) {
      if (present.has(id)) continue
      this.#known.delete(id)
      this.#spoke.delete(id)
      inputs.push({ type: 'gone', id })
    }
    if (inputs.length > 0) this.#tell(inputs)
  }
}
