/** The binary form of statements, and their signatures. */
import type { Config } from '../base/config.ts'
import { BoundError, FrameError } from '../base/errors.ts'
import { decodeId, encodeId } from '../base/id.ts'
import type { Constants, NodeId, Reach, Signing } from '../base/values.ts'
import { maxNameBytes, nameProblem } from '../base/name.ts'
import { eventBytes, isEventName, readEvent } from './event.ts'
import { constantsProblem, noConstants } from './constants.ts'
import { decode } from './decode.ts'
import * as wire from '../wire/messages.js'
import { kinds, type Content, type Statement, type Unknown } from './statement.ts'

/** Bytes of an Ed25519 signature (RFC 8032). */
const signatureBytes = 64
/**
 * Bytes that a later version may add to the largest body of a kind, or to the fact that contains
 * the body. Guess: a number or two, and a hash. This node refuses a larger body, since more unread
 * bytes can only be padding.
 */
export const spareBytes = 64
/** Upper bounds, in bytes: a number with its tag, and the tag and length of a field of bytes. */
const [numberBytes, frameBytes] = [10, 4]
const encoder = new TextEncoder()

/** Signs the statements of one pool and checks their signatures. */
export class StatementCodec {
  readonly #prefix: Uint8Array
  readonly #services: Signing

  constructor(pool: string, services: Signing) {
    this.#prefix = encoder.encode(`jel statement 1\0${pool}\0`)
    this.#services = services
  }

  /** Signs with this node's own key, or with another one. */
  sign<C extends Exclude<Content, Unknown>>(signer: NodeId, content: C, key: Pick<Signing, 'sign'> = this.#services): Statement<C> {
    // Copies: the encoded bytes are a view of a shared buffer of 64 KiB, and would keep the buffer
    // in memory.
    const body = encodeBody(content).slice()
    const kind = kinds[content.kind]
    return { signer, content, kind, body, signature: key.sign(this.#message(kind, body)) }
  }

  /**
   * True if the signature is the signer's. Costs about 0.1 ms with Ed25519, so check cheap things
   * first.
   */
  verify(statement: Pick<Statement, 'signer' | 'kind' | 'body' | 'signature'>): boolean {
    return this.#services.verify(statement.signer, this.#message(statement.kind, statement.body), statement.signature)
  }

  #message(kind: number, body: Uint8Array): Uint8Array {
    const message = new Uint8Array(this.#prefix.length + 4 + body.length)
    message.set(this.#prefix)
    new DataView(message.buffer).setUint32(this.#prefix.length, kind)
    message.set(body, this.#prefix.length + 4)
    return message
  }
}

/** The values of {@link Reach}. The index of a value is its number on the wire. */
const reaches: readonly Reach[] = ['direct', 'hidden', 'tab']

/** Reads a statement and checks every bound, but not the signature. Throws {@link FrameError}. */
export function readStatement(message: wire.Statement, limits: Config['limits']): Statement {
  if (message.signature.length !== signatureBytes)
    throw new FrameError(`a signature has ${signatureBytes} bytes, not ${message.signature.length}`)
  const content = readContent(message.kind, message.body, limits)
  // Copies: a decoded field is a view of the whole received frame, and would keep the frame in
  // memory.
  return {
    signer: encodeId(message.signer),
    content,
    kind: message.kind,
    body: message.body.slice(),
    signature: message.signature.slice(),
  }
}

/**
 * Returns the largest size of a body of this kind, in bytes. A node bounds the bytes of its facts,
 * not only their number.
 */
function mostBodyBytes(kind: number, limits: Config['limits']): number {
  const name = frameBytes + maxNameBytes
  switch (kind) {
    case kinds.joined:
      return (
        spareBytes +
        5 * numberBytes +
        limits.addresses * (frameBytes + limits.addressBytes) +
        (frameBytes + limits.locationBytes) +
        (frameBytes + limits.tagBytes) +
        (limits.constants * 3 * frameBytes + limits.constantsBytes)
      )
    case kinds.record:
      return spareBytes + 4 * numberBytes + name + frameBytes + Math.max(eventBytes, limits.recordBytes)
    case kinds.left:
    case kinds.suspicion:
    case kinds.refutation:
    case kinds.candidacy:
    case kinds.claim:
      return spareBytes + 4 * numberBytes + name
    default:
      return limits.unknownBodyBytes
  }
}

function readContent(kind: number, body: Uint8Array, limits: Config['limits']): Content {
  const most = mostBodyBytes(kind, limits)
  if (body.length > most) throw new BoundError(`a statement of kind ${kind} has at most ${most} bytes, not ${body.length}`)
  switch (kind) {
    case kinds.joined: {
      const { incarnation, version, nonce, addresses, location, tag, joinedAt, constants, reach } = decode(wire.Joined, body, {
        addresses: limits.addresses,
      })
      checkCounter('incarnation', incarnation, limits)
      if (addresses.some((address) => address.length === 0 || address.length > limits.addressBytes)) {
        throw new FrameError(`an address has 1 to ${limits.addressBytes} bytes`)
      }
      if (encoder.encode(location).length > limits.locationBytes)
        throw new FrameError(`a location has at most ${limits.locationBytes} bytes`)
      if (tag.length > limits.tagBytes) throw new FrameError(`a tag has at most ${limits.tagBytes} bytes`)
      if (joinedAt > limits.counter) throw new FrameError(`joinedAt ${joinedAt} is out of range`)
      const copies = addresses.map((address) => address.slice())
      const attributes = readConstants(constants, limits)
      const own = { addresses: copies, location, tag: tag.slice(), constants: attributes, reach: reaches[reach] ?? 'hidden' }
      return { kind: 'joined', incarnation, version, nonce, ...own, joinedAt }
    }
    case kinds.left: {
      const { incarnation } = decode(wire.Left, body)
      checkCounter('incarnation', incarnation, limits)
      return { kind: 'left', incarnation }
    }
    case kinds.suspicion: {
      const { suspect, incarnation, heartbeat } = decode(wire.Suspicion, body)
      checkCounter('incarnation', incarnation, limits)
      const content = { kind: 'suspicion', suspect: encodeId(suspect), incarnation, heartbeat } as const
      // A certificate holds only the content of an accusation, and its receivers encode that
      // content again. So the body must be exactly this encoding.
      if (!sameBytes(body, encodeBody(content))) throw new FrameError('a suspicion whose body is not the encoding of its content')
      return content
    }
    case kinds.refutation: {
      const { incarnation, heartbeat } = decode(wire.Refutation, body)
      checkCounter('incarnation', incarnation, limits)
      return { kind: 'refutation', incarnation, heartbeat }
    }
    case kinds.candidacy: {
      const { election, incarnation, sequence, withdrawn } = decode(wire.Candidacy, body)
      checkCounter('incarnation', incarnation, limits)
      checkName('election', election)
      return { kind: 'candidacy', election, incarnation, sequence, withdrawn }
    }
    case kinds.claim: {
      const { election, epoch, incarnation, sequence } = decode(wire.Claim, body)
      checkCounter('incarnation', incarnation, limits)
      checkCounter('epoch', epoch, limits)
      checkName('election', election)
      return { kind: 'claim', election, epoch, incarnation, sequence }
    }
    case kinds.record: {
      const { name, version, expires, ends, value, withdrawn } = decodeRecord(body)
      checkCounter('version', version, limits)
      checkCounter('expires', expires, limits)
      checkName('record', name)
      const most = isEventName(name) ? eventBytes : limits.recordBytes
      if (value.length > most) throw new FrameError(`the value of a record has at most ${most} bytes`)
      if (isEventName(name) && !withdrawn) readEvent(value, limits)
      if (withdrawn && value.length > 0) throw new FrameError('a withdrawn record with a value')
      return {
        kind: 'record',
        name,
        version,
        expires,
        ends: ends > 0 && ends < expires ? ends : undefined,
        value: value.slice(),
        withdrawn,
      }
    }
    default: {
      if (kind === 0) throw new FrameError('a statement without a kind')
      return { kind: 'unknown' }
    }
  }
}

/**
 * Decodes a record. A node of release 0.1.0 does not read `ends`. It forwards a record whose `ends`
 * is malformed. So the peer that sent this record may be honest. The {@link BoundError} makes the
 * receiver drop this statement alone.
 */
function decodeRecord(body: Uint8Array): wire.Record {
  try {
    return decode(wire.Record, body)
  } catch (cause) {
    throw new BoundError(`a record that can't be decoded: ${String(cause)}`, { cause })
  }
}

function readConstants(told: readonly wire.Constant[], limits: Config['limits']): Constants {
  if (told.length === 0) return noConstants
  const constants = new Map<string, Uint8Array>()
  let last = ''
  for (const { name, value } of told) {
    if (name <= last) throw new BoundError('constants stand in the order of their names, each once')
    constants.set(name, value.slice())
    last = name
  }
  const problem = constantsProblem(constants, limits)
  if (problem !== undefined) throw new BoundError(problem)
  return constants
}

function checkCounter(what: string, value: number, limits: Config['limits']): void {
  if (!Number.isSafeInteger(value) || value < 1 || value > limits.counter) throw new FrameError(`${what} ${value} is out of range`)
}

/** Returns the wire form, for a frame. */
export function statementToWire({ kind, signer, body, signature }: Statement): wire.Statement {
  return {
    kind,
    signer: decodeId(signer) as Uint8Array<ArrayBuffer>,
    body: body as Uint8Array<ArrayBuffer>,
    signature: signature as Uint8Array<ArrayBuffer>,
  }
}

/**
 * Returns the body of an accusation in a certificate. A certificate holds the common content of its
 * accusers only once.
 */
export function encodeAccusation(suspect: NodeId, incarnation: number, heartbeat: number): Uint8Array {
  return encodeBody({ kind: 'suspicion', suspect, incarnation, heartbeat })
}

function encodeBody(content: Exclude<Content, Unknown>): Uint8Array {
  switch (content.kind) {
    case 'joined':
      return wire.Joined.encode({
        ...content,
        addresses: [...content.addresses] as Uint8Array<ArrayBuffer>[],
        tag: content.tag as Uint8Array<ArrayBuffer>,
        reach: reaches.indexOf(content.reach),
        constants: Array.from(content.constants, ([name, value]) => ({ name, value: value as Uint8Array<ArrayBuffer> })),
      })
    case 'left':
      return wire.Left.encode(content)
    case 'suspicion':
      return wire.Suspicion.encode({ ...content, suspect: decodeId(content.suspect) as Uint8Array<ArrayBuffer> })
    case 'refutation':
      return wire.Refutation.encode(content)
    case 'candidacy':
      return wire.Candidacy.encode(content)
    case 'claim':
      return wire.Claim.encode(content)
    case 'record':
      return wire.Record.encode({ ...content, ends: content.ends ?? 0, value: content.value as Uint8Array<ArrayBuffer> })
  }
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i])
}

function checkName(what: string, name: string): void {
  const problem = nameProblem(name)
  if (problem !== undefined) throw new FrameError(`the name of ${what === 'election' ? 'an' : 'a'} ${what} ${problem}`)
}
