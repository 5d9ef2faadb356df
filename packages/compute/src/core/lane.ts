import { pickOne } from '@jel/protocol'
import type { Context } from './context.ts'
import { MANY } from './grants.ts'
import type { MemberId, Milliseconds } from './io.ts'
import type { Job } from './job.ts'
import type { Victims } from './victims.ts'

/** A request for tasks that is under way. */
export interface StealRequest {
  readonly number: number
  readonly jobs: readonly Job[]
  readonly victim: MemberId
  readonly sentAt: Milliseconds
  /** The same time with the fraction of a millisecond. */
  readonly exactSentAt: Milliseconds
}

/** Sends requests to near victims, or to far victims, one at a time. */
export class Lane {
  readonly near: boolean
  readonly #context: Context
  readonly #victims: Victims
  request: StealRequest | undefined
  notBefore: Milliseconds = 0
  /** Number of requests without a task since the last success. */
  #failures = 0
  #delay: Milliseconds = 0
  /**
   * A job is new here, or its root may have moved. The next request goes to the replica that keeps
   * the root.
   */
  #isFresh = true
  /**
   * A member that may have work: the lane asks it next. The member sent a lifeline, or a victim
   * without work named it. The lane follows the hints of victims to one member only once, until a
   * request succeeds, or a job or a member comes.
   */
  #hint: MemberId | undefined
  readonly #followed = new Set<MemberId>()

  constructor(context: Context, near: boolean, victims: Victims) {
    this.#context = context
    this.near = near
    this.#victims = victims
  }

  get victims(): readonly MemberId[] {
    return this.near ? this.#victims.near() : this.#victims.far()
  }

  /**
   * Time when the lane gives up the open request, or may send the next; Infinity: there is no
   * victim.
   */
  get dueAt(): Milliseconds {
    const { request, notBefore, victims } = this
    const { now, config } = this.#context
    if (request !== undefined) return request.sentAt + config.requestTimeout
    return victims.length > 0 ? Math.max(notBefore, now) : Infinity
  }

  /** A job or a member came: ends the backoff delay. */
  wake(): void {
    this.#delay = 0
    this.notBefore = 0
    this.#isFresh = true
    this.#followed.clear()
  }

  /** A member is gone: the root may have moved. */
  gone(): void {
    this.#isFresh = true
  }

  /** A victim that refused this member has work again. */
  invited(victim: MemberId): void {
    this.#hint = victim
    this.notBefore = 0
  }

  /** Chooses the next victim. */
  choose(jobs: readonly Job[]): MemberId | undefined {
    const { random, members, replicas, self } = this.#context
    const hint = this.#hint
    this.#hint = undefined
    if (hint !== undefined && hint !== self && members.has(hint)) {
      this.#followed.add(hint)
      return hint
    }
    const candidates = [...this.victims]
    const [firstReplica] = replicas(jobs.at(-1) as Job)
    const isHere = firstReplica !== undefined && firstReplica !== self && members.isNear(firstReplica) === this.near
    if (isHere && !candidates.includes(firstReplica)) candidates.push(firstReplica)
    const generous = jobs.map((job) => job.generous[this.#side]).find((id) => id !== undefined && members.has(id))
    return isHere && this.#isFresh ? firstReplica : (generous ?? pickOne(random, candidates))
  }

  sent(request: StealRequest): void {
    this.#isFresh = false
    this.request = request
  }

  /** The victim gave tasks of this job, and has `left` more. */
  succeeded({ generous }: Job, left: number): void {
    generous[this.#side] = left >= MANY ? this.request?.victim : undefined
    this.request = undefined
    this.#failures = 0
    this.#delay = 0
    this.#followed.clear()
  }

  /** The victim has nothing, and may name another member. Returns what {@link failed} returns. */
  refused(hint: MemberId | undefined): readonly Job[] | undefined {
    // If two members name each other, the lane would otherwise ask only these two for ever.
    this.#hint = hint === undefined || this.#followed.has(hint) ? undefined : hint
    return this.failed()
  }

  /**
   * A request brought no task. Returns the jobs of which no victim has a task; undefined: a victim
   * may have one.
   */
  failed(): readonly Job[] | undefined {
    const { now, config, random } = this.#context
    const { victim, jobs = [] } = this.request ?? {}
    this.request = undefined
    for (const { generous } of jobs) if (generous[this.#side] === victim) generous[this.#side] = undefined
    this.#failures++
    const round = this.victims.length
    // Others chose at random, so a few members are victims of hardly anybody. Such a member would
    // keep its tasks at the end of a job. So after a round without a task each request finds
    // another victim. After the second round one of a round does, since each costs a stream.
    // Simulated (job-partition): in 2 of 24 seeds members idled for more than 2 s while tasks
    // waited. With this rule they idled for less than 1.5 s in these two, and in the eight around.
    const mayExchange = this.#failures >= round && (this.#failures <= 2 * round || this.#failures % round === 0)
    if (victim !== undefined && mayExchange) this.#victims.exchange(victim, this.near)
    // A hint delays the backoff, but only for two rounds: two members may name each other.
    if (this.#failures < round || (this.#hint !== undefined && this.#failures < 2 * round)) return undefined
    this.#delay = Math.min(config.backoffMost, Math.max(config.backoffLeast, this.#delay * 2))
    this.notBefore = now + Math.ceil(this.#delay * (0.5 + random()))
    return jobs
  }

  get #side(): 'near' | 'far' {
    return this.near ? 'near' : 'far'
  }
}
