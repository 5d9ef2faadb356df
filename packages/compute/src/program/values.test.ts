import { JelError } from '@jel/protocol'
import { describe, expect, it } from 'vitest'
import { decodeValue, encodeValue, MAX_VALUE_BYTES } from './values.ts'

describe('values as bytes', () => {
  it.each([
    ['equal numbers, however they came to be', [3, 0.5 + 2.5]],
    ['equal arrays, whatever else they held', [[1, 2], [1.5, 2].map((each) => Math.floor(each))]],
    ['equal texts, cut from wider ones', ['ab', 'abü'.slice(0, 2)]],
  ])('are the same for %s', (_, [one, other]) => {
    expect(encodeValue(one)).toEqual(encodeValue(other))
  })

  it.each([[() => 1], [Symbol('x')], [{ deep: [Promise.resolve()] }]])('are refused for %s', (value) => {
    expect(() => encodeValue(value)).toThrow(expect.objectContaining({ code: 'VALUE_UNCLONABLE' }))
  })

  it('that can’t be sent are errors as all others of jel', () => {
    for (const value of [() => 1, 'x'.repeat(MAX_VALUE_BYTES)]) expect(() => encodeValue(value)).toThrow(JelError)
    expect(() => encodeValue('x'.repeat(MAX_VALUE_BYTES))).toThrow(
      expect.objectContaining({ code: 'VALUE_TOO_LARGE', name: 'ValueTooLargeError' }),
    )
  })

  it('hold bytes as plain bytes', () => {
    const back = decodeValue(encodeValue({ deep: [new Uint8Array([1, 2])] })) as { deep: Uint8Array[] }
    expect(back.deep[0]?.constructor).toBe(Uint8Array)
  })

  it('take no memory for what a few bytes claim to be', () => {
    expect(() => decodeValue(Uint8Array.of(0x9a, 0x05, 0xff, 0xff, 0xff))).toThrow(/exceeds/u)
  })

  it('keep cycles', () => {
    const ring: { self?: unknown } = {}
    ring.self = ring
    const back = decodeValue(encodeValue(ring)) as { self: unknown }
    expect(back.self).toBe(back)
  })
})
