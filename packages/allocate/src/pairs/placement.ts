import { InvalidRequestError } from '../errors.ts'

/** Two positions of a selection that exchange data, counted from 0. */
export type Edge = readonly [number, number]

/**
 * Which positions of a selection exchange data. `ring`: each with the next one, and the last one
 * with the first one. `all`: each with each. `star`: the first one with each. Or a list of edges.
 */
export type Pattern = 'ring' | 'all' | 'star' | readonly Edge[]

/** Members at the positions of a pattern, by their index among the candidates. */
export interface Placement {
  readonly chosen: readonly number[]
  /** The bandwidth of the slowest edge; Infinity: the pattern has no edges. */
  readonly slowest: number
  /** No other placement has a faster slowest edge. Otherwise the search ran out of steps. */
  readonly isBest: boolean
}

/**
 * Maximum number of candidates that the search looks at for one bandwidth. A guess: the choice of 4
 * among 64 members needs fewer, and takes 2 to 6 ms. A search that runs out of steps takes some 100
 * ms (measured).
 */
const MAX_STEPS = 200_000

/** @throws InvalidRequestError for invalid positions */
export function edgesOf(pattern: Pattern, count: number): readonly Edge[] {
  const positions = Array.from({ length: count }, (_, at) => at)
  if (pattern === 'star') return positions.slice(1).map((at) => [0, at])
  if (pattern === 'all') return positions.flatMap((at) => positions.slice(at + 1).map((to): Edge => [at, to]))
  if (pattern === 'ring') {
    const line = positions.slice(1).map((at): Edge => [at - 1, at])
    return count > 2 ? [...line, [0, count - 1]] : line
  }
  const wrong = pattern.find(([a, b]) => a === b || ![a, b].every((at) => positions.includes(at)))
  if (wrong !== undefined) throw new InvalidRequestError(`pattern: [${wrong.join(', ')}]: must be two of the positions 0 to ${count - 1}`)
  return pattern
}

/**
 * Places members so that the slowest edge of a pattern is as fast as possible (Goteti, Subhlok). It
 * halves the range of bandwidths again and again. For each bandwidth it tries all placements, until
 * it runs out of steps. Among equal placements the one with the first candidates wins. It uses no
 * pair whose bandwidth is unknown.
 *
 * @param candidates the number of candidates
 * @param bandwidth of two candidates; undefined: unknown
 * @returns undefined if each placement needs an unknown pair, or the search found none
 */
export function place(
  candidates: number,
  count: number,
  pattern: Pattern,
  bandwidth: (one: number, other: number) => number | undefined,
): Placement | undefined {
  const edges = edgesOf(pattern, count)
  const widths = new Float64Array(candidates * candidates).fill(-1)
  for (let one = 0; one < candidates; one++)
    for (let other = 0; other < one; other++)
      widths[one * candidates + other] = widths[other * candidates + one] = bandwidth(one, other) ?? -1
  const search = new Search(candidates, count, edges, widths, pattern)
  const values = [...new Set(widths)].filter((each) => each >= 0).sort((a, b) => a - b)
  const slowestOf = (chosen: readonly number[]): number =>
    Math.min(...edges.map(([a, b]) => widths[(chosen[a] as number) * candidates + (chosen[b] as number)] as number))
  let best = search.find(values[0] ?? 0)
  if (!Array.isArray(best)) return undefined
  let isBest = true
  let [low, high] = [values.indexOf(slowestOf(best)), edges.length === 0 ? -1 : values.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const found = search.find(values[middle] as number)
    if (Array.isArray(found)) {
      best = found
      low = values.indexOf(slowestOf(found))
    } else {
      if (found === 'unknown') isBest = false
      high = middle - 1
    }
  }
  return { chosen: best, slowest: slowestOf(best), isBest }
}

/** Tries placements position by position. */
class Search {
  readonly #candidates: number
  readonly #widths: Float64Array
  /**
   * The positions in the order in which the search fills them. Each has an edge with an earlier
   * one, if possible.
   */
  readonly #order: readonly number[]
  /** For each step of the order the steps before it that have an edge with it. */
  readonly #before: readonly (readonly number[])[]
  readonly #degrees: readonly number[]
  /**
   * For each step an earlier step. The candidate of this step must come after that of the earlier
   * step. So the search tries equal positions in only one order.
   */
  readonly #after: readonly (number | undefined)[]
  #steps = 0

  constructor(candidates: number, count: number, edges: readonly Edge[], widths: Float64Array, pattern: Pattern) {
    this.#candidates = candidates
    this.#widths = widths
    const order: number[] = []
    const isEdge = (one: number, other: number): boolean => edges.some(([a, b]) => (a === one && b === other) || (a === other && b === one))
    const besides = (at: number): number => order.filter((other) => isEdge(at, other)).length
    while (order.length < count) {
      const left = Array.from({ length: count }, (_, at) => at).filter((at) => !order.includes(at))
      order.push(left.reduce((best, at) => (besides(at) > besides(best) ? at : best)))
    }
    this.#order = order
    this.#before = order.map((at, step) => order.slice(0, step).flatMap((other, index) => (isEdge(at, other) ? [index] : [])))
    this.#degrees = order.map(besides)
    this.#after = order.map((_, step) => {
      if (typeof pattern !== 'string' || step === 0 || (pattern === 'star' && step === 1)) return undefined
      return pattern === 'ring' ? 0 : step - 1
    })
  }

  /** Returns the candidates by position; 'unknown': the search ran out of steps. */
  find(width: number): readonly number[] | 'none' | 'unknown' {
    const all = Array.from({ length: this.#candidates }, (_, at) => at)
    const isFast = (one: number, other: number): boolean => (this.#widths[one * this.#candidates + other] as number) >= width
    const degrees = all.map((one) => all.filter((other) => isFast(one, other)).length)
    const chosen: number[] = []
    const used = new Uint8Array(this.#candidates)
    this.#steps = 0
    const fill = (): boolean => {
      const step = chosen.length
      if (step === this.#order.length) return true
      const [before, degree, after] = [this.#before[step] as readonly number[], this.#degrees[step] as number, this.#after[step]]
      for (let at = after === undefined ? 0 : (chosen[after] as number) + 1; at < this.#candidates; at++) {
        if (++this.#steps > MAX_STEPS) return false
        if (used[at] === 1 || (degrees[at] as number) < degree || !before.every((other) => isFast(at, chosen[other] as number))) continue
        chosen.push(at)
        used[at] = 1
        if (fill()) return true
        chosen.pop()
        used[at] = 0
      }
      return false
    }
    if (!fill()) return this.#steps > MAX_STEPS ? 'unknown' : 'none'
    const placed: number[] = []
    for (const [step, position] of this.#order.entries()) placed[position] = chosen[step] as number
    return placed
  }
}
