/**
 * A fact: the unit of reconciliation and broadcasts. It is a statement or a death certificate,
 * under a key. Each node keeps one version for each key.
 *
 * The version comes from the signature. The bytes of an honest signature are as good as random, so
 * the version needs no other hash (docs/decisions/0011). Two certificates of one death may differ
 * in their accusers and mean the same. So their version depends only on the life.
 */
import { hash52, hashSpace } from '../base/hash.ts'
import type { Member, NodeId } from '../base/values.ts'
import { verifyCertificate, type Certificate } from './certificate.ts'
import { type StatementCodec } from './statement-codec.ts'
import { isKind, type Statement } from './statement.ts'

export type FactContent = { readonly statement: Statement } | { readonly certificate: Certificate }

/** A fact as nodes send it. For a fact that expires, it has the age of the content. */
export interface AgedFact {
  readonly fact: Fact
  readonly ageSeconds: number
}

/** Immutable except for cached values. Nodes in one process may share it. */
export class Fact implements AgedFact {
  readonly key: string
  /** Place in the order of the fact set, by key. */
  readonly position: number
  /** Version, 2 × 32 bits. */
  readonly high: number
  readonly low: number
  readonly content: FactContent
  /** The member whose life this is about; undefined for other facts. */
  readonly about: NodeId | undefined
  /** State of that life. */
  readonly says: 'joined' | 'left' | 'died' | undefined
  readonly incarnation: number
  /** The member that a joined-statement describes. */
  readonly member: Member | undefined
  /** Number in the registry; 0 while nobody holds it. */
  number = 0
  /** Bytes on the wire without an age; 0 until counted. */
  bytes = 0
  /** True once a check found the signatures valid. They stay valid, so one check is enough. */
  #verified = false

  constructor(key: string, content: FactContent) {
    this.key = key
    this.position = positionOf(key)
    this.content = content
    if ('certificate' in content) {
      const { suspect, incarnation } = content.certificate
      const life = `${suspect}:${incarnation}`
      this.high = hash52(life, 1) >>> 0
      this.low = hash52(life, 2) >>> 0
      this.about = suspect
      this.says = 'died'
      this.incarnation = incarnation
      this.member = undefined
      return
    }
    const { statement } = content
    const view = new DataView(statement.signature.buffer, statement.signature.byteOffset)
    this.high = view.getUint32(0)
    this.low = view.getUint32(4)
    const isJoined = isKind(statement, 'joined')
    const isOfLife = isJoined || isKind(statement, 'left')
    this.about = isOfLife ? statement.signer : undefined
    this.says = isOfLife ? statement.content.kind : undefined
    this.incarnation = isOfLife ? statement.content.incarnation : 0
    this.member = isJoined ? memberOf(statement.signer, statement.content) : undefined
  }

  /** A fact serves as its own {@link AgedFact}, with the age 0. Most facts never expire. */
  get fact(): this {
    return this
  }

  get ageSeconds(): number {
    return 0
  }

  /** True for a record, which belongs to an owner and is about no member. */
  get isRecord(): boolean {
    return 'statement' in this.content && this.content.statement.content.kind === 'record'
  }

  /** The signer. A death has several signers, so its author is the suspect. */
  get author(): NodeId {
    return 'certificate' in this.content ? this.content.certificate.suspect : this.content.statement.signer
  }

  /** Number of signatures to check. */
  get signatures(): number {
    return 'certificate' in this.content ? this.content.certificate.accusers.length : 1
  }

  /** True if all signatures are valid. */
  isTrue(codec: StatementCodec): boolean {
    this.#verified ||=
      'certificate' in this.content ? verifyCertificate(this.content.certificate, codec) : codec.verify(this.content.statement)
    return this.#verified
  }

  /**
   * True if the other fact is the same, signature by signature, and not only the same in meaning.
   */
  equals(other: Fact): boolean {
    if (this === other) return true
    if (this.high !== other.high || this.low !== other.low || this.key !== other.key) return false
    return sameContent(this.content, other.content)
  }
}

/**
 * Returns the hash of a key. Facts about lives are in the lower half of the space, all others in
 * the upper half. A node sends a large state in this order, page by page. So a node knows the
 * members before it receives facts that mean nothing without them.
 */
function positionOf(key: string): number {
  return Math.floor(hash52(key) / 2) + (key.startsWith('m') ? 0 : hashSpace / 2)
}

export const memberKey = (id: NodeId): string => `m${id}`
/**
 * Nodes send accusations but do not hold them: an accusation that has led to no death soon means
 * nothing.
 */
const suspicionKey = (suspect: NodeId, accuser: NodeId): string => `s${suspect}${accuser}`
export const refutationKey = (id: NodeId): string => `r${id}`
export const candidacyKey = (election: string, id: NodeId): string => `c${id}${election}`
export const recordKey = (name: string, owner: NodeId): string => `d${owner}${name}`
export const claimKey = (election: string): string => `e${election}`
export const unknownKey = (statement: Statement): string =>
  `u${statement.signer}${statement.kind}:${hex(statement.signature.subarray(0, 8))}`

/** Returns a fact under the key of its content. */
export function factOf(content: FactContent): Fact {
  return new Fact(keyOf(content), content)
}

function keyOf(content: FactContent): string {
  if ('certificate' in content) return memberKey(content.certificate.suspect)
  const { statement } = content
  switch (statement.content.kind) {
    case 'joined':
    case 'left':
      return memberKey(statement.signer)
    case 'candidacy':
      return candidacyKey(statement.content.election, statement.signer)
    case 'claim':
      return claimKey(statement.content.election)
    case 'record':
      return recordKey(statement.content.name, statement.signer)
    case 'unknown':
      return unknownKey(statement)
    case 'refutation':
      return refutationKey(statement.signer)
    case 'suspicion':
      return suspicionKey(statement.content.suspect, statement.signer)
  }
}

function memberOf(id: NodeId, { incarnation, addresses, location, tag, constants, reach, joinedAt }: Omit<Member, 'id'>): Member {
  return { id, incarnation, addresses, location, tag, constants, reach, joinedAt }
}

function sameContent(a: FactContent, b: FactContent): boolean {
  if ('certificate' in a || 'certificate' in b) {
    if (!('certificate' in a) || !('certificate' in b)) return false
    const [mine, theirs] = [a.certificate, b.certificate]
    return (
      mine.suspect === theirs.suspect &&
      mine.incarnation === theirs.incarnation &&
      mine.accusers.length === theirs.accusers.length &&
      mine.accusers.every(({ signature }, i) => sameBytes(signature, theirs.accusers[i]?.signature))
    )
  }
  return (
    a.statement.kind === b.statement.kind &&
    a.statement.signer === b.statement.signer &&
    sameBytes(a.statement.signature, b.statement.signature) &&
    sameBytes(a.statement.body, b.statement.body)
  )
}

function sameBytes(a: Uint8Array, b: Uint8Array | undefined): boolean {
  return a.length === b?.length && a.every((byte, i) => byte === b[i])
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
