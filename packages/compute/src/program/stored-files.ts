import type { FromProgram, ToProgram } from '../executors/messages.ts'
import type { BlobReference } from './blob.ts'

type Answer = Extract<ToProgram, { type: 'stored' | 'notStored' }>

/** Files that tasks of this program hand to their member, to be kept as blobs. */
export class StoredFiles {
  readonly #say: (message: FromProgram) => void
  readonly #waiting = new Map<string, PromiseWithResolvers<BlobReference>>()

  constructor(say: (message: FromProgram) => void) {
    this.#say = say
  }

  /** @param file its path; no other call may name the same path meanwhile */
  async store(file: string): Promise<BlobReference> {
    const waiting = Promise.withResolvers<BlobReference>()
    this.#waiting.set(file, waiting)
    this.#say({ type: 'store', file })
    return await waiting.promise
  }

  handle(answer: Answer): void {
    const waiting = this.#waiting.get(answer.file)
    this.#waiting.delete(answer.file)
    if (answer.type === 'stored') waiting?.resolve({ blob: answer.blob, size: answer.size })
    else waiting?.reject(Object.assign(new Error(answer.message), { code: answer.code }))
  }
}
