import { ComputeError } from '../errors.ts'
import { isFaultCode } from '../program/machine-fault.ts'
import type { BlobSource, Container } from './container.ts'
import type { ToProgram } from '../program/messages.ts'

/** Maximum bytes in one message to a container. A guess: the size of the largest value. */
const PIECE = 1024 * 1024
/** Maximum number of blobs that a program may request before it has the first. A guess. */
const MAX_ASKED = 1024
/**
 * After this many failed fetches, the wait for further blobs counts as the program's own time. A
 * guess.
 */
const MAX_MISSES = 3

/** Gives a container the blobs that its program uses, one after the other, and each only once. */
export class BlobFeed {
  readonly #container: Container
  readonly #open: (cid: string) => BlobSource
  readonly #asked = new Set<string>()
  readonly #given = new Set<string>()
  #misses = 0
  #isGiving = false
  #isFetching = false
  #hasEnded = false

  /** @param open throws for a name that is no blob of the job */
  constructor(container: Container, open: (cid: string) => BlobSource) {
    this.#container = container
    this.#open = open
  }

  /** Whether the program waits for a fetch, and this wait does not count as time of its task. */
  get isWaiting(): boolean {
    return this.#isFetching && this.#misses < MAX_MISSES
  }

  use(cid: string): void {
    if (this.#asked.size >= MAX_ASKED) return
    this.#asked.add(cid)
    if (!this.#isGiving) void this.#giveAll()
  }

  end(): void {
    this.#hasEnded = true
  }

  async #giveAll(): Promise<void> {
    this.#isGiving = true
    for (const cid of this.#asked) {
      // The program may ask again as soon as it has an answer.
      this.#asked.delete(cid)
      if (this.#given.has(cid)) continue
      try {
        await this.#give(cid)
        this.#given.add(cid)
      } catch (error) {
        this.#misses++
        const { code } = error as { readonly code?: string }
        const isKnown = error instanceof ComputeError || isFaultCode(code)
        await this.#post({
          type: 'noBlob',
          blob: cid,
          code: isKnown ? String(code) : 'BLOB_MISSING',
          message: error instanceof Error ? error.message : String(error),
        })
      }
      if (this.#hasEnded) return
    }
    this.#isGiving = false
  }

  async #give(cid: string): Promise<void> {
    const { size, parts } = this.#open(cid)
    if (size === 0) await this.#post({ type: 'blob', blob: cid, size, bytes: new Uint8Array() })
    for (const part of parts) {
      this.#isFetching = true
      const bytes = await part().finally(() => (this.#isFetching = false))
      for (let at = 0; at < bytes.length; at += PIECE) {
        await this.#post({ type: 'blob', blob: cid, size, bytes: bytes.slice(at, at + PIECE) })
      }
    }
  }

  /**
   * Waits until the container has read the message. Otherwise the backlog would fill this process.
   */
  async #post(message: ToProgram): Promise<void> {
    if (this.#hasEnded) return
    this.#container.post([message])
    await this.#container.taken()
  }
}
