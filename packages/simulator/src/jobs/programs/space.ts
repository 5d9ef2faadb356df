import { NOTHING_SHARED } from '@jel/compute/internals'
import { createRandom, hash52, type Milliseconds } from '@jel/protocol'
import type { VirtualProgram } from './program.ts'
import { leaf, spawn, sum, timeOf, type TaskTime } from './trees.ts'

export interface SpaceOptions {
  readonly indices: number
  readonly indexTime: TaskTime
  /** The time that a piece should take, ms. */
  readonly pieceTime: Milliseconds
  readonly seed: number
}

/**
 * Number of stretches of the space. All indices of a stretch take the same time. A guess: unequal
 * enough, and quick to add up.
 */
const STRETCHES = 1024
/** Weight of the latest piece in the rate, as in `space` of programs. */
const LATEST = 0.5

const decoder = new TextDecoder()

/**
 * An index space. A task splits at a power of two until a piece takes at most about `pieceTime`, at
 * the rate that its worker measured. The value is the number of indices.
 */
export function indexSpace({ indices, indexTime, pieceTime, seed }: SpaceOptions): VirtualProgram {
  const stretch = Math.max(1, Math.ceil(indices / STRETCHES))
  const times = Array.from({ length: Math.ceil(indices / stretch) }, (_, at) =>
    timeOf(indexTime, createRandom(hash52(`stretch ${at}`, seed) % 2 ** 32)),
  )
  const costOf = (from: number, to: number): Milliseconds => {
    let cost = 0
    for (let at = Math.floor(from / stretch); at * stretch < to; at++) {
      cost += (Math.min(to, (at + 1) * stretch) - Math.max(from, at * stretch)) * (times[at] as number)
    }
    return cost
  }
  return (fn, input, { split, speed, rates }) => {
    const [, from, to] = JSON.parse(decoder.decode(input)) as [string, number, number]
    const size = to - from
    const rate = rates.get(fn)
    const fits = size <= 1 || (rate !== undefined && size * rate <= pieceTime && !split)
    if (fits) {
      const cost = costOf(from, to)
      const measured = cost / speed / size
      rates.set(fn, rate === undefined ? measured : rate + LATEST * (measured - rate))
      return leaf(cost, size)
    }
    let half = 1
    while (half * 2 < size) half *= 2
    const middle = from + half
    const halves = [
      [from, middle],
      [middle, to],
    ] as const
    const children = halves.map(([first, end]) => spawn(fn, `${first}-${end}`, [first, end]))
    return { cost: 0.05, children, offers: NOTHING_SHARED, outcome: sum }
  }
}

export function spaceInput(indices: number): Uint8Array {
  return new TextEncoder().encode(JSON.stringify([`0-${indices}`, 0, indices]))
}
