import { pause } from '@jel/overlay'

/**
 * The most frames of one stream that are handled in a second. An honest leader sends far fewer. A
 * guess.
 */
const MAX_RATE = 10_000

/** A stage for the frames of one stream. A stream that is too fast is not read for a while. */
export async function* paced(frames: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let [begin, count] = [performance.now(), 0]
  for await (const frame of frames) {
    const now = performance.now()
    if (now - begin >= 1000) [begin, count] = [now, 0]
    count += 1
    if (count > MAX_RATE) await pause(1000 - (now - begin))
    yield frame
  }
}
