/**
 * Hashes, random bytes and Ed25519 in a browser. Its own functions are asynchronous, and exist in
 * secure pages only, so these are in JavaScript.
 */
import { ed25519 } from '@noble/curves/ed25519.js'
import { sha256 as hash } from '@noble/hashes/sha2.js'
import { fromString, toString } from 'uint8arrays'

export function randomBytes(count: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(count))
}

export function sha256(data: Uint8Array | string): Uint8Array {
  return hash(typeof data === 'string' ? fromString(data) : data)
}

export function sha256Text(data: Uint8Array): string {
  return toString(hash(data), 'base64')
}

export type PublicKey = Uint8Array

export function createSigner(seed: Uint8Array): (message: Uint8Array) => Uint8Array {
  const own = seed.slice()
  return (message) => ed25519.sign(message, own)
}

export function importPublicKey(key: Uint8Array): PublicKey {
  ed25519.Point.fromBytes(key)
  return key
}

export function isSigned(key: PublicKey, message: Uint8Array, signature: Uint8Array): boolean {
  return ed25519.verify(signature, message, key, { zip215: false })
}
