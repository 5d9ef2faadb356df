import fc from 'fast-check'
import { base58btc } from 'multiformats/bases/base58'
import { describe, expect, it } from 'vitest'
import { FrameError } from './errors.ts'
import { decodeId, encodeId, publicKeyBytes } from './id.ts'

const key = fc.uint8Array({ minLength: publicKeyBytes, maxLength: publicKeyBytes })

describe('node ids', () => {
  it('are the PeerId of the key, as libp2p writes it', () => {
    expect(encodeId(new Uint8Array(32))).toBe('12D3KooW9pNAk8aiBuGVQtWRdbkLmo5qVL3e2h5UxbN2Nz9ttwiw')
  })

  it('can be decoded to the key', () => {
    fc.assert(
      fc.property(key, (bytes) => {
        expect(decodeId(encodeId(bytes))).toEqual(bytes)
      }),
    )
  })

  it('sort as text in the order of the keys', () => {
    fc.assert(
      fc.property(key, key, (a, b) => {
        expect(Math.sign(Buffer.compare(a, b))).toBe(Math.sign(Number(encodeId(a) > encodeId(b)) - Number(encodeId(a) < encodeId(b))))
      }),
    )
  })

  it('cannot be made of anything but 32 bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        fc.pre(bytes.length !== publicKeyBytes)
        expect(() => encodeId(bytes)).toThrow(FrameError)
      }),
    )
  })

  it('are refused in any other form', () => {
    const rsa = 'QmYyQSo1c1Ym7orWxLYvCrM2EmxFTANf8wXmmE7DWjhx5N'
    for (const text of ['', 'x', '0OIl', rsa, `${encodeId(new Uint8Array(32))}2`]) expect(() => decodeId(text)).toThrow(FrameError)
    // As long as an Ed25519 PeerId, but of another type of key.
    const other = base58btc.baseEncode(Uint8Array.from([0x00, 0x24, 0x08, 0x02, 0x12, 0x20, ...new Uint8Array(32)]))
    expect(() => decodeId(other)).toThrow(FrameError)
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(() => decodeId(text)).toThrow(FrameError)
      }),
    )
  })
})
