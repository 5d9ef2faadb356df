/** The store of blobs of a page: memory. */
import { InvalidOptionError } from '@jel/jel'
import type { BlobStore } from '../../shell/blob-store.ts'
import { MemoryBlobStore } from './memory-blob-store.ts'

/** Default of `limits.disk`, MiB. A guess: a page may take some hundreds of MB. */
const LIMIT = 64

export function openBlobStore(folder: string | undefined, limit = LIMIT): Pick<BlobStore, keyof BlobStore> {
  if (folder !== undefined) throw new InvalidOptionError('cache: a page has no folder')
  return new MemoryBlobStore(limit * 1024 * 1024)
}

export function partsOfFile(path: string): AsyncGenerator<Uint8Array> {
  throw new InvalidOptionError(`a page reads no file; hand in the bytes of ${path}`)
}
