import type { Member, Pool } from '@jel/jel'
import type { JobId } from '../core/io.ts'
import type { PublishedJob } from './job-record.ts'
import { meets } from './requirements.ts'

interface OpenJobs {
  ids(): readonly JobId[]
  get(id: JobId): PublishedJob | undefined
}

/** Open jobs with requirements that this member meets. */
export class MetRequirements {
  readonly #pool: Pick<Pool, 'self' | 'addEventListener'>
  readonly #jobs: () => OpenJobs
  readonly #begin: (job: PublishedJob) => void
  readonly #met = new Set<JobId>()
  readonly #stop = new AbortController()

  /** @param begin called for a job that this member meets only now */
  constructor(pool: Pick<Pool, 'self' | 'addEventListener'>, jobs: () => OpenJobs, begin: (job: PublishedJob) => void) {
    this.#pool = pool
    this.#jobs = jobs
    this.#begin = begin
  }

  start(): void {
    this.#pool.addEventListener('updated', ({ detail }) => this.#updated(detail), { signal: this.#stop.signal })
  }

  close(): void {
    this.#stop.abort()
  }

  published({ id, requirements }: PublishedJob): void {
    if (requirements !== undefined && meets(this.#pool.self, requirements)) this.#met.add(id)
  }

  forget(id: JobId): void {
    this.#met.delete(id)
  }

  /**
   * The constants of this member may have changed: it may meet the requirements of open jobs now.
   */
  #updated({ id: member }: Member): void {
    if (member !== this.#pool.self.id) return
    for (const id of this.#jobs().ids()) {
      const job = this.#jobs().get(id)
      if (job?.requirements === undefined || this.#met.has(id) || !meets(this.#pool.self, job.requirements)) continue
      this.#met.add(id)
      this.#begin(job)
    }
  }
}
