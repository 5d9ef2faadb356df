import { hash52 } from '@jel/protocol'
import { mayRun, type Acceptance, type Accepted } from './acceptance.ts'
import type { SchedulerConfig } from './config.ts'
import type { ComputeMember, JobId, MemberId, Milliseconds } from './io.ts'

/** Maximum number of gone members whose names stay. A guess: one task loses fewer members. */
const MAX_FORMER = 4096

interface Known {
  readonly id: MemberId
  readonly levels: readonly string[]
  readonly isClient: boolean
  readonly computes: boolean
  readonly accepts: Acceptance | undefined
  roundTrip: Milliseconds | undefined
}

/** The members that take part in computing, in this member's view. */
export class Members {
  readonly #self: MemberId
  readonly #config: SchedulerConfig
  readonly #known = new Map<MemberId, Known>()
  /** Members that are gone, the latest last. */
  readonly #former = new Map<MemberId, MemberId>()
  #participants: readonly MemberId[] | undefined
  #computing: readonly Known[] | undefined
  /** Grows when a participant comes or goes. The state of jobs does not depend on clients. */
  version = 0
  /** When this member came back last, or another one that was gone. */
  returnedAt: Milliseconds = -Infinity

  constructor(self: ComputeMember, config: SchedulerConfig) {
    this.#self = self.id
    this.#config = config
    this.joined(self)
  }

  /** Number of members without clients. */
  get size(): number {
    return this.participants().length
  }

  has(id: MemberId): boolean {
    return this.#known.has(id)
  }

  ids(): IterableIterator<MemberId> {
    return this.#known.keys()
  }

  /** The members that are no clients. */
  participants(): readonly MemberId[] {
    this.#participants ??= [...this.#known.values()].filter(({ isClient }) => !isClient).map(({ id }) => id)
    return this.#participants
  }

  /** The participants that have workers and, as far as this member knows, accept a job. */
  *computing(job?: Accepted): Generator<MemberId> {
    this.#computing ??= [...this.#known.values()].filter(hasWorkers)
    for (const { id, accepts } of this.#computing) if (job === undefined || mayRun(accepts, job)) yield id
  }

  /** Whether a member has workers, and accepts a job as far as this member knows. */
  runs(id: MemberId, job: Accepted): boolean {
    const known = this.#known.get(id)
    return known !== undefined && hasWorkers(known) && mayRun(known.accepts, job)
  }

  /** Whether a member was here and is gone. */
  knew(id: MemberId): boolean {
    return this.#former.has(id)
  }

  /**
   * Returns the id of a present or former member, as the string that this member stores. So equal
   * ids share one string. Undefined for a stranger.
   */
  named(id: MemberId): MemberId | undefined {
    return this.#known.get(id)?.id ?? this.#former.get(id)
  }

  joined({ id, location, isClient = false, computes = true, accepts }: ComputeMember): void {
    const known = this.#known.get(id)
    this.#known.set(id, { id, levels: location.split('@'), isClient, computes, accepts, roundTrip: known?.roundTrip })
    if (!isClient || known?.isClient === false) this.#changed()
  }

  gone(id: MemberId): boolean {
    const known = this.#known.get(id)
    if (known === undefined) return false
    this.#known.delete(id)
    if (!known.isClient) this.#changed()
    this.#former.set(id, id)
    if (this.#former.size > MAX_FORMER) this.#former.delete(this.#former.keys().next().value as MemberId)
    return true
  }

  #changed(): void {
    this.#participants = undefined
    this.#computing = undefined
    this.version++
  }

  measured(id: MemberId, roundTrip: Milliseconds): void {
    const known = this.#known.get(id)
    if (known !== undefined) known.roundTrip = roundTrip
  }

  /** The longest measured round trip, ms; at most a quarter of the request time-out. */
  get longestRoundTrip(): Milliseconds {
    let longest = 0
    for (const { roundTrip } of this.#known.values()) longest = Math.max(longest, roundTrip ?? 0)
    return Math.min(longest, this.#config.requestTimeout / 4)
  }

  roundTrip(id: MemberId): Milliseconds | undefined {
    return this.#known.get(id)?.roundTrip
  }

  /**
   * Whether a member is near: its round trip is short, or it shares a level of its location with
   * this member.
   */
  isNear(id: MemberId): boolean {
    const self = this.#known.get(this.#self)
    const other = this.#known.get(id)
    if (self === undefined || other === undefined) return false
    if (other.roundTrip !== undefined && other.roundTrip <= this.#config.nearRoundTrip) return true
    return other.levels.some((level) => level !== '' && self.levels.includes(level))
  }

  /**
   * Returns the replicas of a job by rendezvous hashing. All members with the same view return the
   * same replicas. The first member of each coarse location comes first. With hashing alone a
   * partition into two halves leaves all three replicas on one side in 21 % of cases. The first
   * replica keeps the root.
   */
  replicas(job: JobId): MemberId[] {
    const { replicas, replicasOfFew } = this.#config
    const count = this.size < 10 ? replicasOfFew : replicas
    const ranked = [...this.#known.values()]
      .filter(({ isClient }) => !isClient)
      .map(({ id, levels }) => ({ id, place: levels.at(-1) as string, weight: hash52(`${job} ${id}`) }))
      .sort((a, b) => b.weight - a.weight || (a.id < b.id ? -1 : 1))
    const places = new Set<string>()
    const first = ranked.filter(({ place }) => !places.has(place) && places.add(place))
    const rest = ranked.filter((member) => !first.includes(member))
    return [...first, ...rest].slice(0, count).map(({ id }) => id)
  }
}

function hasWorkers({ isClient, computes }: Known): boolean {
  return !isClient && computes
}
