/** XSalsa20 in JavaScript. A page may forbid WebAssembly. */
import { xsalsa20 } from '@noble/ciphers/salsa.js'
import type { StreamCipher } from '../types.ts'

/** Bytes of a block of the key stream. */
const block = 64

export function createCipher(nonce: Uint8Array, key: Uint8Array): StreamCipher {
  const [ownNonce, ownKey] = [nonce.slice(), key.slice()]
  let at = 0
  return {
    update(input) {
      // The library begins at a block. The first bytes may lie within one.
      const skipped = at % block
      const padded = new Uint8Array(skipped + input.length)
      padded.set(input, skipped)
      const output = xsalsa20(ownKey, ownNonce, padded, undefined, Math.floor(at / block))
      at += input.length
      return output.subarray(skipped)
    },
    finalize: () => void ownKey.fill(0),
  }
}
