/** A page reads no files. */
import { IdentityFileError, PoolKeyFileError } from '../../base/errors.ts'
import type { RecordOwner } from '../../identity/identity.ts'

export async function generateIdentity(): Promise<string> {
  return await Promise.reject(new IdentityFileError('a page has no files: option identityFile names a key in its own storage'))
}

export function readOwner(): RecordOwner {
  throw new IdentityFileError('a page has no files')
}

export function readPoolKey(): Uint8Array {
  throw new PoolKeyFileError('a page has no files: give the text of the key')
}
