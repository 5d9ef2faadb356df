import type { Entry } from '../core/entry.ts'
import type { JobId } from '../core/io.ts'
import { BlobTooLargeError } from '../errors.ts'
import { MAX_RESULT_BYTES, StoredValue } from '../program/stored-value.ts'
import { decodeValue } from '../program/values.ts'
import type { BlobExchange } from './blob-exchange.ts'
import { readName } from './blob-names.ts'
import type { JobHolders } from './job-holders.ts'
import { inBackground, type Timer } from '@jel/overlay'

/** Maximum bytes of the encoded name of a blob. A larger value is no such name. A guess. */
const MAX_NAME = 256
/**
 * Wait before a new attempt after a failed fetch of a blob, and longest wait, ms. The wait doubles
 * each time. Guesses. It is possible that nobody has the blob that a worker named.
 */
const [RETRY_AFTER, MAX_RETRY_AFTER] = [10_000, 600_000]

interface LargeResultsParts {
  readonly exchange: Pick<BlobExchange, 'fetch' | 'has'>
  readonly holders: Pick<JobHolders, 'all' | 'isReplica'>
  /**
   * Pins a blob of a job for a holder of pins. The store may evict it for other files of its owner.
   */
  readonly pin: (hash: string, job: JobId, holder: string) => void
  readonly unpin: (holder: string) => void
  readonly warn: (code: string, message: string, job: JobId) => void
}

/**
 * The results of ended jobs that are blobs. Each replica of such a job fetches and pins the blob.
 * It fetches one blob after the other.
 */
export class LargeResults {
  readonly #parts: LargeResultsParts
  readonly #hashes = new Map<JobId, string>()
  /** Jobs whose blobs are here, or on their way. */
  readonly #kept = new Set<JobId>()
  #fetches: Promise<void> = Promise.resolve()
  #timer: Timer | undefined
  #wait = RETRY_AFTER

  constructor(parts: LargeResultsParts) {
    this.#parts = parts
  }

  close(): void {
    this.#hashes.clear()
    this.#kept.clear()
    clearTimeout(this.#timer)
  }

  /** A job has ended, or has another outcome than before. */
  ended(id: JobId, entry: Entry | undefined): void {
    this.forget(id)
    const hash = entry && blobOf(entry)
    if (hash === undefined) return
    this.#hashes.set(id, hash)
    this.#keep(id, hash)
  }

  forget(id: JobId): void {
    this.#hashes.delete(id)
    this.#release(id)
  }

  /** The store has evicted the files of this holder of pins. The other replicas may have them. */
  evicted(holder: string): void {
    for (const id of this.#kept) {
      if (holderOf(id) !== holder) continue
      this.forget(id)
      this.#parts.warn('BLOB_TOO_LARGE', 'this member no longer keeps the result of the job: it needs the disk for other jobs', id)
    }
  }

  /** Members came or went, so this member may be a replica of other jobs. */
  keepAll(): void {
    for (const [id, hash] of this.#hashes) this.#keep(id, hash)
  }

  /** Keeps a result if this member is a replica of the job, and releases it otherwise. */
  #keep(id: JobId, hash: string): void {
    const { holders, pin } = this.#parts
    const isReplica = holders.isReplica(id)
    if (this.#kept.has(id) === isReplica) return
    // The file stays until the disk needs its room.
    if (!isReplica) {
      this.#release(id)
      return
    }
    this.#kept.add(id)
    pin(hash, id, holderOf(id))
    this.#fetches = this.#fetches.then(async () => await this.#fetch(id, hash)).catch(() => {})
  }

  #release(id: JobId): void {
    if (this.#kept.delete(id)) this.#parts.unpin(holderOf(id))
  }

  async #fetch(id: JobId, hash: string): Promise<void> {
    const { exchange, holders } = this.#parts
    const isWanted = (): boolean => this.#kept.has(id) && this.#hashes.get(id) === hash
    if (!isWanted()) return
    try {
      if (!(await exchange.has(hash))) await exchange.fetch(hash, () => (isWanted() ? holders.all(id) : []), MAX_RESULT_BYTES)
      this.#wait = RETRY_AFTER
    } catch (error) {
      if (isWanted()) this.#failed(id, error)
    }
  }

  #failed(id: JobId, error: unknown): void {
    const { code = 'BLOB_MISSING', message = String(error) } = error as { readonly code?: string; readonly message?: string }
    this.#parts.warn(code, `its result is not kept here: ${message}`, id)
    if (error instanceof BlobTooLargeError && error.isForGood) {
      this.forget(id)
      return
    }
    this.#release(id)
    this.#timer ??= inBackground(
      setTimeout(() => {
        this.#timer = undefined
        this.#wait = Math.min(2 * this.#wait, MAX_RETRY_AFTER)
        this.keepAll()
      }, this.#wait),
    )
  }
}

/** The holder of the pin of a result. The job's other files have a holder of their own. */
function holderOf(id: JobId): string {
  return `${id}/result`
}

/** Returns the hash of the blob that is the result of a job; undefined if it is no blob. */
export function blobOf({ outcome }: Entry): string | undefined {
  if ('failure' in outcome || outcome.value.length > MAX_NAME) return undefined
  try {
    const value = decodeValue(outcome.value)
    return value instanceof StoredValue ? readName(value.blob)?.hash : undefined
  } catch {
    // The value is no blob name: a dishonest worker made it up.
    return undefined
  }
}
