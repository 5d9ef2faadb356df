import { GroupError } from '../errors.ts'
import type { Outcome } from './messages.ts'
import { ownerOf } from './place.ts'
import type { StartResult } from './wanted.ts'

/** Text that a rank has written. */
export interface RankOutput {
  readonly rank: number
  readonly stream: 'stdout' | 'stderr'
  readonly text: string
}

/** A group, for the member that started it. That member may also have ranks of the group. */
export class GroupRun {
  readonly id: string
  readonly #stop: (why: string) => void
  readonly #started = Promise.withResolvers<void>()
  readonly #ended = Promise.withResolvers<readonly Outcome[]>()
  readonly #outcomes = new Map<number, Outcome>()
  readonly #listeners = new Set<(output: RankOutput) => void>()
  #members: readonly string[] = []

  /** @internal */
  constructor(id: string, stop: (why: string) => void) {
    this.id = id
    this.#stop = stop
    this.#started.promise.catch(() => {})
  }

  /**
   * The members, by rank at the start. Members whose ranks joined later come after them. A member
   * may have several ranks.
   */
  get members(): readonly string[] {
    return this.#members
  }

  /**
   * Resolves with the outcome of each rank: its result, or its error. A rank whose member died has
   * an error that begins with `RANK_LOST`. Never rejects.
   */
  get ended(): Promise<readonly Outcome[]> {
    return this.#ended.promise
  }

  /**
   * Calls a function with the output of all ranks.
   *
   * @returns a function that ends the calls
   */
  onOutput(listener: (output: RankOutput) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Ends all ranks: their signals abort. */
  stop(): void {
    this.#stop('the group was stopped')
  }

  /** @internal */
  get hasStarted(): Promise<void> {
    return this.#started.promise
  }

  /** @internal */
  started(result: StartResult): void {
    if ('ranks' in result) {
      this.#members = result.ranks.map(ownerOf)
      this.#started.resolve()
    } else this.#started.reject(new GroupError(result.code, result.message))
  }

  /** @internal */
  joined(places: readonly string[]): void {
    this.#members = [...this.#members, ...places.map(ownerOf)]
  }

  /** @internal Returns whether all ranks have ended. */
  outcome(rank: number, outcome: Outcome): boolean {
    this.#outcomes.set(rank, outcome)
    if (this.#outcomes.size < this.#members.length) return false
    this.#ended.resolve(this.#members.map((_, at) => this.#outcomes.get(at) as Outcome))
    return true
  }

  /** @internal */
  output(rank: number, text: string, stream: 'stdout' | 'stderr'): void {
    for (const listener of this.#listeners) listener({ rank, stream, text })
  }

  /** @internal This member leaves the pool, or closes its allocator. */
  close(reason: string): void {
    this.#started.reject(new GroupError('STOPPED', reason))
    this.#ended.resolve(this.#members.map((_, at) => this.#outcomes.get(at) ?? { error: `STOPPED: ${reason}` }))
  }
}
