import { STORE_PIECE, type FromProgram, type ToProgram } from './messages.ts'
import type { BlobReference } from './blob.ts'

type Answer = Extract<ToProgram, { type: 'stored' | 'notStored' }>

/** Bytes that tasks of this program give their member to keep as blobs. */
export class StoredBytes {
  readonly #say: (message: FromProgram) => void
  readonly #waiting = new Map<number, PromiseWithResolvers<BlobReference>>()
  #last = 0

  constructor(say: (message: FromProgram) => void) {
    this.#say = say
  }

  async store(bytes: Uint8Array): Promise<BlobReference> {
    const store = ++this.#last
    const waiting = Promise.withResolvers<BlobReference>()
    this.#waiting.set(store, waiting)
    for (let at = 0, end = 0; end < bytes.length || at === 0; at = end) {
      end = at + STORE_PIECE
      this.#say({ type: 'store', store, bytes: bytes.subarray(at, end), isLast: end >= bytes.length })
    }
    return await waiting.promise
  }

  handle(answer: Answer): void {
    const waiting = this.#waiting.get(answer.store)
    this.#waiting.delete(answer.store)
    if (answer.type === 'stored') waiting?.resolve({ blob: answer.blob, size: answer.size })
    else waiting?.reject(Object.assign(new Error(answer.message), { code: answer.code }))
  }
}
