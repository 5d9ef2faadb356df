/**
 * Decides whether a running computation should move to other machines, as the rescheduler of GrADS
 * does (Vadhiyar and Dongarra, "A performance oriented migration framework for the grid", 2003).
 */

/** Least gain at which a move pays. The paper found it by trial and error. */
const LEAST_GAIN = 0.3
/** Tolerances of the ratio of measured to predicted time, at first. Guesses; the paper has none. */
const [UPPER, LOWER] = [1.5, 0.7]
/**
 * A loss of speed must last for this long, ms. A guess: the paper lets a competing program of short
 * duration end, and names no time.
 */
const SUSTAINED_TIME = 10_000

/** Times of a choice between staying and moving, all in one unit. */
export interface Move {
  /** The remaining time if the computation stays. */
  readonly stays: number
  /** The remaining time at the other machines, without the cost. */
  readonly moves: number
  /** The time that the move itself takes. Measure it: too high a cost prevents good moves. */
  readonly cost: number
}

/** Returns the part of the remaining time that a move saves. Negative: it would take longer. */
export function gainOf({ stays, moves, cost }: Move): number {
  return stays > 0 ? (stays - (moves + cost)) / stays : -Infinity
}

/** Whether a computation should move: it would save more than 30 % of the remaining time. */
export function shouldMove(move: Move): boolean {
  return gainOf(move) > LEAST_GAIN
}

/**
 * Compares the measured times of a computation with the predicted times. It asks for a move once
 * the mean of the ratios is above a tolerance, and the loss of speed has lasted for ten seconds.
 */
export class Contract {
  #upper: number
  #lower: number
  readonly #relative: readonly [upper: number, lower: number]
  #sum = 0
  #phases = 0
  /** The time since which each phase was too slow, ms. */
  #slowFor = 0

  /** @param tolerance the highest and the lowest ratio of measured to predicted time at first */
  constructor({ upper = UPPER, lower = LOWER }: { readonly upper?: number; readonly lower?: number } = {}) {
    this.#relative = [upper, lower]
    this.#upper = upper
    this.#lower = lower
  }

  /** The mean of all ratios of measured to predicted time. */
  get mean(): number {
    return this.#phases === 0 ? 1 : this.#sum / this.#phases
  }

  /**
   * A phase of the computation has ended. Returns true if the computation should look for other
   * machines, see {@link shouldMove}.
   *
   * @param measured ms
   * @param predicted ms
   */
  ended(measured: number, predicted: number): boolean {
    const ratio = measured / predicted
    this.#sum += ratio
    this.#phases++
    this.#slowFor = ratio > this.#upper ? this.#slowFor + measured : 0
    // The machines are faster than predicted. A later loss of speed must count.
    if (ratio < this.#lower && this.mean < this.#lower) this.#adapt()
    return this.#slowFor >= SUSTAINED_TIME && this.mean > this.#upper
  }

  /** There are no better machines, or the move does not pay. The prediction was too good. */
  refused(): void {
    this.#slowFor = 0
    this.#adapt()
  }

  #adapt(): void {
    const [upper, lower] = this.#relative
    this.#upper = this.mean * upper
    this.#lower = this.mean * lower
  }
}
