/**
 * Hashes and keys in JavaScript. The browser's own functions are asynchronous, and exist in secure
 * pages only.
 */
import { ed25519 } from '@noble/curves/ed25519.js'
import { sha256 as create } from '@noble/hashes/sha2.js'
import { fromString, toString } from 'uint8arrays'
import type { SigningKey } from '../types.ts'

export function sha256(...parts: readonly (Uint8Array | string)[]): string {
  return toString(digest(parts), 'base16')
}

export function sha256Url(...parts: readonly (Uint8Array | string)[]): string {
  return toString(digest(parts), 'base64url')
}

export async function hashOf(bytes: Uint8Array): Promise<string> {
  return await Promise.resolve(sha256(bytes))
}

export function createSigningKey(): SigningKey {
  const seed = crypto.getRandomValues(new Uint8Array(32))
  return { publicKey: ed25519.getPublicKey(seed), sign: (message) => ed25519.sign(message, seed) }
}

export type PublicKey = Uint8Array

export function importPublicKey(key: Uint8Array): PublicKey {
  ed25519.Point.fromBytes(key)
  return key.slice()
}

export function isSigned(key: PublicKey, message: Uint8Array, signature: Uint8Array): boolean {
  return ed25519.verify(signature, message, key, { zip215: false })
}

function digest(parts: readonly (Uint8Array | string)[]): Uint8Array {
  const hash = create.create()
  for (const part of parts) hash.update(typeof part === 'string' ? fromString(part) : part)
  return hash.digest()
}
