/** A key pair, which costs an attacker nothing, and the statements that it can sign. */
import { generateKeyPairSync } from 'node:crypto'
import { encodeId } from '@jel/protocol'
import { StatementCodec, statementToWire, type wire, type Content, type Statement } from '@jel/protocol/internals'
import { createServices } from '@jel/overlay/internals'
import { privateKeyFromRaw } from '@libp2p/crypto/keys'
import type { Ed25519PrivateKey } from '@libp2p/interface'

type Said = Exclude<Content, { readonly kind: 'unknown' }>

export class Sybil {
  readonly id: string
  readonly privateKey: Ed25519PrivateKey
  readonly #codec: StatementCodec

  /** Default: a new key. */
  constructor(pool: string, privateKey: Ed25519PrivateKey = newKey()) {
    this.privateKey = privateKey
    this.id = encodeId(privateKey.publicKey.raw)
    this.#codec = new StatementCodec(pool, createServices(privateKey))
  }

  /** Signs any content. The statement may name any signer, even another member. */
  says(content: Said, signer: string = this.id): Statement {
    return this.#codec.sign(signer, content)
  }

  joins(addresses: readonly Uint8Array[] = [], incarnation = 1, tag = new Uint8Array(0)): Statement {
    return this.says({
      kind: 'joined',
      incarnation,
      version: 1,
      nonce: 1,
      addresses,
      location: 'nowhere',
      tag,
      constants: new Map(),
      reach: 'direct',
      joinedAt: 0,
    })
  }

  suspects(suspect: string, incarnation: number, heartbeat = 0): Statement {
    return this.says({ kind: 'suspicion', suspect, incarnation, heartbeat })
  }
}

function newKey(): Ed25519PrivateKey {
  const { d, x } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  return privateKeyFromRaw(Buffer.concat([Buffer.from(d ?? '', 'base64url'), Buffer.from(x ?? '', 'base64url')])) as Ed25519PrivateKey
}

/** A frame of facts with these statements. */
export function told(statements: readonly Statement[], fresh = true): wire.Frame {
  return { facts: { facts: statements.map((statement) => ({ statement: statementToWire(statement), ageSeconds: 0 })), fresh } }
}
