import { setTimeout as sleep } from 'node:timers/promises'
import { BlobMissingError } from '../errors.ts'
import type { BlobSource } from '../executors/container.ts'
import { partSizes, sizeOf, type ListedBlob } from './blob-list.ts'

/** How often members are asked for a part before it counts as missing, and how long after, ms. Guesses: a member that is being dialled is there. */
const ROUNDS = 3
const ASK_AGAIN = 2000

/** Gives the bytes of a hash, checked, if they are at most so many. @throws BlobMissingError; what `put` of the store throws */
type Fetch = (hash: string, size?: number) => Promise<Uint8Array>

/** The blobs of one job at this member. They are fetched one part after the other, so a program can't make it ask for many at once. */
export class JobBlobs {
  readonly size: number
  /** All of it is here, the program too. */
  isKept = false
  /** It takes more than this member keeps: it is not asked for again. */
  isTooLarge = false
  readonly #program: string
  readonly #blobs: ReadonlyMap<string, ListedBlob>
  readonly #fetch: Fetch
  #last: Promise<unknown> = Promise.resolve()
  #keeping: Promise<void> | undefined

  /** `program`: the hash of the job's. */
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

  /** Of all that a worker needs besides the input. */
  get hashes(): readonly string[] {
    return [this.#program, ...[...this.#blobs.values()].flatMap(({ parts }) => parts)]
  }

  /** Fetches all that is not here yet, the program too, for others. */
  async keep(): Promise<void> {
    if (this.isKept) return
    this.#keeping ??= this.#keepAll().finally(() => (this.#keeping = undefined))
    await this.#keeping
  }

  async #keepAll(): Promise<void> {
    await this.#fetch(this.#program)
    for (const blob of this.#blobs.values()) for (const part of this.#partsOf(blob)) await part()
    this.isKept = true
  }

  #partsOf({ name, size, parts }: ListedBlob): (() => Promise<Uint8Array>)[] {
    const sizes = partSizes(size)
    return parts.map((hash, index) => async () => await this.#get(name, hash, sizes[index] as number))
  }

  async #get(name: string, hash: string, size: number): Promise<Uint8Array> {
    const getting = this.#last.then(async () => await this.#try(name, hash, size))
    this.#last = getting.catch(() => {})
    return await getting
  }

  async #try(name: string, hash: string, size: number): Promise<Uint8Array> {
    for (let round = 1; ; round++) {
      try {
        const bytes = await this.#fetch(hash, size)
        if (bytes.length === size) return bytes
        throw new Error(`${hash} has ${bytes.length} bytes, not ${size}`)
      } catch (error) {
        // This disk has no room: whoever is asked again has no other bytes.
        if (isOwnFault(error)) throw error
        if (round < ROUNDS) await sleep(ASK_AGAIN, undefined, { ref: false })
        else throw new BlobMissingError(`the blob ${name}: ${error instanceof Error ? error.message : String(error)}, asked ${round} times`)
      }
    }
  }
}

/** Members that have nothing say nothing else. */
function isOwnFault(error: unknown): boolean {
  return error instanceof Error && 'code' in error && !(error instanceof BlobMissingError)
}
