/**
 * Ed25519 that is synchronous, as the protocol needs it. libp2p's own keys are asynchronous.
 *
 * The process remembers a genuine signature, for all its hosts together. A statement comes again in
 * a certificate, with a claim, or from a peer that did not know that this node has it. In a process
 * of many hosts each host receives it. Measured: checking 40,000 statements took a fifth of all
 * processor time in the flash join of 200 hosts.
 */
import { createSigner, importPublicKey, isSigned, sha256Text, type PublicKey } from '#platform/crypto'
import { decodeId, type NodeId, type Services } from '@jel/protocol'
import type { Ed25519PrivateKey } from '@libp2p/interface'
import { concat, fromString } from 'uint8arrays'
import { Cache } from '../base/cache.ts'
import type { RecordOwner } from './identity.ts'

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
const keys = new Cache<PublicKey>(cachedKeys, lifetime)
const genuine = new Cache<true>(cachedSignatures, lifetime)

function isGenuine(signer: NodeId, message: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== 64) return false
  // An id has no zero byte. So the zero byte separates the id from the message, and no other
  // question has the same bytes.
  const question = sha256Text(concat([signature, fromString(signer), zero, message]))
  if (genuine.get(question) === true) return true
  try {
    if (!isSigned(importKey(signer), message, signature)) return false
  } catch {
    return false // not an id, or its bytes are not a point on the curve
  }
  genuine.put(question, true)
  return true
}

function importKey(id: NodeId): PublicKey {
  const known = keys.get(id)
  if (known !== undefined) return known
  const key = importPublicKey(decodeId(id))
  keys.put(id, key)
  return key
}
