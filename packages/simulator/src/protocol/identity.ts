import { createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto'
import { createRandom, decodeId, encodeId, type NodeId } from '@jel/protocol'
import { Digest } from '../engine/digest.ts'

/** The key pair of a node. */
export interface Identity {
  readonly id: NodeId
  sign(message: Uint8Array): Uint8Array
}

/** Makes identities from seeds and verifies their signatures. */
export interface Scheme {
  identity(seed: number): Identity
  verify(signer: NodeId, message: Uint8Array, signature: Uint8Array): boolean
}

/**
 * Signatures that cost next to nothing: 64 bytes that depend on the signer's id and on each byte of
 * the message. They are not secure. Different messages of honest nodes never get equal signatures.
 * But a test can fake a signature with {@link forge}.
 */
export const cheapScheme: Scheme = {
  identity(seed) {
    const id = encodeId(seedBytes(seed))
    return { id, sign: (message) => forge(id, message) }
  },
  verify(signer, message, signature) {
    if (signature.length !== 64) return false
    const expected = forge(signer, message)
    for (let i = 0; i < 64; i++) if (expected[i] !== signature[i]) return false
    return true
  },
}

/**
 * Returns a signature of `signer` that {@link cheapScheme} accepts. Any caller gets it, as if the
 * key were stolen.
 */
export function forge(signer: NodeId, message: Uint8Array): Uint8Array {
  const digest = new Digest()
  digest.text(signer)
  digest.bytes(message)
  const [high, low] = digest.words()
  const signature = new Uint8Array(64)
  for (let i = 0; i < 64; i += 8) {
    const salt = Math.imul(i + 1, 0x9e3779b9)
    writeWord(signature, i, high ^ salt)
    writeWord(signature, i + 4, low ^ salt)
  }
  return signature
}

function writeWord(target: Uint8Array, at: number, word: number): void {
  target[at] = word
  target[at + 1] = word >>> 8
  target[at + 2] = word >>> 16
  target[at + 3] = word >>> 24
}

/** The DER prefixes of the 32 bytes of a private and of a public Ed25519 key (RFC 8410). */
const pkcs8 = Uint8Array.of(0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20)
const spki = Uint8Array.of(0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00)

/** Real Ed25519 signatures, about 0.1 ms each, for tests that need them. */
export function ed25519Scheme(): Scheme {
  const keys = new Map<NodeId, KeyObject | undefined>()
  const publicKey = (id: NodeId): KeyObject | undefined => {
    if (!keys.has(id)) keys.set(id, readPublicKey(id))
    return keys.get(id)
  }
  return {
    identity(seed) {
      const key = createPrivateKey({ key: Buffer.concat([pkcs8, seedBytes(seed)]), format: 'der', type: 'pkcs8' })
      const id = encodeId(createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(spki.length))
      return { id, sign: (message) => sign(null, message, key) }
    },
    verify(signer, message, signature) {
      const key = publicKey(signer)
      return key !== undefined && signature.length === 64 && verify(null, message, key, signature)
    },
  }
}

function readPublicKey(id: NodeId): KeyObject | undefined {
  try {
    return createPublicKey({ key: Buffer.concat([spki, decodeId(id)]), format: 'der', type: 'spki' })
  } catch {
    return undefined
  }
}

function seedBytes(seed: number): Uint8Array {
  const random = createRandom(seed)
  return Uint8Array.from({ length: 32 }, () => Math.floor(random() * 256))
}
