import type { Milliseconds } from './io.ts'

/**
 * Weight of the latest stolen tasks in the moving average of the time that a stolen task keeps a
 * worker busy. A guess.
 */
const LATEST = 0.3

/**
 * Decides how many tasks to steal at once. They should last for two round trips. One task for each
 * idle worker is enough, unless tasks are as short as the round trip.
 */
export class StealCount {
  /** Time that one stolen task keeps a worker busy, with the tasks that it spawns. */
  #lasted: Milliseconds | undefined
  /** The latest stolen tasks: the time of the first, and their number. */
  #stolen: { readonly at: Milliseconds; readonly tasks: number } | undefined

  stole(tasks: number, now: Milliseconds): void {
    this.#stolen = { at: this.#stolen?.at ?? now, tasks: (this.#stolen?.tasks ?? 0) + tasks }
  }

  /** A worker has nothing to do: measures how long the last stolen tasks lasted, per task. */
  starved(workers: number, now: Milliseconds): void {
    if (this.#stolen === undefined) return
    const { at, tasks } = this.#stolen
    this.#stolen = undefined
    const lasted = ((now - at) * workers) / tasks
    this.#lasted = this.#lasted === undefined ? lasted : this.#lasted + LATEST * (lasted - this.#lasted)
  }

  /** @param idle workers that have nothing to do */
  next(roundTrip: Milliseconds, idle: number, most: number): number {
    const least = Math.max(1, idle)
    if (this.#lasted === undefined || roundTrip === 0) return least
    return Math.min(most, least * Math.max(1, Math.ceil((2 * roundTrip) / Math.max(this.#lasted, 0.1))))
  }
}
