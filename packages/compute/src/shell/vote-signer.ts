import { createHash, createPublicKey, generateKeyPairSync, sign, verify, type KeyObject } from 'node:crypto'
import type { Signer } from '../core/context.ts'
import type { Entry, Vote } from '../core/entry.ts'
import type { JobId, MemberId } from '../core/io.ts'
import { NOTHING_SHARED, type Shared } from '../core/shared-value.ts'

/** Bytes of a public key. */
const KEY_BYTES = 32

/** Signs votes by a key of this process (Ed25519), which its member tells, and checks those of others by theirs. */
export class VoteSigner implements Signer {
  readonly #keys = generateKeyPairSync('ed25519')
  readonly #known = new Map<MemberId, { readonly bytes: Uint8Array; readonly key: KeyObject }>()
  readonly #keyOf: (member: MemberId) => Uint8Array | undefined
  readonly #onSigned: () => void

  /** `keyOf`: what a member says of itself. `onSigned`: this one votes. */
  constructor(keyOf: (member: MemberId) => Uint8Array | undefined, onSigned = (): void => {}) {
    this.#keyOf = keyOf
    this.#onSigned = onSigned
  }

  get publicKey(): Uint8Array {
    return new Uint8Array(Buffer.from(this.#keys.publicKey.export({ format: 'jwk' }).x as string, 'base64url'))
  }

  readonly sign = (job: JobId, entry: Entry, leaf: boolean): Uint8Array => {
    this.#onSigned()
    return new Uint8Array(sign(null, statement(job, entry, leaf), this.#keys.privateKey))
  }

  readonly verify = (job: JobId, entry: Entry, { by, signature, leaf }: Vote): boolean => {
    const key = this.#key(by)
    return key !== undefined && verify(null, statement(job, entry, leaf), key, signature)
  }

  #key(member: MemberId): KeyObject | undefined {
    const bytes = this.#keyOf(member)
    if (bytes?.length !== KEY_BYTES) return undefined
    const known = this.#known.get(member)
    if (known !== undefined && Buffer.compare(known.bytes, bytes) === 0) return known.key
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(bytes).toString('base64url') }, format: 'jwk' })
    this.#known.set(member, { bytes, key })
    return key
  }
}

/** All failures are one outcome: their messages differ from member to member. */
function statement(job: JobId, { path, outcome, shared, given = NOTHING_SHARED }: Entry, leaf: boolean): Uint8Array {
  const isValue = 'value' in outcome
  const head = `jel.compute vote\n${job}\n${path}\n${isValue ? 'value' : 'failure'} ${leaf ? 'leaf' : 'tree'} ${digestOf(given)} ${isValue ? digestOf(shared) : ''}\n`
  return Buffer.concat([Buffer.from(head), isValue ? outcome.value : new Uint8Array()])
}

/** The same for the same shared values, in whatever order they came. */
function digestOf(shared: Shared): string {
  const hash = createHash('sha256')
  for (const [name, { rule, key, values }] of [...shared].sort(([left], [right]) => (left < right ? -1 : 1))) {
    hash.update(JSON.stringify([name, rule, String(key), values.map(({ length }) => length)]))
    for (const value of values) hash.update(value)
  }
  return hash.digest('hex')
}
