/**
 * Builds all messages of attackers, signed with their own keys and encoded as on real hosts. Only
 * this file depends on the form of statements and frames.
 */
import {
  ProtobufCodec,
  defaultConfig,
  type Fact,
  type Member,
  type Message,
  type Milliseconds,
  type NodeId,
  type AgedFact,
} from '@jel/protocol'
import { certify, factOf, StatementCodec, type Content, type Statement } from '@jel/protocol/internals'
import type { Identity, Scheme } from '../protocol/identity.ts'

type Said = Exclude<Content, { readonly kind: 'unknown' }>

/** The bytes of a fact's name in an offer. */
const itemBytes = 11

/** A suspicion that somebody signed. */
export type Accusation = Statement & { readonly content: Extract<Content, { kind: 'suspicion' }> }

const codec = new ProtobufCodec(defaultConfig.limits)

export class Words {
  readonly id: NodeId
  readonly #statements: StatementCodec

  constructor(pool: string, identity: Identity, scheme: Pick<Scheme, 'verify'>) {
    this.id = identity.id
    this.#statements = new StatementCodec(pool, { sign: (message) => identity.sign(message), verify: scheme.verify })
  }

  joins(nonce: number): Statement {
    return this.#says({
      kind: 'joined',
      incarnation: 1,
      version: 1,
      nonce,
      addresses: [Uint8Array.of(4, 10, 255, 0, 0, 6, 15, 161)],
      location: '',
      tag: new Uint8Array(),
      constants: new Map(),
      reach: 'direct',
      joinedAt: 0,
    })
  }

  suspects({ id, incarnation }: Member, heartbeat: number): Statement {
    return this.#says({ kind: 'suspicion', suspect: id, incarnation, heartbeat })
  }

  /** Returns a left-statement in the name of the member, with a false signature. */
  leavesAs({ id, incarnation }: Member): Statement {
    return this.#statements.sign(id, { kind: 'left', incarnation })
  }

  stands(election: string, incarnation: number, withdrawn = false): Statement {
    return this.#says({ kind: 'candidacy', election, incarnation, sequence: 1, withdrawn })
  }

  claims(election: string, incarnation: number, epoch: number): Statement {
    return this.#says({ kind: 'claim', election, epoch, incarnation, sequence: 1 })
  }

  /** Returns a record of the greatest size and lifetime. */
  publishes(name: string, today: Milliseconds): Statement {
    const { recordBytes, recordLifetime } = defaultConfig.limits
    return this.#says({
      kind: 'record',
      name,
      version: today,
      expires: today + recordLifetime,
      value: new Uint8Array(recordBytes),
      withdrawn: false,
    })
  }

  #says(content: Said): Statement {
    return this.#statements.sign(this.id, content)
  }
}

/** Encodes a frame as on real hosts. */
export function encode(message: Message): Uint8Array {
  return codec.encodeFrame(message)
}

/** Encodes facts for the topic. The nonce distinguishes broadcasts of equal facts. */
export function encodeBroadcast(nonce: number, facts: readonly Fact[]): Uint8Array {
  return codec.encodeBroadcast({ nonce, facts })
}

export function factsOf(statements: readonly Statement[]): Fact[] {
  return statements.map((statement) => factOf({ statement }))
}

/** Sends statements as fresh facts. */
export function news(statements: readonly Statement[]): Message {
  return freshFacts(factsOf(statements))
}

export function freshFacts(facts: readonly AgedFact[]): Message {
  return { facts: { facts, fresh: true } }
}

/** Returns the fact with a claimed age. */
export function aged(fact: Fact, ageSeconds: number): AgedFact {
  return { fact, ageSeconds }
}

export function alarm(statements: readonly Statement[]): Message {
  return { alarm: { statements } }
}

/** Offers random names of facts that nobody has. */
export function offer(count: number, random: () => number): Message {
  const items = Uint8Array.from({ length: count * itemBytes }, (_, i) => (i % itemBytes === 0 ? 0 : Math.floor(random() * 256)))
  return { offer: { items } }
}

/** Returns the suspicions in a message. */
export function accusationsIn({ alarm }: Message): readonly Accusation[] {
  return (alarm?.statements ?? []).filter((statement): statement is Accusation => statement.content.kind === 'suspicion')
}

/** Returns the facts in a message. */
export function factsIn({ facts }: Message): readonly AgedFact[] {
  return facts?.facts ?? []
}

/** Returns true if the fact is the end of a life. */
export function isEnd({ says }: Fact): boolean {
  return says === 'left' || says === 'died'
}

/** Returns the election that a fact is about. */
export function electionOf({ content }: Fact): string | undefined {
  const said = 'statement' in content ? content.statement.content : undefined
  return said?.kind === 'candidacy' || said?.kind === 'claim' ? said.election : undefined
}

/** Makes a death certificate from suspicions of one life, whatever their age. */
export function deathOf(accusations: readonly Accusation[]): Fact {
  return factOf({ certificate: certify(accusations) })
}
