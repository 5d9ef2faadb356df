import { generateKeyPairSync, sign, verify, type KeyObject } from 'node:crypto'
import type { Pool } from '@jel/jel'
import { describe, expect, it } from 'vitest'
import type { Entry } from '../core/entry.ts'
import { stepOf } from '../executors/step.ts'
import { PROOF_BYTES, VoteSigner } from './vote-signer.ts'

const entry: Entry = { path: 'a', outcome: { value: Uint8Array.of(1) }, shared: new Map() }
const other: Entry = { ...entry, outcome: { value: Uint8Array.of(2) } }

/** A pool that knows members by their keys, whether they are present or not. */
class Keys {
  readonly #keys = new Map<string, KeyObject>()

  readonly #own = new Map<string, KeyObject>()

  /** A process of that member. */
  async member(id: string): Promise<VoteSigner> {
    const made = generateKeyPairSync('ed25519')
    const privateKey = this.#own.get(id) ?? made.privateKey
    if (!this.#own.has(id)) this.#keys.set(id, made.publicKey)
    this.#own.set(id, privateKey)
    const pool = {
      self: { id },
      sign: (message: Uint8Array) => Promise.resolve(new Uint8Array(sign(null, message, privateKey))),
      isSignedBy: (by: string, message: Uint8Array, signature: Uint8Array) =>
        verify(null, message, this.#keys.get(by) as KeyObject, signature),
    }
    const signer = new VoteSigner(pool as unknown as Pool)
    await signer.start()
    return signer
  }
}

describe('a task', () => {
  it('is genuine if its path fits its function, its input and its index among equal siblings', async () => {
    const ann = await new Keys().member('ann')
    const input = Uint8Array.of(1)
    const first = { path: 'a'.repeat(10) + stepOf('f', input, 0), fn: 'f', input }
    const second = { ...first, path: stepOf('f', input, 1), occurrence: 1 }
    expect([first, second].map((task) => ann.isGenuine(task))).toEqual([true, true])
    const forged = [
      { ...first, fn: 'g' },
      { ...first, input: Uint8Array.of(2) },
      { ...first, occurrence: 1 },
      { ...second, occurrence: 0 },
    ]
    expect(forged.map((task) => ann.isGenuine(task))).toEqual([false, false, false, false])
  })
})

describe('a vote', () => {
  it('proves its voter, job and outcome by itself', async () => {
    const keys = new Keys()
    const [ann, bob] = [await keys.member('ann'), await keys.member('bob')]
    const signature = ann.sign('job', entry, true)
    expect(signature).toHaveLength(PROOF_BYTES)
    const vote = { by: 'ann', leaf: true, signature }
    expect(bob.verify('job', entry, vote)).toBe(true)
    expect(bob.verify('job', other, vote)).toBe(false)
    expect(bob.verify('another', entry, vote)).toBe(false)
    expect(bob.verify('job', entry, { ...vote, leaf: false })).toBe(false)
    expect(bob.verify('job', entry, { ...vote, signature: signature.subarray(1) })).toBe(false)
  })

  it('of a later process of the same member counts beside those of the first process', async () => {
    const keys = new Keys()
    const bob = await keys.member('bob')
    const processes = [await keys.member('ann'), await keys.member('ann')]
    const votes = processes.map((ann) => ({ by: 'ann', leaf: true, signature: ann.sign('job', entry, true) }))
    for (const vote of [...votes, ...votes]) expect(bob.verify('job', entry, vote)).toBe(true)
  })

  it('is refused from a member that only forwards the certificate of another', async () => {
    const keys = new Keys()
    const [ann, bob, liar] = [await keys.member('ann'), await keys.member('bob'), await keys.member('liar')]
    const [anns, liars] = [ann.sign('job', entry, true), liar.sign('job', other, true)]
    // Ann's certificate, followed by a signature of another key.
    const forged = Uint8Array.from([...anns.subarray(0, PROOF_BYTES - 64), ...liars.subarray(-64)])
    expect(bob.verify('job', other, { by: 'ann', leaf: true, signature: forged })).toBe(false)
    expect(bob.verify('job', other, { by: 'ann', leaf: true, signature: liars })).toBe(false)
  })
})
