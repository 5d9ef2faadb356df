import type { Stream } from '@jel/jel'
import { FrameStream, inBackground, SendQueue } from '@jel/overlay'
import { ProbeError } from '../errors.ts'
import type { Figures } from './messages.ts'

/** The longest time of a probe, ms. A guess: it is enough for a link of 32 KB/s. */
export const PROBE_TIME = 2000
/**
 * Bytes of a frame, and of each train of frames. A train that takes this time, ms, is the last one.
 * Guesses.
 */
const [FRAME, TRAINS, LONG_ENOUGH] = [16_384, [65_536, 262_144, 1_048_576], 100]
/**
 * The number of small frames that go there and back one by one. The shortest of their times is the
 * round trip.
 */
const ROUND_TRIPS = 5
/** A train counts as at least this long, ms, since a time of 0 would give no rate. */
const TICK = 0.05

/** A member sends back at most this number of bytes in one probe. */
export const MAX_PROBE_BYTES = TRAINS.reduce((sum, each) => sum + each, ROUND_TRIPS)

/**
 * Measures a stream whose other end sends each frame back at once. The first quarter of a train
 * does not count, since a link may let it pass above its rate.
 *
 * @throws ProbeError; the reason of the signal
 */
export async function probe(stream: Stream, signal: AbortSignal): Promise<Pick<Figures, 'roundTrip' | 'bandwidth'>> {
  let [sent, received] = [0, 0]
  let waiting: { readonly bytes: number; readonly resolve: () => void } | undefined
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => {})
  const frames: FrameStream = new FrameStream(
    stream,
    { maxFrameBytes: FRAME, queue: new SendQueue() },
    {
      onFrame: ({ length }) => {
        received += length
        if (received > sent) failed.reject(new ProbeError('the other member sends back more than it got'))
        else if (waiting !== undefined && received >= waiting.bytes) waiting.resolve()
      },
      onEnd: () => failed.reject(new ProbeError('the other member ended the probe')),
    },
  )
  const isLate = Promise.withResolvers<true>()
  const timer = inBackground(setTimeout(() => isLate.resolve(true), PROBE_TIME))
  const abort = (): void => failed.reject(signal.reason as Error)
  signal.addEventListener('abort', abort)
  if (signal.aborted) abort()

  const send = (bytes: number): void => {
    sent += bytes
    for (let left = bytes; left > 0; left -= FRAME) frames.send(new Uint8Array(Math.min(left, FRAME)))
  }
  /**
   * Waits until this number of bytes came back. Returns the time; undefined: the time of the probe
   * is over.
   */
  const came = async (bytes: number): Promise<number | undefined> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    waiting = { bytes, resolve }
    const late = received >= bytes ? undefined : await Promise.race([promise, isLate.promise, failed.promise])
    return late === true ? undefined : performance.now()
  }

  try {
    let roundTrip = Infinity
    for (let round = 0; round < ROUND_TRIPS; round++) {
      const begin = performance.now()
      send(1)
      const end = await came(sent)
      if (end === undefined) break
      roundTrip = Math.min(roundTrip, end - begin)
    }
    let bandwidth = 0
    for (const train of TRAINS) {
      const [begin, quarter] = [performance.now(), sent + train / 4]
      send(train)
      const first = await came(quarter)
      if (first === undefined) break
      const last = await came(sent)
      bandwidth = ((received - quarter) * 1000) / Math.max(TICK, (last ?? performance.now()) - first)
      if (last === undefined || last - begin >= LONG_ENOUGH) break
    }
    if (bandwidth === 0) throw new ProbeError(`too little came back within ${PROBE_TIME} ms`)
    return { roundTrip, bandwidth }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
    // Frames that still wait must not disturb the next probe.
    if (received < sent) frames.abort(new Error('the probe is over'))
    else void frames.close()
  }
}
