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

  const refused = [
    [() => 1],
    [Symbol('x')],
    [{ deep: [Promise.resolve()] }],
    [[-0, { deep: new WeakMap() }]],
    [new Map([[1, new SharedArrayBuffer(2)]])],
    [new Set([new WeakRef({})])],
    [new DataView(new ArrayBuffer(1))],
    [Object(1)],
  ]
  it.each(refused)('can not be made of %s', (value) => {
    expect(() => encodeValue(value)).toThrow(expect.objectContaining({ code: 'VALUE_UNCLONABLE' }))
  })

  it.each<[unknown, string | RegExp]>([
    [new URL('https://x.test/'), 'a value of type URL can not be sent to another member'],
    [{ deep: [1, new Headers()] }, 'a value of type Headers can not be sent to another member: it is at deep[1]'],
    [[new Blob(['x'])], 'a value of type Blob can not be sent to another member: it is at [0]'],
    [{ to: new Request('https://x.test/') }, 'a value of type Request can not be sent to another member: it is at to'],
    [new Map([['the end', { by: AbortSignal.abort() }]]), /type AbortSignal .* at \.get\(the end\)\.by$/u],
    [new Set([[new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0))]]), /type WebAssembly.Module .* at \{…\}\[0\]$/u],
    [{ a: { b: () => 1 } }, 'a value of type function can not be sent to another member: it is at a.b'],
    [{ a: Promise.resolve() }, 'a promise can not be sent to another member, await it first: it is at a'],
  ])('that others could not restore are refused with their type and place: %s', (value, message) => {
    expect(() => encodeValue(value)).toThrow(
      expect.objectContaining({
        code: 'VALUE_UNCLONABLE',
        message: typeof message === 'string' ? message : expect.stringMatching(message),
      }),
    )
  })

  it('of classes become plain objects with their fields', () => {
    class Point {
      readonly x = 1
      readonly [Symbol.toStringTag] = 'Point'
    }
    expect(decodeValue(encodeValue([new Point()]))).toEqual([{ x: 1 }])
    expect(decodeValue(encodeValue([new TypeError('x'), /x/u, new Date(1), {}, []]))).toMatchObject([
      new Error('x'),
      /x/u,
      new Date(1),
      {},
      [],
    ])
  })

  it.each<[string, unknown]>([
    ['a zero below zero', -0],
    ['some of them', { list: [0, -0], map: new Map([[-0.5, -0]]), set: new Set([new Float64Array([-0])]) }],
    ['bytes without a view', [Uint8Array.of(1, 2).buffer, -0]],
  ])('come back unchanged: %s', (_, value) => {
    const back = decodeValue(encodeValue(value))
    // Strict equality distinguishes the two zeros, and a buffer from a view of it.
    expect(back).toStrictEqual(value)
    expect(encodeValue(back)).toEqual(encodeValue(value))
  })

  it('keep the identity of an object that occurs twice', () => {
    const one = { zero: -0, buffer: new ArrayBuffer(2) }
    const back = decodeValue(encodeValue([one, one, one.buffer])) as [typeof one, typeof one, ArrayBuffer]
    expect([back[0] === back[1], back[0].buffer === back[2]]).toEqual([true, true])
  })

  it('that can’t be sent fail with errors of jel', () => {
    for (const value of [() => 1, 'x'.repeat(MAX_VALUE_BYTES)]) expect(() => encodeValue(value)).toThrow(JelError)
    expect(() => encodeValue('x'.repeat(MAX_VALUE_BYTES))).toThrow(
      expect.objectContaining({ code: 'VALUE_TOO_LARGE', name: 'ValueTooLargeError' }),
    )
  })

  it('come back with bytes as plain Uint8Arrays', () => {
    const back = decodeValue(encodeValue({ deep: [new Uint8Array([1, 2])] })) as { deep: Uint8Array[] }
    expect(back.deep[0]?.constructor).toBe(Uint8Array)
  })

  it('take no memory for a length that a few bytes claim', () => {
    expect(() => decodeValue(Uint8Array.of(0x9a, 0x05, 0xff, 0xff, 0xff))).toThrow(/exceeds/u)
  })

  it.each([0n, 255n, 2n ** 64n, 2n ** 200n + 1n, -1n, -(2n ** 64n), -(2n ** 200n)])('keep the integer %s', (value) => {
    expect(decodeValue(encodeValue({ value }))).toEqual({ value })
  })

  it.each([0xc2, 0xc3])('yield an integer of many bytes without delay (tag %d)', (tag) => {
    // CBOR: a tag, then the length. A decoder that adds byte by byte took a minute.
    const data = new Uint8Array(300_006).fill(0xff)
    data.set([tag, 0x5a, 0, 0x04, 0x93, 0xe0])
    const begin = performance.now()
    const value = decodeValue(data) as bigint
    expect(performance.now() - begin).toBeLessThan(1000)
    expect(BigInt.asUintN(16, value)).toBe(tag === 0xc2 ? 0xffffn : 0n)
  })

  it('keep cycles', () => {
    const ring: { self?: unknown } = {}
    ring.self = ring
    const back = decodeValue(encodeValue(ring)) as { self: unknown }
    expect(back.self).toBe(back)
  })
})

it('a value with a packed table is refused: it could become any size', () => {
  expect(() => decodeValue(Uint8Array.of(0xd8, 51, 0x82, 0x81, 1, 0x80))).toThrow('packed table')
})
