import { defaultSchedulerConfig, type Effect, type Input, type JobId, type Path } from '@jel/compute/internals'
import type { Milliseconds } from '@jel/protocol'
import { isActive } from '../truth/actor.ts'
import type { ComputeNode } from './compute-node.ts'
import type { Break, JobCheck } from './job-check.ts'
import type { Jobs } from './jobs.ts'
import type { KnownResults } from './known-results.ts'

const { eagerAfter, backoffMost } = defaultSchedulerConfig

/**
 * The longest time that a member may idle while tasks wait, ms. A guess: the delay of eager
 * scheduling, and three requests after the longest pauses.
 */
const mayIdle = eagerAfter + 3 * backoffMost
/**
 * The check judges no member for this time after a cut or its end, ms. Meanwhile members find lost
 * members and dial them. Simulated: the halves of a cut know all deaths after 7.4 s.
 */
const settle: Milliseconds = 10_000

/** Tasks and workers of one member. */
interface Load {
  /**
   * The number of effects that each worker received (`sent`), and the number that it had handled
   * when it last became idle (`seen`).
   */
  readonly sent: number[]
  readonly seen: number[]
  /** A worker has been idle since this time. */
  idleSince: Milliseconds | undefined
  /** The time when a worker last got an effect. */
  givenAt: Milliseconds
  /** The tasks that wait here for a worker, by job. */
  readonly waiting: Map<JobId, Set<Path>>
}

/**
 * Checks that no member idles for longer than `mayIdle` while tasks wait for a worker at any
 * member.
 */
export class IdleMembers implements JobCheck {
  readonly #jobs: Jobs
  readonly #results: KnownResults
  readonly #break: Break
  readonly #loads = new Map<ComputeNode, Load>()
  /**
   * `count`: the waiting tasks of a job at all members. `since`: tasks have waited without
   * interruption since this time.
   */
  readonly #waiting = new Map<JobId, { count: number; since: Milliseconds }>()

  constructor(jobs: Jobs, results: KnownResults, breaks: Break) {
    this.#jobs = jobs
    this.#results = results
    this.#break = breaks
  }

  /** Removes the waiting tasks of a member that is gone. */
  left(member: ComputeNode): void {
    for (const [job, paths] of this.#loads.get(member)?.waiting ?? []) for (const path of paths) this.#taken(member, job, path)
    this.#loads.delete(member)
  }

  took(member: ComputeNode, input: Input): void {
    switch (input.type) {
      case 'spawned':
        for (const { step } of input.children) this.#waits(member, input.job, input.path + step)
        return
      case 'idle': {
        const load = this.#of(member)
        load.seen[input.slot] = input.seen
        if (load.sent[input.slot] === input.seen) load.idleSince ??= this.#now
        return
      }
      case 'message':
        // The member first looks up a task with `replay`. Such a task does not wait yet.
        if (input.message.type === 'work')
          for (const { job, path, replay } of input.message.tasks) if (!replay) this.#waits(member, job, path)
        return
      default:
    }
  }

  did(member: ComputeNode, effect: Effect): void {
    switch (effect.type) {
      case 'run':
        this.#given(member, effect.slot)
        this.#taken(member, effect.job, effect.task.path)
        return
      case 'deliver':
        this.#given(member, effect.slot)
        return
      case 'forget':
      case 'ended': {
        const below = effect.type === 'forget' ? effect.path : ''
        for (const path of this.#of(member).waiting.get(effect.job) ?? []) {
          if (path.startsWith(below)) this.#taken(member, effect.job, path)
        }
        return
      }
      case 'send':
        if (effect.message.type === 'work') for (const { job, path } of effect.message.tasks) this.#taken(member, job, path)
        if (effect.message.type === 'awaiting') for (const path of effect.message.paths) this.#taken(member, effect.message.job, path)
        return
      default:
    }
  }

  look(now: Milliseconds): void {
    for (const [job, state] of this.#waiting) {
      // In a job with votes, the idle members may be unable to take the waiting tasks.
      if (this.#jobs.truth.scenario.jobs.some(({ name, votes }) => name === job && votes > 1)) continue
      this.#dropDone(job)
      const since = Math.max(state.since, this.#jobs.truth.lastTrouble + settle)
      if (state.count === 0 || now - since < mayIdle) continue
      for (const [member, { idleSince, givenAt, waiting }] of this.#loads) {
        // A member far from the tasks steals them one by one. They may not suffice for all its
        // workers.
        const isFed = (waiting.get(job)?.size ?? 0) === 0
        if (idleSince === undefined || now - Math.max(idleSince, since, isFed ? givenAt : 0) < mayIdle) continue
        if (!member.jobs.has(job) || member.ended.has(job) || !isActive(this.#jobs.actorOf(member))) continue
        this.#break(member, `has idled for ${((now - idleSince) / 1_000).toFixed(1)}s while ${state.count} tasks of ${job} wait`)
      }
    }
  }

  get #now(): Milliseconds {
    return this.#jobs.truth.testbed.now
  }

  #of(member: ComputeNode): Load {
    let load = this.#loads.get(member)
    if (load === undefined) {
      const none = Array.from({ length: member.workers }, () => 0)
      load = {
        sent: [...none],
        seen: [...none],
        idleSince: member.workers > 0 ? this.#now : undefined,
        givenAt: -Infinity,
        waiting: new Map(),
      }
      this.#loads.set(member, load)
    }
    return load
  }

  #given(member: ComputeNode, slot: number): void {
    const load = this.#of(member)
    load.sent[slot] = (load.sent[slot] ?? 0) + 1
    load.givenAt = this.#now
    if (load.sent.every((sent, each) => sent !== load.seen[each])) load.idleSince = undefined
  }

  #waits(member: ComputeNode, job: JobId, path: Path): void {
    if (this.#results.has(member, job, path)) return
    const { waiting } = this.#of(member)
    let paths = waiting.get(job)
    if (paths === undefined) waiting.set(job, (paths = new Set()))
    if (paths.has(path)) return
    paths.add(path)
    const all = this.#waiting.get(job)
    if (all === undefined) this.#waiting.set(job, { count: 1, since: this.#now })
    else if (all.count++ === 0) all.since = this.#now
  }

  #taken(member: ComputeNode, job: JobId, path: Path): void {
    const all = this.#waiting.get(job)
    if (all !== undefined && this.#loads.get(member)?.waiting.get(job)?.delete(path) === true) all.count--
  }

  /** Removes waiting tasks that have an outcome by now. */
  #dropDone(job: JobId): void {
    for (const [member, { waiting }] of this.#loads) {
      for (const path of waiting.get(job) ?? []) if (this.#results.has(member, job, path)) this.#taken(member, job, path)
    }
  }
}
