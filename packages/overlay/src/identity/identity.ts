/** The identity of a node. */
import { generateKeyPair } from '@libp2p/crypto/keys'
import type { Ed25519PrivateKey } from '@libp2p/interface'
import { peerIdFromPrivateKey } from '@libp2p/peer-id'

export interface Identity {
  readonly id: string
  readonly privateKey: Ed25519PrivateKey
  /** The highest incarnation with which the node may have entered a pool. 0: it never entered. */
  readonly incarnation: number
  /**
   * Records the use of an incarnation on disk, and reserves later ones, so that most calls need no
   * write. Throws {@link IdentityFileError}.
   */
  persist(incarnation: number): void
  /** Gives back the unused incarnations, if the file can be written, and unlocks the identity. */
  release(): void
}

/**
 * A key that owns records. `seed` is secret: the first 32 bytes of an Ed25519 private key. See
 * `readOwner`.
 */
export interface RecordOwner {
  readonly id: string
  readonly seed: Uint8Array
}

export async function newKey(): Promise<Pick<Identity, 'id' | 'privateKey' | 'incarnation'>> {
  const privateKey = await generateKeyPair('Ed25519')
  return { id: peerIdFromPrivateKey(privateKey).toString(), privateKey, incarnation: 0 }
}

/** Returns a new key that is not stored. */
export async function ephemeralIdentity(): Promise<Identity> {
  return { ...(await newKey()), persist: () => {}, release: () => {} }
}
