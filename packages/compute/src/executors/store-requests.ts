import type { BlobReference } from '../program/blob.ts'
import { MAX_ENCODED } from '../program/collected-files.ts'
import { MAX_RESULT_BYTES } from '../program/stored-value.ts'
import { STORE_PIECE, type FromProgram, type ToProgram } from '../program/messages.ts'
import { concat } from 'uint8arrays'

type Piece = Omit<Extract<FromProgram, { type: 'store' }>, 'type'>

/** Keeps bytes of a program as blobs. */
export class StoreRequests {
  readonly #keep: (bytes: Uint8Array) => Promise<BlobReference>
  readonly #answer: (message: ToProgram) => void
  readonly #isTrusted: boolean
  /**
   * The number of blobs that a program in a sandbox may still send: one for each run of the root.
   */
  #allowed = 0
  /** The pieces of the blob that is arriving. The pieces of two blobs never mix. */
  #pieces: Uint8Array[] = []
  #size = 0
  /** A piece had the wrong size. Millions of short pieces would fill this process. */
  #isBroken = false

  constructor(keep: (bytes: Uint8Array) => Promise<BlobReference>, answer: (message: ToProgram) => void, isTrusted: boolean) {
    this.#keep = keep
    this.#answer = answer
    this.#isTrusted = isTrusted
  }

  /** The program runs the root of the job. Its value may be large. */
  allow(): void {
    this.#allowed++
  }

  take({ store, bytes, isLast }: Piece): void {
    this.#size += bytes.length
    this.#isBroken ||= !isLast && bytes.length !== STORE_PIECE
    if (this.#isRefused) this.#pieces = []
    else this.#pieces.push(bytes)
    if (isLast) void this.#end(store)
  }

  get #isRefused(): boolean {
    if (this.#isBroken) return true
    return this.#isTrusted ? this.#size > MAX_ENCODED : this.#size > MAX_RESULT_BYTES || this.#allowed === 0
  }

  async #end(store: number): Promise<void> {
    const isRefused = this.#isRefused
    const all = concat(this.#pieces)
    this.#pieces = []
    this.#size = 0
    this.#isBroken = false
    try {
      if (isRefused) throw new Error('these bytes are too many, or a program in a sandbox has no room for more')
      this.#allowed--
      const { blob, size = all.length } = await this.#keep(all)
      this.#answer({ type: 'stored', store, blob, size })
    } catch (error) {
      const { code = 'BLOB_NOT_STORED', message = String(error) } = error as { readonly code?: string; readonly message?: string }
      this.#answer({ type: 'notStored', store, code, message })
    }
  }
}
