import type { Pool } from '@jel/jel'
import type { Entry } from '../core/entry.ts'
import type { JobId } from '../core/io.ts'
import type { JobExplanation } from '../core/messages.ts'
import type { JobView } from '../core/job-view.ts'
import { JobNotKeptError } from '../errors.ts'
import type { JobSource } from '../job-source.ts'
import type { Engine } from './engine.ts'
import type { JobRecord, PublishedJob } from './job-record.ts'
import type { NumberedOutput } from './output-log.ts'
import { pause } from '@jel/overlay'

/** Interval of the checks whether another member keeps a job, ms. A guess. */
const KEEP_AGAIN = 100
/**
 * Time in which replicas must learn of a cancellation, ms. It exceeds the time-out of a request
 * (3 s). A guess.
 */
const CANCEL_TIME = 5000

/** The jobs of a pool, for their handles at this member. */
export class PoolJobSource implements JobSource {
  readonly #pool: Pool
  readonly #engine: Engine

  constructor(pool: Pool, engine: Engine) {
    this.#pool = pool
    this.#engine = engine
  }

  get closed(): boolean {
    return this.#engine.closed
  }

  published(id: JobId): PublishedJob | undefined {
    return this.#engine.jobs.get(id)
  }

  status(id: JobId): JobView | undefined {
    return this.#engine.runner.scheduler.job(id)
  }

  replicas(id: JobId): readonly string[] {
    return this.#engine.runner.scheduler.replicas(id)
  }

  whyWaiting(id: JobId, hasBegun: boolean): string {
    return this.#engine.whyWaiting(id, hasBegun)
  }

  watch(id: JobId, within = Infinity): void {
    this.#engine.runner.feed({ type: 'watch', job: id, within })
  }

  async explain(id: JobId, ms: number): Promise<JobExplanation> {
    return await this.#engine.explanations.of(id, ms, () => this.#engine.runner.feed({ type: 'explain', job: id }))
  }

  async outcomes(id: JobId, paths: readonly string[], ms: number): Promise<readonly Entry[]> {
    return await this.#engine.outcomes.of(id, ms, () => this.#engine.runner.feed({ type: 'read', job: id, paths }))
  }

  async output(id: JobId): Promise<readonly NumberedOutput[]> {
    return await this.#engine.output.of(id)
  }

  async made(id: JobId, hash: string, maxBytes: number): Promise<Uint8Array> {
    return await this.#engine.blobs.read(hash, () => this.#engine.holders.all(id), maxBytes)
  }

  async kept(id: JobId, within: number): Promise<string> {
    let asked: readonly string[] = []
    for (const end = performance.now() + within; !this.closed && this.#engine.jobs.has(id);) {
      asked = this.#engine.holders.replicas(id)
      for (const member of asked) if (await this.#engine.confirmations.ask(member, id, undefined, end - performance.now())) return member
      if (this.#engine.runner.scheduler.ended(id) !== undefined) return this.#pool.self.id
      if (performance.now() > end) break
      await pause(KEEP_AGAIN)
    }
    const why = asked.length === 0 ? 'nobody else computes in this pool' : `none of ${asked.length} members has taken all of it`
    throw new JobNotKeptError(`the job is at this member alone, and would be lost with it: ${why}`)
  }

  async ended(id: JobId, ms?: number): Promise<Entry | undefined> {
    const isOver = this.closed || !this.#engine.jobs.has(id) || this.#engine.runner.scheduler.ended(id) !== undefined
    if (!isOver) await this.#engine.endings.wait(id, ms)
    return this.status(id)?.entry
  }

  async setDesired(id: JobId, desired: JobRecord['desired']): Promise<void> {
    await this.#engine.jobs.setDesired(id, desired)
    // The job ends here once replicas have answered that they stopped, or that the job has an
    // outcome.
    if (desired === 'cancel') await this.ended(id, CANCEL_TIME)
    else await this.#engine.untilKnown(id, desired)
  }

  async forget(id: JobId): Promise<void> {
    await this.#engine.jobs.withdraw(id)
    await this.#engine.untilKnown(id, 'forget')
  }
}
