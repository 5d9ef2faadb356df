import fc from 'fast-check'
import { Uint8ArrayList } from 'uint8arraylist'
import { concat } from 'uint8arrays'
import { describe, expect, test } from 'vitest'
import { FramingError, decodeFrames, encodeFrame, encodeFrames } from './frames.ts'

async function* from<Item>(...items: readonly Item[]): AsyncGenerator<Item> {
  yield* items
}

/** Decodes the pieces of a stream. Returns the frames, and the error that ended it. */
async function read(pieces: readonly Uint8Array[], maxBytes = 300): Promise<{ frames: Uint8Array[]; error?: unknown }> {
  const frames: Uint8Array[] = []
  try {
    for await (const frame of decodeFrames(from(...pieces), maxBytes)) frames.push(frame)
    return { frames }
  } catch (error) {
    return { frames, error }
  }
}

describe('frames', () => {
  test('may be as long as the receiver allows', async () => {
    const pieces: Uint8Array[] = []
    for await (const piece of encodeFrames(from([new Uint8Array(6 * 2 ** 20)]))) pieces.push(piece.subarray())
    expect((await read(pieces, 6 * 2 ** 20)).frames.map(({ length }) => length)).toEqual([6 * 2 ** 20])
  })

  test('come out as they went in, however the stream cuts them', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ minLength: 1, maxLength: 300 }), { maxLength: 20 }),
        fc.array(fc.nat({ max: 400 })),
        async (sent, cuts) => {
          const stream = new Uint8ArrayList()
          for await (const piece of encodeFrames(from(sent))) stream.append(piece)
          const pieces: Uint8Array[] = []
          let offset = 0
          for (const cut of [...cuts, stream.length]) {
            pieces.push(stream.slice(offset, Math.min(offset + cut, stream.length)))
            offset = Math.min(offset + cut, stream.length)
          }
          expect(await read(pieces)).toEqual({ frames: sent })
        },
      ),
    )
  })

  test('of one batch are sent as one piece', async () => {
    const pieces: number[] = []
    for await (const piece of encodeFrames(from([new Uint8Array(9), new Uint8Array(9)]))) pieces.push(piece.byteLength)
    expect(pieces).toEqual([20])
  })

  test('do not keep the bytes that arrived with them in memory', async () => {
    const { frames } = await read([concat([encodeFrame(new Uint8Array(8)), new Uint8Array(50_000)])])
    expect(frames[0]?.buffer.byteLength).toBe(8)
  })

  test('may be as long as the bound, and a longer one is refused as soon as its length is read', async () => {
    expect((await read([encodeFrame(new Uint8Array(300))])).frames).toHaveLength(1)
    expect((await read([encodeFrame(new Uint8Array(301)).subarray(0, 2)])).error).toEqual(
      new FramingError('a frame of more than the 300 bytes that are allowed'),
    )
  })

  test('may come in pieces, but not byte by byte', async () => {
    const bytes = [...concat([encodeFrame(new Uint8Array(300)), encodeFrame(new Uint8Array(300))])].map((byte) => Uint8Array.of(byte))
    expect((await read(bytes)).frames).toHaveLength(2)
    const dripping = [...encodeFrame(new Uint8Array(5_000))].map((byte) => Uint8Array.of(byte))
    expect((await read(dripping, 5_000)).error).toEqual(new FramingError('a frame in more than 1024 pieces'))
  })

  test('that come before garbage are still delivered', async () => {
    const { frames, error } = await read([Uint8Array.of(1, 42, 0xff, 0xff, 0xff, 0xff, 0xff)])
    expect(frames).toEqual([Uint8Array.of(42)])
    expect(error).toEqual(new FramingError('a frame of a length without end'))
  })

  test('or a FramingError result from any bytes, or the error of a stream that ends within a frame', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 500 })), async (pieces) => {
        const { frames, error } = await read(pieces)
        for (const frame of frames) expect(frame.length).toBeLessThanOrEqual(300)
        if (error instanceof FramingError || error === undefined) return
        expect(error).toMatchObject({ name: 'UnexpectedEOFError' })
      }),
    )
  })
})
