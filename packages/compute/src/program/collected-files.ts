/** The files that a command made for its submitter, as the bytes of one blob. */
import { Encoder } from 'cbor-x'

/** Maximum number of files of one run of a command, and maximum bytes of all of them. Guesses. */
export const [MAX_FILES, MAX_FILE_BYTES] = [256, 32 * 1024 * 1024]
/** Maximum characters of a path. A guess: nearly all file systems allow more. */
const MAX_PATH = 512

/** Maximum bytes of an encoded set of files. */
export const MAX_ENCODED = MAX_FILE_BYTES + MAX_FILES * (4 * MAX_PATH + 16) + 16

/** A file that a command made. */
export interface CollectedFile {
  /** Relative to the working folder of the command, with slashes: never absolute, without `..`. */
  readonly path: string
  readonly bytes: Uint8Array
}

const encoder = new Encoder({ useRecords: false, tagUint8Array: false })

export function encodeFiles(files: readonly CollectedFile[]): Uint8Array {
  return encoder.encode(files.map(({ path, bytes }) => [path, bytes]))
}

/**
 * Whether a path, or a pattern of paths, stays in its folder on every system. Refuses control
 * characters, and also `\` and `:`, which have a meaning on Windows.
 */
export function isInside(path: string): boolean {
  if (path.length > MAX_PATH || /[\p{Cc}\\:]/u.test(path)) return false
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
}
