import { createRandom } from '@jel/protocol'
import { describe, expect, it } from 'vitest'
import { initialWindow, retransmitMin, TcpFlow } from './tcp-flow.ts'

const delay = 10
const never = (): number => 1
/** Returns a random source that loses the packets with these numbers, from 0 on. */
function losing(...numbers: readonly number[]): () => number {
  let at = -1
  return () => (numbers.includes(++at) ? 0 : 1)
}
const send = (segments: number, random: () => number, loss = 0.5): number => new TcpFlow().send(segments, 0, { delay, loss, random })
function median(segments: number, loss: number): number {
  const random = createRandom(3)
  const times = Array.from({ length: 501 }, () => send(segments, random, loss)).sort((a, b) => a - b)
  return times[250] as number
}

describe('TCP', () => {
  it('sends its first window in one delay, and doubles the window with each round trip', () => {
    expect([1, initialWindow, initialWindow + 1, 3 * initialWindow, 3 * initialWindow + 1].map((count) => send(count, never, 0))).toEqual([
      10, 10, 30, 30, 50,
    ])
  })

  it('sends a missing segment again one round trip later if a later one arrived', () => {
    // A receiver delays acknowledgements of segments out of order by a twentieth of the round trip.
    const told = 20 + 1
    expect(send(10, losing(4))).toBe(told + 10)
    expect(send(10, losing(2, 4, 6))).toBe(told + 10)
  })

  it('probes if the end is missing, and learns from the probe of other missing segments', () => {
    expect(send(10, losing(9))).toBe(2 * 20 + 10)
    expect(send(10, losing(8, 9))).toBe(2 * 20 + 20 + 10)
  })

  it('waits for a time-out if a single packet is lost, twice as long each time', () => {
    expect(send(1, losing(0))).toBe(retransmitMin + 20 + 10)
    expect(send(1, losing(0, 1))).toBe(3 * (retransmitMin + 20) + 10)
  })

  it('sends less at once after a loss', () => {
    const flow = new TcpFlow()
    flow.send(300, 0, { delay, loss: 0, random: never })
    const before = flow.send(150, 200, { delay, loss: 0, random: never })
    flow.send(150, 220, { delay, loss: 0.5, random: losing(3) })
    expect(before).toBe(10)
    expect(flow.send(150, 280, { delay, loss: 0.5, random: never })).toBeGreaterThan(10)
  })

  it('begins with the first window again after a pause', () => {
    const flow = new TcpFlow()
    flow.send(300, 0, { delay, loss: 0, random: never })
    expect(flow.send(150, 10_000, { delay, loss: 0, random: never })).toBeGreaterThan(10)
  })

  it('delays the second of two simultaneous messages if the window is full', () => {
    const flow = new TcpFlow()
    expect(flow.send(initialWindow, 0, { delay, loss: 0, random: never })).toBe(10)
    expect(flow.send(initialWindow, 0, { delay, loss: 0, random: never })).toBe(30)
  })

  it('slows down with the square root of the loss, about as in Mathis et al. (CCR 1997)', () => {
    // Of 10 MB slow start sends only a small part before the first loss. A kernel takes 0.4 of the
    // formula's time for 1 MB.
    const segments = 6_910
    const [few, many] = [median(segments, 0.01), median(segments, 0.04)]
    // The formula is 1.22 segments a round trip, over the square root of the loss. CUBIC is
    // somewhat faster.
    expect(few).toBeGreaterThan(0.5 * ((segments * 20 * 0.1) / 1.22))
    expect(few).toBeLessThan(1.5 * ((segments * 20 * 0.1) / 1.22))
    // Time-outs add to the time.
    expect(many / few).toBeGreaterThan(1.6)
    expect(many / few).toBeLessThan(4)
  })

  it('ends a transfer though all packets get lost', () => {
    expect(send(1, () => 0, 1 - 1e-9)).toBeGreaterThan(3_600_000)
    expect(send(20, () => 0, 1 - 1e-9)).toBeGreaterThan(3_600_000)
  })
})
