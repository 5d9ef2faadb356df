/** Hashes and keys by node:crypto. `../browser/crypto.ts` has the same exports. */
import { createHash, createPublicKey, generateKeyPairSync, sign, verify, type KeyObject } from 'node:crypto'
import type { SigningKey } from '../types.ts'

/** Returns the sha-256 of these parts, one after the other, in hexadecimal. */
export function sha256(...parts: readonly (Uint8Array | string)[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}

/** Returns the sha-256 of these parts, in base64url. Node makes that text fastest. */
export function sha256Url(...parts: readonly (Uint8Array | string)[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('base64url')
}

/**
 * Returns the sha-256 of bytes, in hexadecimal. Another thread computes it: 64 MiB would block this
 * thread for some tenths of a second.
 */
export async function hashOf(bytes: Uint8Array): Promise<string> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)).toString('hex')
}

export function createSigningKey(): SigningKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  return {
    publicKey: Buffer.from(publicKey.export({ format: 'jwk' }).x as string, 'base64url'),
    sign: (message) => sign(null, message, privateKey),
  }
}

export type PublicKey = KeyObject

/** `key`: 32 bytes. Throws if they are no point of the curve. */
export function importPublicKey(key: Uint8Array): PublicKey {
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(key).toString('base64url') }, format: 'jwk' })
}

export function isSigned(key: PublicKey, message: Uint8Array, signature: Uint8Array): boolean {
  return verify(null, message, key, signature)
}
