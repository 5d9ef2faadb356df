/** The room that files take. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Counts a file with several names once. */
export function bytesOf(folder: string): number {
  const sizes = new Map<number, number>()
  try {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const status = entry.isFile() ? statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false }) : undefined
      if (status !== undefined) sizes.set(status.ino, status.size)
    }
  } catch {
    // A file went during the count.
  }
  return [...sizes.values()].reduce((sum, size) => sum + size, 0)
}
