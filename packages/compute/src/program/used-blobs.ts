import type { FromProgram, ToProgram } from './messages.ts'
import { blob, type BlobReference, type Unpack } from './blob.ts'
import { markFault } from './machine-fault.ts'

type Piece = Extract<ToProgram, { type: 'blob' | 'noBlob' }>

interface Used {
  readonly bytes: Promise<Uint8Array>
  readonly resolve: (bytes: Uint8Array) => void
  readonly reject: (error: Error) => void
  /** The bytes that have arrived so far. */
  gathered: Uint8Array | undefined
  length: number
  readonly unpacked: WeakMap<Unpack<unknown>, Promise<unknown>>
}

/**
 * The blobs that tasks of this program used. Requests each blob once, and keeps it for later tasks.
 */
export class UsedBlobs {
  readonly #say: (message: FromProgram) => void
  readonly #used = new Map<string, Used>()

  constructor(say: (message: FromProgram) => void) {
    this.#say = say
  }

  use(reference: BlobReference, unpack?: Unpack<unknown>): Promise<unknown> {
    const used = this.#use(reference, unpack)
    // Otherwise a missing blob that nobody awaits would fail the task.
    used.catch(() => {})
    return used
  }

  async #use(reference: BlobReference, unpack: Unpack<unknown> | undefined): Promise<unknown> {
    const { blob: cid } = blob(reference?.blob)
    let used = this.#used.get(cid)
    if (used === undefined) {
      const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
      used = { bytes: promise, resolve, reject, gathered: undefined, length: 0, unpacked: new WeakMap() }
      this.#used.set(cid, used)
      this.#say({ type: 'use', blob: cid })
    }
    if (unpack === undefined) return await used.bytes
    let unpacked = used.unpacked.get(unpack)
    if (unpacked === undefined) {
      unpacked = used.bytes.then((bytes) => unpack(bytes))
      used.unpacked.set(unpack, unpacked)
    }
    return await unpacked
  }

  handle(piece: Piece): void {
    const used = this.#used.get(piece.blob)
    if (used === undefined) return
    if (piece.type === 'noBlob') {
      // Another task may ask for the blob again.
      this.#used.delete(piece.blob)
      used.reject(markFault(Object.assign(new Error(piece.message), { code: piece.code })) as Error)
      return
    }
    used.gathered ??= new Uint8Array(piece.size)
    used.gathered.set(piece.bytes, used.length)
    used.length += piece.bytes.length
    if (used.length === piece.size) used.resolve(used.gathered)
  }
}
