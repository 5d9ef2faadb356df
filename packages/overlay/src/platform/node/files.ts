/** Keys in files. */
export { generateIdentity, readOwner } from '../../identity/file-identity.ts'
export { readPoolKey } from '../../identity/pool-key-file.ts'
