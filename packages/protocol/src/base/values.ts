/** The values of which inputs, effects and notifications consist. */

import type { Milliseconds } from '@jel/machine'

export type { Milliseconds } from '@jel/machine'

/**
 * A node id: the text form of a libp2p Ed25519 PeerId (`12D3KooW…`). Ids have the same order as
 * text and as raw keys.
 */
export type NodeId = string

/**
 * A network address, opaque to the protocol: the binary form of a multiaddr without its `/p2p`
 * part.
 */
export type Address = Uint8Array

/**
 * How others reach a member. `direct`: others can dial it, as far as it knows. `hidden`: it is
 * behind a NAT or a firewall, so it dials only. `tab`: it is a browser tab, without an address.
 */
export type Reach = 'direct' | 'hidden' | 'tab'

/** Static attributes of a member, by name. */
export type Constants = ReadonlyMap<string, Uint8Array>

/**
 * A node as others see it. `id` and `incarnation` together name one life. A life that ended never
 * comes back.
 */
export interface Member {
  readonly id: NodeId
  /** Grows each time this id enters the pool. Starts at 1. */
  readonly incarnation: number
  readonly addresses: readonly Address[]
  /** Levels from fine to coarse joined by `@`, as in `node7@rack2@delft@nl`. */
  readonly location: string
  /** Bytes of the application, at most `limits.tagBytes` long. */
  readonly tag: Uint8Array
  /** Static attributes: bytes by name, at most `limits.constantsBytes` with the names. */
  readonly constants: Constants
  readonly reach: Reach
  /** Start of this life by the member's own calendar: ms since 1970; 0 if unstated. */
  readonly joinedAt: Milliseconds
}

/**
 * One reign in one election. The fencing token is `(epoch, winner)`. It orders reigns. It can't
 * prevent two nodes from reigning at once.
 */
export interface Reign {
  readonly election: string
  readonly epoch: number
  readonly winner: Member
}

/** Bytes that somebody published under a name. All members hold them until they expire. */
export interface PoolRecord {
  /** 1 to 128 bytes. Each owner has its own names. */
  readonly name: string
  /** Id of the key that signed the record. The key need not be a member's. */
  readonly owner: NodeId
  /** Of several records with one owner and name the highest version counts. */
  readonly version: number
  /** The time at which it ends, milliseconds since 1970 on the members' own calendars. */
  readonly expires: Milliseconds
  /** Undefined if the record was withdrawn or evicted, or ended while this node was away. */
  readonly value: Uint8Array | undefined
}

/**
 * A frame or broadcast as a runner carries it (`effect.ts` explains runners). `length` is its
 * number of bytes on the wire. On real hosts an encoded message is an array of these bytes. A
 * runner with its own codec may use another form.
 */
export interface Encoded {
  readonly length: number
}

/**
 * Signs with a node's own key and verifies with any key. Both functions are synchronous and pure.
 */
export interface Signing {
  /** Signs with this node's private key. Returns 64 bytes (Ed25519). */
  sign(message: Uint8Array): Uint8Array
  /** Returns true if `signature` is the signature of `signer` over `message`. Never throws. */
  verify(signer: NodeId, message: Uint8Array, signature: Uint8Array): boolean
}
