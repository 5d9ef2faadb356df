/** The store of blobs: files. `../browser/blobs.ts` has the same exports. */
import { open } from 'node:fs/promises'
import { BlobStore } from '../../shell/blob-store.ts'

/**
 * @param folder default: below the user's cache folder
 * @param limit MiB; default: 256
 * @param isShared whether other processes use the folder, too
 */
export function openBlobStore(folder: string | undefined, limit: number | undefined, isShared: boolean): BlobStore {
  return new BlobStore(folder, limit, isShared)
}

/** Returns the bytes of a file in parts. `sizes` returns the size of each part. */
export async function* partsOfFile(path: string, sizes: (size: number) => readonly number[]): AsyncGenerator<Uint8Array> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    for (const length of sizes(size)) {
      const part = new Uint8Array(length)
      for (let at = 0; at < length;) {
        const { bytesRead } = await file.read(part, at)
        if (bytesRead === 0) throw new Error(`${path} became shorter while it was read`)
        at += bytesRead
      }
      yield part
    }
  } finally {
    await file.close()
  }
}
