import type { Effect, Input, JobId, Milliseconds } from '../core/io.ts'
import { ROOT, type Path } from '../core/path.ts'
import type { Shared } from '../core/shared-value.ts'
import { BlobFeed } from './blob-feed.ts'
import type { Container, PlacedProgram } from './container.ts'
import type { FromProgram, ToProgram } from '../program/messages.ts'
import { StoreRequests } from './store-requests.ts'
import { inBackground, type Timer } from '@jel/overlay'

type Run = Extract<Effect, { type: 'run' }>
type Deliver = Extract<Effect, { type: 'deliver' }>
type Report = Exclude<FromProgram, { type: 'unusable' | 'output' }>

/** A program in its container: its tasks, and the messages to and from it. */
export class RunningProgram {
  readonly job: JobId
  readonly container: Container
  isLoaded = false
  ended = false
  /**
   * `sent`: number of runs and deliveries sent to the program. `seen`: number of these that it has
   * handled.
   */
  sent = 0
  seen = 0
  readonly #blobs: BlobFeed
  readonly #stores: StoreRequests
  /**
   * `#latest`: the shared values that the program should know. `#known`: the shared values last
   * sent to it.
   */
  #latest: Shared | undefined
  #known: Shared | undefined
  /** Whether shared values are on their way to the program. */
  #isInforming = false
  /**
   * The program runs tasks of a job with votes. They get only the shared values with which they
   * began.
   */
  #isFrozen = false
  readonly #frames = new Set<Path>()
  /** The tasks that save, and have not saved their last state here. */
  readonly #savers = new Set<Path>()
  #sendQueue: ToProgram[] = []
  /**
   * The paths of the runs and deliveries that wait, in order. The first has been at work since
   * `#since`.
   */
  readonly #pending: Path[] = []
  #since: Milliseconds = performance.now()
  #endTimer: Timer | undefined

  constructor(job: JobId, container: Container, { place, blob, store }: Pick<PlacedProgram, 'place' | 'blob' | 'store'>) {
    this.job = job
    this.container = container
    this.#stores = new StoreRequests(store, (message) => this.#send(message), place === 'own')
    this.#blobs = new BlobFeed(container, blob)
  }

  /** Whether the program has no task. */
  get isIdle(): boolean {
    return this.#frames.size === 0 && this.#pending.length === 0
  }

  /** Whether tasks may still save a last state. */
  get isSaving(): boolean {
    return this.#savers.size > 0
  }

  /** The task that is at work. */
  get atWork(): Path | undefined {
    return this.#pending[0]
  }

  /** Whether the task at work has taken this long, ms. The wait for blobs does not count. */
  exceeds(limit: Milliseconds): boolean {
    const now = performance.now()
    if (this.#blobs.isWaiting) this.#since = now
    return this.#pending.length > 0 && now - this.#since >= limit
  }

  run({ task: { path, fn, input }, shared, split, frozen, saved }: Run): void {
    this.#frames.add(path)
    if (path === ROOT) this.#stores.allow()
    this.#isFrozen = frozen
    if (!frozen) this.#inform(shared)
    this.#send({ type: 'run', path, fn, input, split, ...(frozen && { given: shared }), ...(saved && { saved }) })
    this.#given(path)
  }

  deliver({ path, step, outcome, shared }: Deliver): void {
    if (!this.#isFrozen) this.#inform(shared)
    this.#send({ type: 'deliver', path, step, outcome })
    this.#given(path)
  }

  forget(path: Path): void {
    this.#frames.delete(path)
    this.#savers.delete(path)
    this.#send({ type: 'forget', path })
  }

  /** Lets each task save a last state. */
  stop(): void {
    this.#send({ type: 'stop' })
  }

  /** Sends improved shared values. */
  shared(shared: Shared): void {
    this.#latest = shared
    if (!this.#isInforming) void this.#informLatest()
  }

  /** Handles a message of the program. Returns the resulting inputs of the scheduler. */
  received(message: Report): Input[] {
    const { job } = this
    switch (message.type) {
      case 'ready':
        this.isLoaded = true
        this.#since = performance.now()
        this.#goOn()
        return []
      case 'spawned':
        return this.#frames.has(message.path) ? [{ type: 'spawned', job, path: message.path, children: message.children }] : []
      case 'returned': {
        const { path, outcome, shared, ran } = message
        this.#savers.delete(path)
        return this.#frames.delete(path) ? [{ type: 'returned', job, path, outcome, shared, ran }] : []
      }
      case 'offered':
        return [{ type: 'offered', job, shared: message.shared }]
      case 'saved': {
        const { path, state, last = false } = message
        if (!this.#frames.has(path)) return []
        if (last) this.#savers.delete(path)
        else this.#savers.add(path)
        return state === undefined ? [] : [{ type: 'saved', job, path, state }]
      }
      case 'use':
        this.#blobs.use(message.blob)
        return []
      case 'store':
        this.#stores.take(message)
        return []
      case 'seen':
        this.#pending.splice(0, Math.max(0, message.seen - this.seen))
        this.seen = Math.max(this.seen, Math.min(message.seen, this.sent))
        this.#since = performance.now()
        return []
    }
  }

  /** Calls `end` after a time, unless the program gets a task or finishes loading before. */
  endLater(after: Milliseconds, end: () => void): void {
    this.#endTimer ??= inBackground(setTimeout(end, after))
  }

  /** Nobody needs the tasks of the program any more. */
  abandon(): void {
    this.#frames.clear()
    this.#savers.clear()
  }

  /** The program is gone, or about to end. */
  end(): void {
    this.ended = true
    this.#savers.clear()
    this.#blobs.end()
    this.#goOn()
  }

  #goOn(): void {
    clearTimeout(this.#endTimer)
    this.#endTimer = undefined
  }

  #given(path: Path): void {
    this.#goOn()
    if (this.#pending.length === 0) this.#since = performance.now()
    this.#pending.push(path)
    this.sent++
  }

  /**
   * Sends shared values only when the program has read the previous ones, and then only the latest.
   * Otherwise the backlog would fill this process.
   */
  async #informLatest(): Promise<void> {
    this.#isInforming = true
    while (!this.ended && this.#latest !== undefined && this.#latest !== this.#known) {
      this.#inform(this.#latest)
      // Waits until the messages have gone to the container.
      await Promise.resolve()
      await this.container.taken()
    }
    this.#isInforming = false
  }

  /** Sends shared values. They only improve, so the latest values include all earlier ones. */
  #inform(shared: Shared): void {
    this.#latest = shared
    if (shared === this.#known) return
    this.#known = shared
    this.#send({ type: 'shared', shared })
  }

  #send(message: ToProgram): void {
    this.#sendQueue.push(message)
    if (this.#sendQueue.length > 1) return
    queueMicrotask(() => {
      const messages = this.#sendQueue
      this.#sendQueue = []
      if (!this.ended) this.container.post(messages)
    })
  }
}
