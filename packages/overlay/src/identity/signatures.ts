/**
 * Ed25519 with node:crypto. It is synchronous, as the protocol needs it. libp2p's own keys are
 * asynchronous.
 *
 * The process remembers a genuine signature, for all its hosts together. A statement comes again in
 * a certificate, with a claim, or from a peer that did not know that this node has it. In a process
 * of many hosts each host receives it. Measured: checking 40,000 statements took a fifth of all
 * processor time in the flash join of 200 hosts.
 */
import { createPrivateKey, createPublicKey, hash, sign, verify, type KeyObject } from 'node:crypto'
import { decodeId, type NodeId, type Services } from '@jel/protocol'
import type { Ed25519PrivateKey } from '@libp2p/interface'
import { concat, fromString } from 'uint8arrays'
import { Cache } from '../base/cache.ts'
import type { RecordOwner } from './identity.ts'

/** The DER prefix of the 32 raw bytes of an Ed25519 key: RFC 8410 §7 and §4. */
const privateKeyPrefix = fromString('302e020100300506032b657004220420', 'base16')
const publicKeyPrefix = fromString('302a300506032b6570032100', 'base16')

/**
 * Imported keys that the process keeps. Measured: importing a key costs 0.08 ms, and checking a
 * signature costs 0.11 ms. Guess: the statements of at most so many members come again and again.
 */
const cachedKeys = 2_048

/**
 * Signatures remembered as genuine. Each digest, as text, takes some 100 bytes with its place in
 * the cache. A look-up costs 2 µs (measured). Guess: a few signatures of each member of a large
 * pool.
 */
const cachedSignatures = 16_384

/**
 * The process forgets a key or signature after this time without use, ms. Guess: repetitions come
 * within a minute.
 */
const lifetime = 180_000

/** Returns a signer with the key of this seed, the first 32 bytes of an Ed25519 private key. */
export function createSigner(seed: Uint8Array): Services['sign'] {
  const own = createPrivateKey({ key: Buffer.from(concat([privateKeyPrefix, seed])), format: 'der', type: 'pkcs8' })
  return (message) => {
    const { buffer, byteOffset, byteLength } = sign(null, message, own)
    return new Uint8Array(buffer, byteOffset, byteLength)
  }
}

export function createServices(privateKey: Ed25519PrivateKey, measure?: Services['measure']): Services {
  return {
    sign: createSigner(privateKey.raw.subarray(0, 32)),
    verify: isGenuine,
    random: Math.random,
    today: Date.now,
    ...(measure && { measure }),
  }
}

/**
 * Returns true if `signer` has signed these bytes for an application of this pool. Never throws.
 */
export function isSignedInPool(pool: string, signer: NodeId, message: Uint8Array, signature: Uint8Array): boolean {
  return isGenuine(signer, applicationMessage(pool, message), signature)
}

/**
 * Signs bytes for an application of this pool with the key of an owner, as a node does with its own
 * key. {@link isSignedInPool} checks them with the owner's id as the signer.
 */
export function signInPool(pool: string, owner: RecordOwner, message: Uint8Array): Uint8Array {
  return createSigner(owner.seed)(applicationMessage(pool, message))
}

/** Adds a prefix. No other message that a node's key signs begins with it. */
export function applicationMessage(pool: string, message: Uint8Array): Uint8Array {
  return concat([fromString(`jel application 1\0${pool}\0`), message])
}

const zero = Uint8Array.of(0)
const keys = new Cache<KeyObject>(cachedKeys, lifetime)
const genuine = new Cache<true>(cachedSignatures, lifetime)

function isGenuine(signer: NodeId, message: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== 64) return false
  // An id has no zero byte. So the zero byte separates the id from the message, and no other
  // question has the same bytes.
  const question = hash('sha256', concat([signature, fromString(signer), zero, message]), 'base64')
  if (genuine.get(question) === true) return true
  try {
    if (!verify(null, message, importKey(signer), signature)) return false
  } catch {
    return false // not an id, or its bytes are not a point on the curve
  }
  genuine.put(question, true)
  return true
}

function importKey(id: NodeId): KeyObject {
  const known = keys.get(id)
  if (known !== undefined) return known
  const key = createPublicKey({ key: Buffer.from(concat([publicKeyPrefix, decodeId(id)])), format: 'der', type: 'spki' })
  keys.put(id, key)
  return key
}
