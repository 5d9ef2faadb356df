import type { MeasuredDetail } from '../base/events.ts'
import type { Health, Link, Member, Reign, Traffic } from '../base/member.ts'
import type { Pool } from '../pool/pool.ts'

/**
 * The number of elections whose last reign a watch remembers. Guess: four times as many elections
 * as a node knows at a time.
 */
const REIGNS_LIMIT = 1_024

/** Counts of events since the counting began. */
export interface Counts {
  joined: number
  left: number
  died: number
  elected: number
  /** The part of `elected` that this node won. */
  won: number
  signals: number
  /** Warnings by code. */
  readonly warnings: Map<string, number>
}

/** The state at one moment. All instruments read from it. */
export interface Figures {
  /** Unix ms */
  readonly now: number
  readonly pool: string
  readonly self: Member
  readonly members: number
  readonly health: Health
  readonly reigns: readonly Reign[]
  readonly records: number
  readonly links: readonly Link[]
  readonly traffic: Traffic
  readonly counts: Counts
}

/** Counts the events of a pool, and reads its state. */
export class Watch implements Disposable {
  readonly #pool: Pool
  readonly #counts: Counts = { joined: 0, left: 0, died: 0, elected: 0, won: 0, signals: 0, warnings: new Map() }
  /** The last counted reign of each election. */
  readonly #reigns = new Map<string, string>()
  readonly #end = new AbortController()

  constructor(pool: Pool) {
    this.#pool = pool
    const counts = this.#counts
    const options = { signal: this.#end.signal }
    counts.joined = pool.members().length
    for (const reign of pool.reigns()) this.#elected(reign)
    for (const type of ['joined', 'left', 'died'] as const) pool.addEventListener(type, () => (counts[type] += 1), options)
    pool.addEventListener('elected', ({ detail }) => this.#elected(detail), options)
    pool.addEventListener('signal', () => (counts.signals += 1), options)
    pool.addEventListener('warning', ({ detail: { code } }) => counts.warnings.set(code, (counts.warnings.get(code) ?? 0) + 1), options)
  }

  /** Calls `listener` with each later measurement of this node. */
  onMeasured(listener: (measured: MeasuredDetail) => void): void {
    this.#pool.addEventListener('measured', ({ detail }) => listener(detail), { signal: this.#end.signal })
  }

  /** Throws PoolLeftError after the end of the pool. */
  async read(): Promise<Figures> {
    const pool = this.#pool
    const [links, traffic] = await Promise.all([pool.links(), pool.traffic()])
    return {
      now: Date.now(),
      pool: pool.name,
      self: pool.self,
      members: pool.members().length,
      health: pool.health(),
      reigns: pool.reigns(),
      records: pool.records().length,
      links,
      traffic,
      counts: this.#counts,
    }
  }

  [Symbol.dispose](): void {
    this.#end.abort()
  }

  /** Counts a reign once, even if the pool announces it again. */
  #elected({ election, epoch, winner }: Reign): void {
    const reign = `${epoch} ${winner.id}`
    if (this.#reigns.get(election) === reign) return
    this.#reigns.delete(election)
    this.#reigns.set(election, reign)
    const [oldest] = this.#reigns.keys()
    if (this.#reigns.size > REIGNS_LIMIT && oldest !== undefined) this.#reigns.delete(oldest)
    this.#counts.elected += 1
    if (winner.id === this.#pool.self.id) this.#counts.won += 1
  }
}
