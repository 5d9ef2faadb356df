import { BlobMissingError } from '../errors.ts'
import type { BlobSource } from '../executors/container.ts'
import { partSizes, sizeOf, type ListedBlob } from './blob-list.ts'
import { pause } from '@jel/overlay'

/**
 * A part counts as missing after this many rounds of requests, with this wait between rounds, ms.
 * Guesses: a member that is still being dialled may have the part.
 */
const ROUNDS = 3
const ASK_AGAIN = 2000
/**
 * After a failed fetch of a job's files, this member waits at least this long before the next
 * attempt, ms. A guess.
 */
const KEEP_AGAIN = 15_000

/**
 * Returns the checked bytes of a hash, at most `size` of them.
 * @throws BlobMissingError; errors of `put` of the store
 */
type Fetch = (hash: string, size?: number) => Promise<Uint8Array>

/**
 * The blobs of one job at this member. This fetches one part after the other, so a program cannot
 * cause many requests at once.
 */
export class JobBlobs {
  readonly size: number
  /**
   * Whether the blobs exceed this member's disk limit. Then this member does not request them
   * again.
   */
  isTooLarge = false
  readonly #program: string
  readonly #blobs: ReadonlyMap<string, ListedBlob>
  readonly #fetch: Fetch
  #last: Promise<void> = Promise.resolve()
  #keeping: Promise<void> | undefined
  #failedAt = -Infinity
  #isKept = false
  /** How often the store has evicted files of the job. */
  #evictions = 0

  /** @param program the hash of the job's program */
  constructor(program: string, blobs: readonly ListedBlob[], fetch: Fetch) {
    this.#program = program
    this.#blobs = new Map(blobs.map((blob) => [blob.name, blob]))
    this.#fetch = fetch
    this.size = sizeOf(blobs)
  }

  /** @throws BlobMissingError if the job has no blob of this name */
  open(name: string): BlobSource {
    const blob = this.#blobs.get(name)
    if (blob === undefined) {
      const known = this.#blobs.size === 0 ? 'none' : [...this.#blobs.keys()].slice(0, 10).join(', ')
      throw new BlobMissingError(`the job has no blob ${name}; it has ${known}`)
    }
    return { size: blob.size, parts: this.#partsOf(blob) }
  }

  /** The hashes of all files that a worker needs besides the input. */
  get hashes(): readonly string[] {
    return [this.#program, ...[...this.#blobs.values()].flatMap(({ parts }) => parts)]
  }

  /** The store has evicted files of the job. */
  evicted(): void {
    this.#isKept = false
    this.#evictions++
  }

  /** Whether files are missing, no fetch is under way, and no recent attempt failed. */
  get mayKeep(): boolean {
    return !this.#isKept && this.#keeping === undefined && performance.now() - this.#failedAt >= KEEP_AGAIN
  }

  /** Fetches all missing blobs and the program, so that other members can get them here. */
  async keep(): Promise<void> {
    if (this.#isKept) return
    this.#keeping ??= this.#keepAll().finally(() => (this.#keeping = undefined))
    await this.#keeping
  }

  async #keepAll(): Promise<void> {
    const evictions = this.#evictions
    try {
      await this.#fetch(this.#program)
      for (const blob of this.#blobs.values()) for (const part of this.#partsOf(blob)) await part()
      if (evictions !== this.#evictions) throw new BlobMissingError('files of the job made way while others came')
      this.#isKept = true
    } catch (error) {
      this.#failedAt = performance.now()
      throw error
    }
  }

  #partsOf({ name, size, parts }: ListedBlob): (() => Promise<Uint8Array>)[] {
    const sizes = partSizes(size)
    return parts.map((hash, index) => async () => await this.#get(name, hash, sizes[index] as number))
  }

  async #get(name: string, hash: string, size: number): Promise<Uint8Array> {
    const getting = this.#last.then(async () => await this.#try(name, hash, size))
    // A job stays for a week. A promise of bytes would keep these in memory for as long.
    this.#last = getting.then(
      () => {},
      () => {},
    )
    return await getting
  }

  async #try(name: string, hash: string, size: number): Promise<Uint8Array> {
    for (let round = 1; ; round++) {
      try {
        const bytes = await this.#fetch(hash, size)
        if (bytes.length === size) return bytes
        throw new Error(`${hash} has ${bytes.length} bytes, not ${size}`)
      } catch (error) {
        // This disk has no room. Another request would not help.
        if (isOwnFault(error)) throw error
        if (round < ROUNDS) await pause(ASK_AGAIN, { background: true })
        else throw new BlobMissingError(`the blob ${name}: ${error instanceof Error ? error.message : String(error)}, asked ${round} times`)
      }
    }
  }
}

/**
 * Whether this member is to blame. If other members lack the blob, the error has no code or is a
 * BlobMissingError.
 */
function isOwnFault(error: unknown): boolean {
  return error instanceof Error && 'code' in error && !(error instanceof BlobMissingError)
}
