/**
 * A consumer reads at most this many bytes per ms from one producer. A guess: 64 attributes at 10
 * Hz take a twentieth of it.
 */
const BYTES_PER_MS = 1000

/** Reads at most at this rate, since a producer may send without end. */
export async function* paced(frames: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const frame of frames) {
    yield frame
    await new Promise((resolve) => setTimeout(resolve, frame.length / BYTES_PER_MS))
  }
}
