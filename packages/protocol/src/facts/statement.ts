/**
 * Statements: signed content of one node, in a form of our own.
 *
 * libp2p's record envelopes would do, but libp2p signs and verifies them asynchronously. They also
 * spend about 40 bytes on a key that the id already holds, and on a type that a number can express.
 * Here a joined-statement has 96 bytes of key and signature and about 20 of content. Every node
 * keeps one of each member. The signature covers a prefix with protocol and pool, the kind, and the
 * body's bytes as received. So a statement neither crosses pools nor changes its meaning. Nodes can
 * pass on kinds of a later version unread.
 */
import type { Address, Constants, Milliseconds, NodeId, Reach } from '../base/values.ts'

export const kinds = { joined: 1, left: 2, suspicion: 3, refutation: 4, candidacy: 5, claim: 6, record: 7 } as const

export interface Joined {
  readonly kind: 'joined'
  readonly incarnation: number
  /**
   * Addresses, tag, constants and reach may change in a life. The statement with the highest
   * version counts.
   */
  readonly version: number
  readonly nonce: number
  readonly addresses: readonly Address[]
  readonly location: string
  readonly tag: Uint8Array
  readonly constants: Constants
  readonly reach: Reach
  /**
   * Beginning of this life, by the member's own calendar: milliseconds since 1970. The same in all
   * versions.
   */
  readonly joinedAt: Milliseconds
}
export interface Left {
  readonly kind: 'left'
  readonly incarnation: number
}
export interface Accusation {
  readonly kind: 'suspicion'
  readonly suspect: NodeId
  readonly incarnation: number
  /**
   * The last heartbeat of the suspect that the accuser heard: a second of the suspect's life, by
   * the suspect's clock. A refutation with a later heartbeat voids the accusation.
   */
  readonly heartbeat: number
}
export interface Refutation {
  readonly kind: 'refutation'
  readonly incarnation: number
  /** Present second of this life, on the signer's own clock. */
  readonly heartbeat: number
}
export interface Candidacy {
  readonly kind: 'candidacy'
  readonly election: string
  readonly incarnation: number
  /** Orders the candidacies of one life: standing, withdrawn, standing again. */
  readonly sequence: number
  readonly withdrawn: boolean
}
export interface Claim {
  readonly kind: 'claim'
  readonly election: string
  readonly epoch: number
  /**
   * `incarnation` and `sequence` name the winning candidacy. The reign lasts as long as the winner
   * has no later candidacy.
   */
  readonly incarnation: number
  readonly sequence: number
}
/** Bytes under a name, shared until they expire. The signer need not be a member. */
export interface RecordContent {
  readonly kind: 'record'
  readonly name: string
  /** Of several records with one signer and name the highest version counts. */
  readonly version: number
  /**
   * Nodes forget the record at this date, milliseconds since 1970. It may be later than the end of
   * the value, so that an earlier version does not come back.
   */
  readonly expires: Milliseconds
  /** The value is valid until this date. Undefined: until the record expires. */
  readonly ends?: Milliseconds | undefined
  readonly value: Uint8Array
  /** True: the record is withdrawn, and the name is free again. */
  readonly withdrawn: boolean
}
/** A kind that this version does not know. */
export interface Unknown {
  readonly kind: 'unknown'
}
export type Content = Joined | Left | Accusation | Refutation | Candidacy | Claim | RecordContent | Unknown

export interface Statement<C extends Content = Content> {
  readonly signer: NodeId
  readonly content: C
  readonly kind: number
  readonly body: Uint8Array
  readonly signature: Uint8Array
}

export function isKind<K extends Content['kind']>(statement: Statement, kind: K): statement is Statement<Extract<Content, { kind: K }>> {
  return statement.content.kind === kind
}
