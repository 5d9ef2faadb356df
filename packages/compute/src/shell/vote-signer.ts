import { createSigningKey, importPublicKey, isSigned, sha256, type PublicKey } from '#platform/crypto'
import type { Pool } from '@jel/jel'
import type { Signer } from '../core/context.ts'
import type { Entry, Task, Vote } from '../core/entry.ts'
import type { JobId, MemberId } from '../core/io.ts'
import { STEP_LENGTH } from '../core/path.ts'
import { NOTHING_SHARED, type Shared } from '../core/shared-value.ts'
import { stepOf } from '../executors/step.ts'
import { concat, equals, fromString } from 'uint8arrays'

/** Bytes of a public key, and of a signature (Ed25519). */
const [KEY_BYTES, SIGNATURE_BYTES] = [32, 64]
/**
 * Bytes of the proof of a vote: the process's key, the member's signature of that key, and the
 * signature of the vote.
 */
export const PROOF_BYTES = KEY_BYTES + 2 * SIGNATURE_BYTES
/**
 * Maximum number of voters whose keys stay imported. A guess: the voters of a job with many
 * members.
 */
const MAX_KEPT = 256

type Signing = Pick<Pool, 'self' | 'sign' | 'isSignedBy'>

/**
 * Signs votes, and verifies the votes of others. The scheduler signs synchronously, but the
 * member's own key may be in another thread. So each process has a key for its votes. Each vote
 * carries a certificate: this key, signed by the member. So a vote contains all data that its
 * verification needs.
 */
export class VoteSigner implements Signer {
  readonly #pool: Signing
  readonly #key = createSigningKey()
  /** The public key of this process, and the member's signature of it. */
  #certificate = new Uint8Array()
  readonly #imported = new Map<MemberId, { readonly certificate: Uint8Array; readonly key: PublicKey }>()

  constructor(pool: Signing) {
    this.#pool = pool
  }

  /** Creates the certificate. Votes of this member do not count before this has resolved. */
  async start(): Promise<void> {
    const { publicKey } = this.#key
    this.#certificate = concat([publicKey, await this.#pool.sign(keyStatement(publicKey))])
  }

  readonly sign = (job: JobId, entry: Entry, leaf: boolean): Uint8Array =>
    concat([this.#certificate, this.#key.sign(statement(job, entry, leaf))])

  readonly verify = (job: JobId, entry: Entry, { by, signature, leaf }: Vote): boolean => {
    if (signature.length !== PROOF_BYTES) return false
    const key = this.#keyOf(by, signature.subarray(0, -SIGNATURE_BYTES))
    return key !== undefined && isSigned(key, statement(job, entry, leaf), signature.subarray(-SIGNATURE_BYTES))
  }

  readonly isGenuine = ({ path, fn, input, occurrence = 0 }: Task): boolean => stepOf(fn, input, occurrence) === path.slice(-STEP_LENGTH)

  /** Returns undefined if that member did not sign the key. */
  #keyOf(member: MemberId, certificate: Uint8Array): PublicKey | undefined {
    const known = this.#imported.get(member)
    if (known !== undefined && equals(known.certificate, certificate)) return known.key
    const bytes = certificate.subarray(0, KEY_BYTES)
    if (!this.#pool.isSignedBy(member, keyStatement(bytes), certificate.subarray(KEY_BYTES))) return undefined
    const key = importPublicKey(bytes)
    const [oldest] = this.#imported.keys()
    if (known === undefined && this.#imported.size >= MAX_KEPT && oldest !== undefined) this.#imported.delete(oldest)
    this.#imported.set(member, { certificate: Uint8Array.from(certificate), key })
    return key
  }
}

function keyStatement(key: Uint8Array): Uint8Array {
  return concat([fromString('jel.compute key of votes\n'), key])
}

/** All failures count as the same outcome, since their messages differ from member to member. */
function statement(job: JobId, { path, outcome, shared, given = NOTHING_SHARED }: Entry, leaf: boolean): Uint8Array {
  const isValue = 'value' in outcome
  const head = `jel.compute vote\n${job}\n${path}\n${isValue ? 'value' : 'failure'} ${leaf ? 'leaf' : 'tree'} ${digestOf(given)} ${isValue ? digestOf(shared) : ''}\n`
  return concat([fromString(head), isValue ? outcome.value : new Uint8Array()])
}

/** Returns the same digest for the same shared values in any order. */
function digestOf(shared: Shared): string {
  const sorted = [...shared].sort(([left], [right]) => (left < right ? -1 : 1))
  return sha256(
    ...sorted.flatMap(([name, { rule, key, values }]) => [
      JSON.stringify([name, rule, String(key), values.map(({ length }) => length)]),
      ...values,
    ]),
  )
}
