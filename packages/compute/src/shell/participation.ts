import { BlobTooLargeError } from '../errors.ts'
import type { PlacedProgram } from '../executors/container.ts'
import type { BlobStore } from './blob-store.ts'
import type { Endings } from './endings.ts'
import type { JobBlobs } from './job-blobs.ts'
import type { JobFiles } from './job-files.ts'
import type { JobHolders } from './job-holders.ts'
import type { PublishedJob } from './job-record.ts'
import type { PublishedJobs } from './published-jobs.ts'
import type { Runner } from './runner.ts'
import { pause } from '@jel/overlay'

/** If no member had a file, this member requests it again after this time, ms. A guess. */
const FETCH_AGAIN = 2000
/** `FETCH_AGAIN` doubles up to this limit, ms. A guess. */
const FETCH_SELDOM = 300_000
/**
 * A late member asks at most `MAX_ASKED` times whether a job is over. It waits `ANSWER_TIME` ms for
 * each answer, and checks for the answer every `LOOK_AGAIN` ms. Measured: on a busy machine six
 * results of 500 KB took 0.3 to 2.1 s.
 */
const [MAX_ASKED, ANSWER_TIME, LOOK_AGAIN] = [5, 2000, 100]

interface ParticipationParts {
  readonly store: BlobStore
  readonly jobs: PublishedJobs
  readonly files: JobFiles
  readonly holders: JobHolders
  readonly runner: Runner
  readonly endings: Endings
  readonly placeOf: (job: PublishedJob) => PlacedProgram['place'] | undefined
  readonly warn: (code: string, message: string, job: string) => void
}

/**
 * Takes part in jobs. This member keeps outcomes of others at once. It runs tasks as soon as all
 * files of the job are here.
 */
export class Participation {
  readonly #parts: ParticipationParts
  readonly #stop = new AbortController()

  constructor(parts: ParticipationParts) {
    this.#parts = parts
  }

  close(): void {
    this.#stop.abort()
  }

  async begin(job: PublishedJob, fresh: boolean): Promise<void> {
    const { runner, jobs, files, store, endings, placeOf, warn } = this.#parts
    const { id, owner, program, fn, input: inlineInput, inputBlob, votes, requirements, after, maxTime, trusted, desired } = job
    const submitted = jobs.submittedAt(job)
    const stated = { id, owner, trusted, fn, input: inlineInput, votes, requirements, after, maxTime, submitted, desired }
    const spec = { ...stated, accepted: false, fresh }
    runner.feed({ type: 'job', spec })
    if (endings.has(id)) this.#watch(id)
    // A job that is over needs no files. So a late member first asks whether the job is over: its
    // files may be large. A restarted member may have the files already.
    const large = inputBlob ?? job.blobs
    if (!fresh && job.desired !== 'cancel' && large !== undefined && !files.has(id) && (await store.size(large)) === undefined)
      await this.#askWhetherOver(job)
    for (let wait = FETCH_AGAIN; job.desired !== 'cancel' && this.#isOpen(job);) {
      let blobs: JobBlobs | undefined
      try {
        const needsProgram = placeOf(job) !== undefined || owner === jobs.owner
        if (this.#isNeededHere(job)) for (const hash of [inputBlob, job.blobs, needsProgram ? program : undefined]) files.pin(hash, id)
        const input = await files.inputOf(job)
        blobs = await files.blobsOf(job)
        const accepted = placeOf(job) !== undefined && blobs.size <= store.limit
        if (accepted) await files.fetch(program, id)
        if (jobs.get(id) !== job) return
        files.set(id, blobs)
        const noRoom =
          blobs.size > store.limit
            ? `its blobs take ${blobs.size} bytes, and this member keeps ${store.limit}: it leaves the job to others`
            : undefined
        if (noRoom !== undefined) warn('BLOB_TOO_LARGE', noRoom, id)
        const isFresh = fresh && wait === FETCH_AGAIN
        runner.feed({ type: 'job', spec: { ...spec, input, accepted, fresh: isFresh, ...(noRoom !== undefined && { noRoom }) } })
        // Starts no program in a sandbox before its first task. Otherwise the records of strangers
        // could start processes everywhere.
        if (fresh && accepted && job.desired === 'run' && placeOf(job) === 'own') runner.warm(id)
        if (endings.has(id)) this.#watch(id)
        files.keepAll()
        return
      } catch (error) {
        if (!this.#isOpen(job)) return
        files.dropped(id)
        if (wait === FETCH_AGAIN) files.warnOf(error, id)
        // The job may be over. Then nobody needs the file.
        runner.feed({ type: 'watch', job: id, once: true })
        if (error instanceof BlobTooLargeError && error.isForGood) {
          // This member leaves the job to others.
          runner.feed({ type: 'job', spec: { ...spec, noRoom: error.message } })
          store.unpin(id)
          if (blobs !== undefined) {
            blobs.isTooLarge = true
            files.set(id, blobs)
          }
          return
        }
        await pause(wait, { signal: this.#stop.signal }).catch(() => {})
        wait = Math.min(2 * wait, FETCH_SELDOM)
      }
    }
  }

  /**
   * Waits until a replica answers that a job is over or goes on. A question may be lost, since the
   * replica may not know this member yet.
   */
  async #askWhetherOver(job: PublishedJob): Promise<void> {
    const { runner, holders } = this.#parts
    const isUnclear = (): boolean => this.#isOpen(job) && !runner.scheduler.isOpenElsewhere(job.id)
    for (let asked = 0; asked < MAX_ASKED && isUnclear(); asked++) {
      runner.feed({ type: 'watch', job: job.id, once: true })
      if (holders.replicas(job.id).length === 0) return
      const begin = performance.now()
      while (isUnclear() && performance.now() - begin < ANSWER_TIME) await pause(LOOK_AGAIN, { background: true })
    }
  }

  /** Whether this member runs the job, keeps it, or belongs to its owner. */
  #isNeededHere(job: PublishedJob): boolean {
    const { runner, jobs, placeOf, holders } = this.#parts
    if (runner.scheduler.ended(job.id) !== undefined) return false
    return job.owner === jobs.owner || placeOf(job) !== undefined || holders.isReplica(job.id)
  }

  /** Whether this member still has work to do for the job. */
  #isOpen(job: PublishedJob): boolean {
    const { jobs, runner } = this.#parts
    return !this.#stop.signal.aborted && jobs.get(job.id) === job && runner.scheduler.ended(job.id) === undefined
  }

  #watch(id: string): void {
    this.#parts.runner.feed({ type: 'watch', job: id })
  }
}
