import fc from 'fast-check'
import { concat } from 'uint8arrays'
import { describe, expect, test } from 'vitest'
import { FrameDecoder, FramingError, encodePrefix } from './framing.ts'

const frames = fc.array(fc.uint8Array({ minLength: 1, maxLength: 300 }), { maxLength: 20 })

describe('frames', () => {
  test('come out as they went in, however the stream cuts them', () => {
    fc.assert(
      fc.property(frames, fc.array(fc.nat({ max: 400 })), (sent, cuts) => {
        const stream = concat(sent.flatMap((frame) => [encodePrefix(frame.length), frame]))
        const decoder = new FrameDecoder(300)
        const received: Uint8Array[] = []
        let offset = 0
        for (const cut of [...cuts, stream.length]) {
          received.push(...decoder.decode(stream.subarray(offset, offset + cut)))
          offset += cut
        }
        expect(received).toEqual(sent)
      }),
    )
  })

  test('may be as long as the bound, not longer', () => {
    expect([...new FrameDecoder(300).decode(concat([encodePrefix(300), new Uint8Array(300)]))]).toHaveLength(1)
    expect(() => [...new FrameDecoder(300).decode(encodePrefix(301))]).toThrow(/301 bytes; 300 are allowed/u)
  })

  test.each([
    ['a prefix without end', [0xff, 0xff, 0xff, 0xff], /garbage/u],
    ['an empty frame', [0x00], /empty frame/u],
    ['a padded prefix', [0x81, 0x00], /padded/u],
  ])('are refused for %s', (_what, data, problem) => {
    expect(() => [...new FrameDecoder(300).decode(Uint8Array.from(data))]).toThrow(problem)
  })

  test('are no longer looked for behind what is none', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 20 }), (chunks) => {
        const decoder = new FrameDecoder(300)
        expect(() => [...decoder.decode(Uint8Array.of(0xff, 0xff, 0xff, 0xff))]).toThrow(FramingError)
        for (const chunk of chunks) expect(() => [...decoder.decode(chunk)]).toThrow(FramingError)
      }),
    )
  })

  test('before garbage are still given, and nothing but a FramingError is thrown', () => {
    const received: Uint8Array[] = []
    const decoder = new FrameDecoder(300)
    expect(() => {
      for (const frame of decoder.decode(Uint8Array.of(1, 42, 0))) received.push(frame)
    }).toThrow(FramingError)
    expect(received).toEqual([Uint8Array.of(42)])
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2_000 }), (garbage) => {
        try {
          for (const frame of new FrameDecoder(300).decode(garbage)) expect(frame.length).toBeLessThanOrEqual(300)
        } catch (error) {
          expect(error).toBeInstanceOf(FramingError)
        }
      }),
    )
  })
})
