/**
 * Keys in files. Each platform has its own functions. The types are stated here, so that the
 * declarations of the package name no file of a platform.
 */
import * as files from '#platform/files'
import type { RecordOwner } from './identity.ts'

/**
 * Creates an identity file and returns the id in it. Throws {@link IdentityFileError}, also if the
 * file exists, or {@link IdentityInUseError} if another process holds it.
 */
export const generateIdentity: (file: string) => Promise<string> = files.generateIdentity

/**
 * Returns the key of an identity file. An application can publish records in the name of this key.
 * It need not be the key of a node. A node may use the file meanwhile. Throws {@link
 * CorruptIdentityError} or {@link IdentityFileError}.
 */
export const readOwner: (file: string) => RecordOwner = files.readOwner

/**
 * Returns the key of a file. Throws {@link PoolKeyFileError}, also if other users can read the
 * file.
 */
export const readPoolKey: (file: string) => Uint8Array = files.readPoolKey
