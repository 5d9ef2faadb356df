import {
  defaultSchedulerConfig,
  ROOT,
  stepsOf,
  type Effect,
  type Input,
  type JobId,
  type MemberId,
  type Message,
  type Path,
} from '@jel/compute/internals'
import type { Milliseconds } from '@jel/protocol'
import type { ScenarioJob } from '../scenario/jobs.ts'
import type { ComputeNode } from './compute-node.ts'
import { ResultTable } from './result-table.ts'
import type { Break, JobCheck } from './job-check.ts'

const { requestTimeout } = defaultSchedulerConfig

/** One member's knowledge of one job. */
interface Known {
  readonly results: ResultTable
  /** The results that the member received in reports, as a replica. */
  readonly reported: ResultTable
  readonly running: Set<Path>
  ended: boolean
}

/** An open lookup at replicas. */
interface Lookup {
  readonly until: Milliseconds
  readonly asked: Set<MemberId>
}

/** An open lookup by another member. `told` has the paths with an answer so far. */
interface Question {
  readonly paths: readonly Path[]
  readonly told: Set<Path>
}

/**
 * Checks that result tables only grow. A member knows the tasks that it computed and the tasks that
 * other members reported to it. It never begins a known task again, and never gives it away. It
 * reports known tasks to any member that looks them up. A done job stays done. This class follows
 * the scheduler's inputs and effects.
 */
export class KnownResults implements JobCheck {
  readonly #break: Break
  readonly #votes: ReadonlyMap<JobId, number>
  readonly #known = new Map<ComputeNode, Map<JobId, Known>>()
  readonly #lookups = new Map<ComputeNode, Map<number, Lookup>>()
  readonly #questions = new Map<ComputeNode, Map<string, Question>>()
  readonly #listeners: ((member: ComputeNode, job: JobId, path: Path) => void)[] = []

  constructor(jobs: readonly ScenarioJob[], breaks: Break) {
    this.#break = breaks
    this.#votes = new Map(jobs.map(({ name, votes }) => [name, votes]))
  }

  has(member: ComputeNode, job: JobId, path: Path): boolean {
    return this.#known.get(member)?.get(job)?.results.has(path) === true
  }

  /** Whether a replica received this task in a report. */
  wasReported(member: ComputeNode, job: JobId, path: Path): boolean {
    return this.#known.get(member)?.get(job)?.reported.has(path) === true
  }

  /** Calls the listener for each task that a member has computed itself. */
  listen(listener: (member: ComputeNode, job: JobId, path: Path) => void): void {
    this.#listeners.push(listener)
  }

  took(member: ComputeNode, input: Input): void {
    switch (input.type) {
      case 'returned':
        this.#returned(member, input.job, input.path)
        return
      case 'gone':
        for (const { asked } of this.#lookups.get(member)?.values() ?? []) asked.delete(input.id)
        return
      case 'message':
        this.#heard(member, input)
        return
      default:
    }
  }

  did(member: ComputeNode, effect: Effect): void {
    switch (effect.type) {
      case 'run': {
        const known = this.#of(member, effect.job)
        if (known.results.has(effect.task.path))
          this.#break(member, `begins a task of ${effect.job} that it knows to be done: ${name(effect.task.path)}`)
        known.running.add(effect.task.path)
        return
      }
      case 'forget':
        this.#of(member, effect.job).running.delete(effect.path)
        return
      case 'ended':
        this.#ended(member, effect)
        return
      case 'send':
        this.#said(member, effect)
        return
      default:
    }
  }

  #returned(member: ComputeNode, job: JobId, path: Path): void {
    const known = this.#of(member, job)
    // The result of an abandoned frame does not count.
    if (!known.running.delete(path) || this.#votes.get(job) !== 1 || known.results.has(path)) return
    known.results.add(path)
    for (const listener of this.#listeners) listener(member, job, path)
  }

  #heard(member: ComputeNode, { from, message }: Extract<Input, { type: 'message' }>): void {
    if (!member.view.has(from)) return
    switch (message.type) {
      case 'result':
      case 'report':
        if (member.jobs.has(message.job)) this.#told(member, message)
        return
      case 'found': {
        const lookup = this.#lookups.get(member)?.get(message.request)
        if (lookup?.asked.has(from) !== true) return
        if (message.last) lookup.asked.delete(from)
        if (member.node.now < lookup.until) this.#told(member, message)
        return
      }
      case 'lookup':
        if (member.jobs.has(message.job))
          mapOf(this.#questions, member).set(`${from} ${message.request}`, { paths: message.paths, told: new Set() })
        return
      default:
    }
  }

  #told(member: ComputeNode, { type, job, entries }: Extract<Message, { type: 'result' | 'report' | 'found' }>): void {
    const { results, reported } = this.#of(member, job)
    const votes = this.#votes.get(job) ?? 1
    for (const { path, votes: cast = [] } of entries) {
      if (votes > 1 && cast.length < votes) continue
      results.add(path)
      if (type === 'report') reported.add(path)
    }
  }

  #said(member: ComputeNode, { to, message }: Extract<Effect, { type: 'send' }>): void {
    switch (message.type) {
      case 'work':
        for (const { job, path } of message.tasks) {
          if (this.has(member, job, path)) this.#break(member, `gives away a task of ${job} that it knows to be done: ${name(path)}`)
        }
        return
      case 'lookup': {
        const lookups = mapOf(this.#lookups, member)
        const lookup = lookups.get(message.request) ?? { until: member.node.now + requestTimeout, asked: new Set() }
        lookups.set(message.request, lookup)
        lookup.asked.add(to)
        return
      }
      case 'found': {
        const questions = this.#questions.get(member)
        const key = `${to} ${message.request}`
        const question = questions?.get(key)
        if (question === undefined) return
        for (const { path } of message.entries) question.told.add(path)
        if (!message.last) return
        questions?.delete(key)
        this.#checkAnswer(member, message.job, question)
        return
      }
      default:
    }
  }

  #checkAnswer(member: ComputeNode, job: JobId, { paths, told }: Question): void {
    const { results } = this.#of(member, job)
    for (const path of paths) {
      for (const each of results.has(path) ? [path] : results.within(path)) {
        if (!isTold(each, told))
          this.#break(member, `has lost what it knew of ${job}: asked for ${name(path)}, it does not tell of ${name(each)}`)
      }
    }
  }

  #ended(member: ComputeNode, { job, entry }: Extract<Effect, { type: 'ended' }>): void {
    const known = this.#of(member, job)
    if (known.ended) this.#break(member, `ends ${job} twice`)
    known.ended = true
    if (entry !== undefined) known.results.add(entry.path)
  }

  #of(member: ComputeNode, job: JobId): Known {
    const jobs = mapOf(this.#known, member)
    let known = jobs.get(job)
    if (known === undefined)
      jobs.set(job, (known = { results: new ResultTable(), reported: new ResultTable(), running: new Set(), ended: false }))
    return known
  }
}

function mapOf<Key, Value>(maps: Map<ComputeNode, Map<Key, Value>>, member: ComputeNode): Map<Key, Value> {
  let map = maps.get(member)
  if (map === undefined) maps.set(member, (map = new Map<Key, Value>()))
  return map
}

/** Returns true if the answer has an entry for the task or for a task above it. */
function isTold(path: Path, told: ReadonlySet<Path>): boolean {
  let above = ROOT
  if (told.has(above)) return true
  for (const step of stepsOf(path)) {
    above += step
    if (told.has(above)) return true
  }
  return false
}

/** Formats a path for people. */
function name(path: Path): string {
  return path === '' ? 'the root' : path
}
