/** The disk space of files. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the bytes of all files below a folder. A file with several names counts once. */
export function bytesOf(folder: string): number {
  const sizes = new Map<number, number>()
  try {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const status = entry.isFile() ? statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false }) : undefined
      if (status !== undefined) sizes.set(status.ino, status.size)
    }
  } catch {
    // A file was removed during the count.
  }
  return [...sizes.values()].reduce((sum, size) => sum + size, 0)
}
