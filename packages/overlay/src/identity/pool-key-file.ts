/** Reads the key of a private pool from a `swarm.key` file. */
import { PoolKeyFileError, reasonOf } from '../base/errors.ts'
import { readSecret } from './secret-file.ts'

/** Limit of a key file, bytes, with spaces and line ends of any system. */
const maxFileBytes = 1_024

/**
 * Returns the key of a file. Throws {@link PoolKeyFileError}, also if other users can read the
 * file.
 */
export function readPoolKey(file: string): Uint8Array {
  try {
    return readSecret(file, maxFileBytes, (problem) => new PoolKeyFileError(`pool key file ${file} ${problem}`))
  } catch (error) {
    if (error instanceof PoolKeyFileError) throw error
    throw new PoolKeyFileError(`can't read pool key file ${file}: ${reasonOf(error)}`, { cause: error })
  }
}
