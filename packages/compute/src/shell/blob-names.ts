/** Names of blobs in the form of IPFS: a CIDv1 in base32, of a sha-256. */
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import { fromString, toString } from 'uint8arrays'

/** The multicodec numbers for the content behind a hash: raw bytes, or CBOR. */
const [RAW, CBOR] = [0x55, 0x51]
const SHA_256 = 0x12

/** The parts of a blob's name. */
interface Named {
  /** In hexadecimal. */
  readonly hash: string
  /** True if the bytes of this hash are the list of the blob's parts. */
  readonly isList: boolean
}

export function nameOf({ hash, isList }: Named): string {
  return CID.createV1(isList ? CBOR : RAW, create(SHA_256, fromString(hash, 'base16'))).toString()
}

/** Returns undefined if the text is no name of a blob. */
export function readName(name: string): Named | undefined {
  try {
    const { version, code, multihash } = CID.parse(name)
    if (version !== 1 || multihash.code !== SHA_256 || (code !== RAW && code !== CBOR)) return undefined
    const named = { hash: toString(multihash.digest, 'base16'), isList: code === CBOR }
    // A name may have several spellings. Only one is valid.
    return nameOf(named) === name ? named : undefined
  } catch {
    return undefined
  }
}

/** Whether a text is the hash of a file: a sha-256 in hexadecimal. */
export function isHash(text: string): boolean {
  return /^[\da-f]{64}$/u.test(text)
}
