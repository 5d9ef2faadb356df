/** Hashes, random bytes and Ed25519 by node:crypto. `../browser/crypto.ts` has the same exports. */
import { createPrivateKey, createPublicKey, hash, randomBytes as random, sign, verify, type KeyObject } from 'node:crypto'

/** The DER prefix of the 32 raw bytes of an Ed25519 key: RFC 8410 §7 and §4. */
const privateKeyPrefix = Buffer.from('302e020100300506032b657004220420', 'hex')
const publicKeyPrefix = Buffer.from('302a300506032b6570032100', 'hex')

export function randomBytes(count: number): Uint8Array {
  return random(count)
}

export function sha256(data: Uint8Array | string): Uint8Array {
  return hash('sha256', data, 'buffer')
}

/** Returns the hash in base64. Node makes the text faster than anything else can. */
export function sha256Text(data: Uint8Array): string {
  return hash('sha256', data, 'base64')
}

/** A key that checks signatures. Its import costs almost as much as a check (0.08 and 0.11 ms). */
export type PublicKey = KeyObject

/** `seed`: the first 32 bytes of a private key. */
export function createSigner(seed: Uint8Array): (message: Uint8Array) => Uint8Array {
  const own = createPrivateKey({ key: Buffer.concat([privateKeyPrefix, seed]), format: 'der', type: 'pkcs8' })
  return (message) => {
    const { buffer, byteOffset, byteLength } = sign(null, message, own)
    return new Uint8Array(buffer, byteOffset, byteLength)
  }
}

/** `key`: 32 bytes. Throws if they are no point of the curve. */
export function importPublicKey(key: Uint8Array): PublicKey {
  return createPublicKey({ key: Buffer.concat([publicKeyPrefix, key]), format: 'der', type: 'spki' })
}

export function isSigned(key: PublicKey, message: Uint8Array, signature: Uint8Array): boolean {
  return verify(null, message, key, signature)
}
