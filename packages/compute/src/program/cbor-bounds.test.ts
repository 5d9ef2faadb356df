import { Encoder } from 'cbor-x'
import { describe, expect, it } from 'vitest'
import { checkContainers } from './cbor-bounds.ts'

const encoder = new Encoder({
  structuredClone: false,
  useRecords: false,
  mapsAsObjects: false,
  tagUint8Array: false,
  variableMapSize: true,
})
const bytesOf = (value: unknown): Uint8Array => encoder.encode(value)

describe('CBOR', () => {
  it.each([
    ['numbers', [0, -1, 23, 24, 255, 256, 65_536, 2 ** 40, 1.5, true, null, undefined]],
    ['texts and bytes', ['', 'a'.repeat(300), new Uint8Array(70_000)]],
    ['lists and maps', { a: [[], [1, [2]]], b: new Map([['c', new Map()]]) }],
  ])('with %s passes', (_, value) => {
    expect(() => checkContainers(bytesOf(value), 10)).not.toThrow()
  })

  it('may have a number of lists and maps, and no more', () => {
    const bytes = bytesOf(Array.from({ length: 9 }, () => ({})))
    expect(() => checkContainers(bytes, 10)).not.toThrow()
    expect(() => checkContainers(bytes, 9)).toThrow('more than 9 lists and maps')
  })

  it.each([
    ['more elements than bytes', Uint8Array.of(0x9a, 0xff, 0xff, 0xff, 0xff)],
    ['cut off', bytesOf(['aaaa', 1]).subarray(0, 4)],
    ['no known length', Uint8Array.of(0x9f, 0xff)],
    ['packed table', Uint8Array.of(0xd8, 51, 0x82, 0x81, 1, 0x80)],
    ['levels deep', new Uint8Array(1000).fill(0x81)],
  ])('is refused: %s', (problem, bytes) => {
    expect(() => checkContainers(bytes, 1_000_000)).toThrow(problem)
  })

  it('of six million empty maps is refused at once', () => {
    const bytes = new Uint8Array(6 * 2 ** 20).fill(0xa0)
    bytes.set([0x9a, 0, 0x5f, 0xff, 0xfb])
    const begin = performance.now()
    expect(() => checkContainers(bytes, 300_000)).toThrow(RangeError)
    expect(performance.now() - begin).toBeLessThan(1000)
  })
})
