/**
 * All that attackers say, signed with their own keys and encoded as on real hosts: the one file that knows what statements and frames look like.
 */
import {
  ProtobufCodec,
  defaultConfig,
  type Fact,
  type Member,
  type Message,
  type Milliseconds,
  type NodeId,
  type Told,
} from '@jel/protocol'
import { certify, factOf, StatementCodec, type Content, type Statement } from '@jel/protocol/internals'
import type { Identity, Scheme } from '../protocol/identity.ts'

type Said = Exclude<Content, { readonly kind: 'unknown' }>

/** Bytes of the name of a fact in an offer. */
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
      joinedAt: 0,
    })
  }

  suspects({ id, incarnation }: Member, beat: number): Statement {
    return this.#says({ kind: 'suspicion', suspect: id, incarnation, beat })
  }

  /** Under a signature that is not the member's. */
  leavesAs({ id, incarnation }: Member): Statement {
    return this.#statements.sign(id, { kind: 'left', incarnation })
  }

  stands(election: string, incarnation: number, withdrawn = false): Statement {
    return this.#says({ kind: 'candidacy', election, incarnation, sequence: 1, withdrawn })
  }

  claims(election: string, incarnation: number, epoch: number): Statement {
    return this.#says({ kind: 'claim', election, epoch, incarnation, sequence: 1 })
  }

  /** As long as it may be, for as long as it may be. */
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

/** A frame as bytes, as any host reads it. */
export function encode(message: Message): Uint8Array {
  return codec.encodeFrame(message)
}

/** Facts for the topic; the nonce tells it from another one with the same. */
export function encodeBroadcast(nonce: number, facts: readonly Fact[]): Uint8Array {
  return codec.encodeBroadcast({ nonce, facts })
}

export function factsOf(statements: readonly Statement[]): Fact[] {
  return statements.map((statement) => factOf({ statement }))
}

/** Statements told as news. */
export function news(statements: readonly Statement[]): Message {
  return told(factsOf(statements))
}

export function told(facts: readonly Told[]): Message {
  return { facts: { facts, fresh: true } }
}

/** A fact that claims to be so old. */
export function aged(fact: Fact, ageSeconds: number): Told {
  return { fact, ageSeconds }
}

export function alarm(statements: readonly Statement[]): Message {
  return { alarm: { statements } }
}

/** Facts that nobody has, by name. */
export function offer(count: number, random: () => number): Message {
  const items = Uint8Array.from({ length: count * itemBytes }, (_, i) => (i % itemBytes === 0 ? 0 : Math.floor(random() * 256)))
  return { offer: { items } }
}

/** The suspicions that a message carries. */
export function accusationsIn({ alarm }: Message): readonly Accusation[] {
  return (alarm?.statements ?? []).filter((statement): statement is Accusation => statement.content.kind === 'suspicion')
}

/** Facts told in a message. */
export function factsIn({ facts }: Message): readonly Told[] {
  return facts?.facts ?? []
}

/** Says that a life is over. */
export function isEnd({ says }: Fact): boolean {
  return says === 'left' || says === 'died'
}

/** The election that a fact is about. */
export function electionOf({ content }: Fact): string | undefined {
  const said = 'statement' in content ? content.statement.content : undefined
  return said?.kind === 'candidacy' || said?.kind === 'claim' ? said.election : undefined
}

/** Suspicions of one life as its death, whenever they were signed. */
export function deathOf(accusations: readonly Accusation[]): Fact {
  return factOf({ certificate: certify(accusations) })
}
