import { describe, expect, it } from 'vitest'
import * as browserCipher from './browser/cipher.ts'
import * as browserCrypto from './browser/crypto.ts'
import * as browserMachine from './browser/machine.ts'
import * as nodeCipher from './node/cipher.ts'
import * as nodeCrypto from './node/crypto.ts'
import * as nodeMachine from './node/machine.ts'

const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, (_, i) => (i * 7 + length) % 256)

describe('the modules of a browser', () => {
  it('have the exports of those of Node', () => {
    for (const [browser, node] of [
      [browserCipher, nodeCipher],
      [browserCrypto, nodeCrypto],
      [browserMachine, nodeMachine],
    ])
      expect(Object.keys(browser as object).toSorted()).toEqual(Object.keys(node as object).toSorted())
  })

  it('hash as Node does', () => {
    expect(browserCrypto.sha256('a')).toEqual(new Uint8Array(nodeCrypto.sha256('a')))
    expect(browserCrypto.sha256Text(bytes(99)).replace(/=*$/u, '')).toBe(nodeCrypto.sha256Text(bytes(99)).replace(/=*$/u, ''))
    expect(browserCrypto.randomBytes(16)).toHaveLength(16)
  })

  it('sign as Node does, and believe the same signatures', () => {
    const seed = bytes(32)
    const message = bytes(200)
    const signature = browserCrypto.createSigner(seed)(message)
    expect(signature).toEqual(nodeCrypto.createSigner(seed)(message))
    const key = Uint8Array.from(Buffer.from('03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8', 'hex'))
    const own = Uint8Array.from({ length: 32 }, (_, i) => i)
    const signed = nodeCrypto.createSigner(own)(message)
    for (const [sign, expected] of [
      [signed, true],
      [signature, false],
    ] as const) {
      expect(browserCrypto.isSigned(browserCrypto.importPublicKey(key), message, sign)).toBe(expected)
      expect(nodeCrypto.isSigned(nodeCrypto.importPublicKey(key), message, sign)).toBe(expected)
    }
    expect(() => browserCrypto.importPublicKey(new Uint8Array(32).fill(0xff))).toThrow(/./u)
  })

  it('encrypt as Node does, whatever the pieces', () => {
    const pieces = [1, 63, 64, 65, 200, 0, 7, 70_000].map(bytes)
    const ciphers = [browserCipher, nodeCipher].map(({ createCipher }) => createCipher(bytes(24), bytes(32)))
    for (const piece of pieces) {
      const [browser, node] = ciphers.map((cipher) => Buffer.from(cipher.update(piece)).toString('hex'))
      expect(browser).toBe(node)
    }
  })
})
