import { sha256 } from '@noble/hashes/sha2.js'
import { toString } from 'uint8arrays'
import type { Digest } from '../core/entry.ts'

export const digest: Digest = sha256

/** Eight random bytes, for a seat. */
export function newNonce(): string {
  return toString(crypto.getRandomValues(new Uint8Array(8)), 'base16')
}
