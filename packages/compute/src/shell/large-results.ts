import type { Entry } from '../core/entry.ts'
import type { JobId } from '../core/io.ts'
import { MAX_RESULT_BYTES, StoredValue } from '../program/stored-value.ts'
import { decodeValue } from '../program/values.ts'
import type { BlobExchange } from './blob-exchange.ts'
import { readName } from './blob-names.ts'
import type { JobHolders } from './job-holders.ts'

/** Most bytes of the encoded name of a blob. A larger value is no such name. A guess. */
const MAX_NAME = 256

interface LargeResultsParts {
  readonly exchange: Pick<BlobExchange, 'fetch'>
  readonly holders: Pick<JobHolders, 'all' | 'isReplica'>
  readonly pin: (hash: string, job: JobId) => void
}

/**
 * The results of ended jobs that are blobs. Each replica of such a job fetches and pins its blob.
 */
export class LargeResults {
  readonly #parts: LargeResultsParts
  readonly #hashes = new Map<JobId, string>()
  /** Jobs whose blobs are here, or on their way. */
  readonly #kept = new Set<JobId>()

  constructor(parts: LargeResultsParts) {
    this.#parts = parts
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
    this.#kept.delete(id)
  }

  /** Members came or went, so this member may be a replica of other jobs. */
  keepAll(): void {
    for (const [id, hash] of this.#hashes) this.#keep(id, hash)
  }

  #keep(id: JobId, hash: string): void {
    const { exchange, holders, pin } = this.#parts
    if (this.#kept.has(id) || !holders.isReplica(id)) return
    this.#kept.add(id)
    pin(hash, id)
    // After a failure it is asked for again when members come or go.
    exchange.fetch(hash, () => holders.all(id), MAX_RESULT_BYTES).catch(() => this.#kept.delete(id))
  }
}

/** Returns the hash of the blob that is the result of a job; undefined if it is no blob. */
export function blobOf({ outcome }: Entry): string | undefined {
  if ('failure' in outcome || outcome.value.length > MAX_NAME) return undefined
  try {
    const value = decodeValue(outcome.value)
    return value instanceof StoredValue ? readName(value.blob)?.hash : undefined
  } catch {
    // A worker made it up.
    return undefined
  }
}
