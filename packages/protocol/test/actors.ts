/** Actors: identities that sign in tests, honestly or not. */
import { createHash } from 'node:crypto'
import { defaultConfig } from '../src/base/config.ts'
import { encodeId } from '../src/base/id.ts'
import type { NodeId } from '../src/base/values.ts'
import { createRandom } from '../src/base/random.ts'
import type { Services } from '../src/context/services.ts'
import { certify, type Certificate } from '../src/facts/certificate.ts'
import { Fact } from '../src/facts/fact.ts'
import { readStatement, StatementCodec, statementToWire } from '../src/facts/statement-codec.ts'
import type {
  Candidacy,
  Claim,
  Content,
  Joined,
  Left,
  RecordContent,
  Refutation,
  Statement,
  Accusation,
  Unknown,
} from '../src/facts/statement.ts'
import { factToWire } from '../src/frames/protobuf-codec.ts'
import type * as wire from '../src/wire/messages.js'

export const pool = 'test-pool'

/**
 * Replaces signatures in tests: 64 bytes that depend on the signer and on each byte of the message.
 * Seals are quick, and the same in every run.
 */
export function seal(signer: NodeId, message: Uint8Array): Uint8Array {
  return Uint8Array.from(createHash('sha512').update(signer).update(message).digest())
}

export function checkSeal(signer: NodeId, message: Uint8Array, signature: Uint8Array): boolean {
  return Buffer.compare(seal(signer, message), signature) === 0
}

/** The time of all calendars. */
export const calendar = 1_800_000_000_000

export function servicesOf(id: NodeId, seed = 1): Services {
  return { sign: (message) => seal(id, message), verify: checkSeal, random: createRandom(seed), today: () => calendar }
}

export class Actor {
  readonly id: NodeId
  readonly codec: StatementCodec
  incarnation = 1
  readonly #pool: string

  constructor(id: NodeId, poolName = pool) {
    this.id = id
    this.#pool = poolName
    this.codec = new StatementCodec(poolName, servicesOf(id))
  }

  joined(details: Partial<Omit<Joined, 'kind'>> = {}): Statement<Joined> {
    return this.#sign({
      kind: 'joined',
      incarnation: this.incarnation,
      version: 1,
      nonce: 7,
      addresses: [Uint8Array.of(4, 127, 0, 0, 1, 6, 1, 2)],
      location: 'here',
      tag: new Uint8Array(0),
      constants: new Map(),
      reach: 'direct',
      joinedAt: calendar,
      ...details,
    })
  }

  /** Reads a statement as any node does. */
  read(message: wire.Statement): Statement {
    return readStatement(message, defaultConfig.limits)
  }

  left(incarnation = this.incarnation): Statement<Left> {
    return this.#sign({ kind: 'left', incarnation })
  }

  suspects(suspect: Actor, heartbeat = 0, incarnation = suspect.incarnation): Statement<Accusation> {
    return this.#sign({ kind: 'suspicion', suspect: suspect.id, incarnation, heartbeat })
  }

  refutes(heartbeat: number): Statement<Refutation> {
    return this.#sign({ kind: 'refutation', incarnation: this.incarnation, heartbeat })
  }

  stands(election: string, details: Partial<Candidacy> = {}): Statement<Candidacy> {
    return this.#sign({ kind: 'candidacy', election, incarnation: this.incarnation, sequence: 1, withdrawn: false, ...details })
  }

  claims(election: string, epoch: number, details: Partial<Claim> = {}): Statement<Claim> {
    return this.#sign({ kind: 'claim', election, epoch, incarnation: this.incarnation, sequence: 1, ...details })
  }

  publishes(name: string, details: Partial<Omit<RecordContent, 'kind' | 'name'>> = {}): Statement<RecordContent> {
    const value = details.withdrawn === true ? new Uint8Array() : Uint8Array.of(1, 2, 3)
    return this.#sign({ kind: 'record', name, version: calendar, expires: calendar + 60_000, value, withdrawn: false, ...details })
  }

  /** Returns a statement of a chosen kind with a chosen body. */
  says(kind: number, body: Uint8Array, content: Content = { kind: 'unknown' }): Statement {
    return { signer: this.id, content, kind, body, signature: seal(this.id, messageOf(this.#pool, kind, body)) }
  }

  #sign<C extends Exclude<Content, Unknown>>(content: C): Statement<C> {
    return this.codec.sign(this.id, content)
  }
}

/**
 * Returns the signed bytes. Tests define them a second time, since any change of them would split
 * pools.
 */
export function messageOf(poolName: string, kind: number, body: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`jel statement 1\0${poolName}\0`), Uint8Array.of(kind >>> 24, kind >>> 16, kind >>> 8, kind), body])
}

/** Actors in the order of their ids. */
export function actors(count: number, seed = 1): Actor[] {
  const random = createRandom(seed)
  const ids = Array.from({ length: count }, () => encodeId(Uint8Array.from({ length: 32 }, () => Math.floor(random() * 256))))
  return ids.sort().map((id) => new Actor(id))
}

export function death(suspect: Actor, accusers: readonly Actor[], heartbeat = 0, incarnation = suspect.incarnation): Certificate {
  return certify(accusers.map((accuser) => accuser.suspects(suspect, heartbeat, incarnation)))
}

/** Returns the wire form of a fact about a member or an election. */
export function wireFact(content: Statement | Certificate, { ageSeconds = 0 }: { ageSeconds?: number } = {}): wire.Fact {
  // Any key will do, as it is not sent. So tests can also send content that is no fact.
  const fact = new Fact('', 'signer' in content ? { statement: content } : { certificate: content })
  return factToWire({ fact, ageSeconds })
}

export function facts(contents: readonly (Statement | Certificate)[], fresh = false): wire.Frame {
  return { facts: { facts: contents.map((content) => wireFact(content)), fresh } }
}

export function alarm(...statements: readonly Statement[]): wire.Frame {
  return { alarm: { statements: statements.map(statementToWire) } }
}

/** Returns the same statement under a signature that is not its signer's. */
export function forged<C extends Content>(statement: Statement<C>): Statement<C> {
  const signature = statement.signature.slice()
  signature[20] = (signature[20] as number) ^ 1
  return { ...statement, signature }
}
