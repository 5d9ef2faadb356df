/**
 * Files with secrets: identities and pool keys.
 */
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs'

/**
 * The rights of other users. As ssh does, jel refuses a key that others can read: it is no secret
 * any more. A quiet change of the mode would hide that.
 */
const othersMode = 0o077

/**
 * Returns the first bytes of a file, at most `limit` + 1. Throws the system's error, or the error
 * that `refuse` makes from a problem.
 */
export function readSecret(file: string, limit: number, refuse: (problem: string) => Error): Buffer {
  const descriptor = openSync(file, 'r')
  try {
    const status = fstatSync(descriptor)
    if (status.isDirectory()) throw refuse('is a folder: name a file in it')
    // A pipe, such as `<(…)` of a shell, has no other readers.
    if (process.platform !== 'win32' && status.isFile() && (status.mode & othersMode) !== 0) {
      throw refuse(`can be read by other users: run chmod 600 ${file}, or use a new one`)
    }
    const bytes = Buffer.alloc(limit + 1)
    let length = 0
    for (let count = -1; count !== 0 && length <= limit; length += count)
      count = readSync(descriptor, bytes, length, limit + 1 - length, null)
    return bytes.subarray(0, length)
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Returns the problem if the path is something other than a regular file. Undefined: there is no
 * problem, or it can't be determined.
 */
export function nonFile(file: string): string | undefined {
  try {
    const status = statSync(file, { throwIfNoEntry: false })
    if (status?.isDirectory() === true) return 'is a folder: name a file in it'
    return status === undefined || status.isFile() ? undefined : 'is no regular file'
  } catch {
    return undefined
  }
}
