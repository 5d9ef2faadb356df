/** Files beside an identity file, which a node writes as a whole and reads within a bound. */
import { closeSync, openSync, readSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'

/** Throws an error also if the file is larger than `most` bytes. */
export function readBounded(file: string, most: number): Buffer {
  const descriptor = openSync(file, 'r')
  try {
    const bytes = Buffer.alloc(most + 1)
    let length = 0
    for (let read = -1; read !== 0 && length <= most; length += read)
      read = readSync(descriptor, bytes, length, bytes.length - length, null)
    if (length > most) throw new Error(`it is larger than ${most} bytes`)
    return bytes.subarray(0, length)
  } finally {
    closeSync(descriptor)
  }
}

/** Atomic. A power failure may bring back the old file. */
export async function writeWhole(file: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${file}.tmp`
  await rm(temporary, { force: true })
  try {
    const handle = await open(temporary, 'wx', 0o600)
    try {
      await handle.writeFile(content)
      // Without this, a power failure may leave an empty file under the new name.
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, file)
  } catch (error) {
    // On a full disk the written part may take the last room.
    await rm(temporary, { force: true }).catch(() => {})
    throw error
  }
}
