/**
 * Node ids. In the API an id is the text form of an Ed25519 PeerId. On the wire it is the 32 raw
 * bytes of the public key.
 *
 * An Ed25519 PeerId contains its key (an identity multihash). So the id is enough to check a
 * signature, and the 6 bytes of prefix need not travel. Base58 keeps the order of equally long
 * inputs, so the order of ids as text is that of their keys.
 */
import { base58btc } from 'multiformats/bases/base58'
import { FrameError } from './errors.ts'
import type { NodeId } from './values.ts'

/**
 * Multihash code 0 (identity), length 36; then protobuf: key type 1 (Ed25519), 32 bytes of data.
 * Source: libp2p peer-ids specification.
 */
const prefix = Uint8Array.of(0x00, 0x24, 0x08, 0x01, 0x12, 0x20)

/** Bytes of an Ed25519 key (RFC 8032). */
export const publicKeyBytes = 32

/**
 * Conversions that the process remembers in each direction. At this number it forgets all of them.
 * The time of a Base58 conversion grows with the square of the length, and every frame has the same
 * few ids. Measured: Base58 took a fifth of an introducer's processor time in a flash join.
 */
const remembered = 16_384
const keys = new Map<NodeId, Uint8Array>()
const ids = new Map<string, NodeId>()

/**
 * Returns the id of a raw Ed25519 public key. Throws {@link FrameError} if it isn't 32 bytes long.
 */
export function encodeId(publicKey: Uint8Array): NodeId {
  const text = String.fromCharCode(...publicKey.subarray(0, publicKeyBytes + 1))
  const known = ids.get(text)
  if (known !== undefined) return known
  const id = encode(publicKey)
  if (ids.size >= remembered) ids.clear()
  ids.set(text, id)
  return id
}

/**
 * Returns the raw Ed25519 public key of an id. Callers must not write to it. Throws
 * {@link FrameError} if the text is no Ed25519 PeerId.
 */
export function decodeId(id: NodeId): Uint8Array {
  const known = keys.get(id)
  if (known !== undefined) return known
  const key = decode(id)
  if (keys.size >= remembered) keys.clear()
  keys.set(id, key)
  return key
}

function encode(publicKey: Uint8Array): NodeId {
  if (publicKey.length !== publicKeyBytes) throw new FrameError(`a public key has ${publicKeyBytes} bytes, not ${publicKey.length}`)
  const bytes = new Uint8Array(prefix.length + publicKeyBytes)
  bytes.set(prefix)
  bytes.set(publicKey, prefix.length)
  return base58btc.baseEncode(bytes)
}

function decode(id: NodeId): Uint8Array {
  let bytes: Uint8Array
  try {
    bytes = base58btc.baseDecode(id)
  } catch {
    throw new FrameError(`not a node id: ${JSON.stringify(id.slice(0, 64))}`)
  }
  if (bytes.length !== prefix.length + publicKeyBytes || prefix.some((byte, i) => bytes[i] !== byte)) {
    throw new FrameError(`not an Ed25519 node id: ${JSON.stringify(id.slice(0, 64))}`)
  }
  return bytes.slice(prefix.length)
}
